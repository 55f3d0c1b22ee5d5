package llmtest_test

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/runner/llm/internal/llmtest"
)

// own is a provider as other modules may define it: it shares only the contract with this module. Its endpoint
// answers with lines of JSON.
type own struct {
	url, key string
	tries    int
	hasty    bool // it waits less than it is asked to
}

// line is one line of a reply, or the body of an error.
type line struct {
	Thought, Say string
	End          string // why the reply ended
	Usage        llm.Usage
	Kind         llm.ErrorKind
}

func (*own) Name() string { return "own-1" }

func (o *own) Generate(ctx context.Context, req llm.Request, on func(llm.Delta)) (llm.Response, error) {
	if on == nil {
		on = func(llm.Delta) {}
	}
	var wasted int64
	for try := 1; ; try++ {
		resp, wait, err := o.once(ctx, req, on, try > 1)
		switch {
		case ctx.Err() != nil:
			return llm.Response{}, &llm.Error{Kind: llm.ErrCancelled, Message: "the call was cancelled", Err: ctx.Err()}
		case err == nil:
			resp.Attempts, resp.Usage.Wasted = try, wasted
			return resp, nil
		case err.Kind != llm.ErrRateLimit && err.Kind != llm.ErrUnavailable || try >= o.tries:
			return llm.Response{}, err
		}
		wasted += llm.EstimateTokens(resp.Content)
		on(llm.Delta{Retry: &llm.Retry{Reason: string(err.Kind), Attempt: try + 1, Tries: o.tries, Wait: wait}})
		if o.hasty {
			wait = 0
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
		}
	}
}

// once makes one request. For a broken reply it returns the part that arrived.
func (o *own) once(
	ctx context.Context, req llm.Request, on func(llm.Delta), again bool) (
	resp llm.Response, wait time.Duration, failed *llm.Error,
) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	silence := time.AfterFunc(10*time.Second, cancel)
	defer silence.Stop()
	broken := &llm.Error{Kind: llm.ErrUnavailable, Message: "the reply broke off"}
	type message struct{ Role, Content string }
	var sent struct {
		Messages []message
		Limit    int
		Heat     *float64
		Schema   json.RawMessage
	}
	for _, m := range req.Messages {
		sent.Messages = append(sent.Messages, message{string(m.Role), m.Content})
	}
	sent.Limit, sent.Heat = req.MaxTokens, req.Temperature
	if req.Format != nil {
		sent.Schema = req.Format.Schema
	}
	body, _ := json.Marshal(sent)
	r, _ := http.NewRequestWithContext(ctx, http.MethodPost, o.url, bytes.NewReader(body))
	r.Header.Set("Own-Key", o.key)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return resp, 0, broken
	}
	defer answer.Body.Close()
	resp.Model = "own-1"
	for lines := bufio.NewReader(answer.Body); ; {
		text, err := lines.ReadBytes('\n')
		var l line
		if err != nil || json.Unmarshal(text, &l) != nil {
			return resp, 0, broken
		}
		silence.Reset(time.Second)
		if l.Kind != "" {
			seconds, _ := strconv.ParseFloat(answer.Header.Get("Retry-After"), 64)
			return resp, time.Duration(seconds * float64(time.Second)),
				&llm.Error{Kind: l.Kind, Status: answer.StatusCode, Message: "own: " + string(l.Kind)}
		}
		resp.Content, resp.Reasoning = resp.Content+l.Say, resp.Reasoning+l.Thought
		if l.Say != "" || l.Thought != "" {
			on(llm.Delta{Content: l.Say, Reasoning: l.Thought, Restart: again})
			again = false
		}
		if l.End != "" {
			resp.FinishReason, resp.Usage = l.End, l.Usage
			if resp.Usage.Prompt == 0 {
				resp.Usage = llm.Usage{
					Prompt:     llm.EstimateMessages(req.Messages),
					Completion: llm.EstimateTokens(resp.Content), Estimated: true,
				}
			}
			return resp, 0, nil
		}
	}
}

// ownServer is the endpoint of own, controlled by the suite.
type ownServer struct {
	*httptest.Server

	mu      sync.Mutex
	replies []llmtest.Reply
	bodies  []string
}

func (s *ownServer) Answer(replies ...llmtest.Reply) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.replies, s.bodies = replies, nil
}

func (s *ownServer) Calls() int { return len(s.Bodies()) }

func (s *ownServer) Bodies() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.bodies...)
}

func (s *ownServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	s.mu.Lock()
	s.bodies = append(s.bodies, string(body))
	reply := s.replies[0]
	if len(s.replies) > 1 {
		s.replies = s.replies[1:]
	}
	s.mu.Unlock()
	out := json.NewEncoder(w)
	if reply.Failure != "" {
		w.Header().Set("Retry-After", fmt.Sprint(reply.RetryAfter.Seconds()))
		w.WriteHeader(http.StatusTeapot)
		out.Encode(line{Kind: reply.Failure})
		return
	}
	flush := w.(http.Flusher).Flush
	out.Encode(line{Thought: reply.Reasoning})
	half := len(reply.Content) / 2
	if reply.Fault == "" {
		half = len(reply.Content)
	}
	out.Encode(line{Say: reply.Content[:half]})
	flush()
	switch reply.Fault {
	case llmtest.Drop:
		panic(http.ErrAbortHandler)
	case llmtest.Cut:
		return
	case llmtest.ErrorEvent:
		out.Encode(line{Kind: llm.ErrUnavailable})
		return
	case llmtest.Malformed:
		io.WriteString(w, "{\"Say\":\n")
		return
	case llmtest.Hang:
		flush()
		<-r.Context().Done()
		return
	}
	out.Encode(line{End: map[bool]string{false: "stop", true: "length"}[reply.Cut], Usage: reply.Usage})
}

// The provider of another module passes. With RLM_MUTANT it is broken in one way: see TestEachFaultIsCaught.
func TestOwnProvider(t *testing.T) {
	t.Parallel()
	s := &ownServer{}
	s.Server = httptest.NewServer(s)
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	var model llm.Model = &own{url: s.URL, key: ownKey, tries: 3}
	if name := os.Getenv("RLM_MUTANT"); name != "" {
		for _, m := range mutants {
			if m.name == name {
				o := &own{url: s.URL, key: ownKey, tries: cmp.Or(m.tries, 3), hasty: m.hasty}
				model = &mutant{own: o, how: m}
			}
		}
	}
	llmtest.Run(t, model, s, llmtest.WithKey(ownKey))
}

const ownKey = "own-key-0123456789"
