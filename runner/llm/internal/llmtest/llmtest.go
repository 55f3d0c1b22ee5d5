// Package llmtest checks any implementation of a model against what the rest of the program relies on: pieces that
// make up the reply, in order; complete replies or errors, never parts; retries only where they help; kinds of
// failure; no key in an error. The model is tested against an endpoint that fails on request.
package llmtest

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gorlm/rlm/runner/llm"
)

// Reply is the endpoint's answer to a call.
type Reply struct {
	Content   string
	Reasoning string
	Cut       bool // the reply was cut at the token limit
	Usage     llm.Usage

	// Failure, if not empty, makes the answer an error of this kind, in the provider's form; RetryAfter is the
	// wait that it asks for.
	Failure    llm.ErrorKind
	RetryAfter time.Duration
	// Fault is a fault after the reply has begun; "" for none.
	Fault Fault
}

// Fault is a way in which a reply can fail.
type Fault string

// The faults. Each occurs after the first piece of the content.
const (
	Drop       Fault = "drop"        // the connection breaks
	Cut        Fault = "cut"         // the stream ends as if it were complete, without an end marker
	ErrorEvent Fault = "error_event" // a temporary error, as an event of an intact stream
	Malformed  Fault = "malformed"   // an unreadable event
	Hang       Fault = "hang"        // nothing more arrives, and the connection stays open
)

// Server is the endpoint of the model under test.
type Server interface {
	// Answer sets the replies to later calls, in order; the last one repeats. It resets the recorded calls.
	Answer(replies ...Reply)
	// Calls is the number of requests since the last Answer.
	Calls() int
	// Bodies returns the bodies of those requests, in order of arrival.
	Bodies() []string
}

// Option excludes something from the tests. Without options everything is tested.
type Option func(*options)

type options struct {
	key                                        string
	tries                                      int
	noReasoning, noUsage, noCacheCount, noHang bool
}

// WithKey sets the key that the model was made with; no error may contain it.
func WithKey(key string) Option { return func(o *options) { o.key = key } }

// WithTries sets the most requests that the model makes for one call; 1 for a model that never retries. Default:
// 3. The model's waits between tries should be short.
func WithTries(n int) Option { return func(o *options) { o.tries = n } }

// WithoutReasoning is for an endpoint that does not report the model's thoughts.
func WithoutReasoning() Option { return func(o *options) { o.noReasoning = true } }

// WithoutUsage is for an endpoint that reports no tokens.
func WithoutUsage() Option { return func(o *options) { o.noUsage, o.noCacheCount = true, true } }

// WithoutCacheCount is for an endpoint that does not report how much of a prompt was cached.
func WithoutCacheCount() Option { return func(o *options) { o.noCacheCount = true } }

// WithoutHang skips endpoints that stop sending, for a model that has no deadline for them. Such a deadline should
// be short in tests.
func WithoutHang() Option { return func(o *options) { o.noHang = true } }

// Run tests a model against its endpoint. Each failed subtest states what the model did and what the contract of
// [llm.Model] requires.
func Run(t *testing.T, model llm.Model, server Server, opts ...Option) {
	t.Helper()
	s := &suite{model: model, server: server, opt: options{tries: 3}}
	for _, o := range opts {
		o(&s.opt)
	}
	t.Run("name", s.name)
	t.Run("whole replies", s.wholeReplies)
	t.Run("requests", s.requests)
	t.Run("settings", s.settings)
	t.Run("faults that pass", s.passing)
	t.Run("faults that stay", s.staying)
	t.Run("failures", s.failures)
	t.Run("patience", s.patience)
	t.Run("cancelled", s.cancelled)
	t.Run("many at once", s.manyAtOnce)
}

type suite struct {
	model  llm.Model
	server Server
	opt    options
}

// heard records the pieces that a reader received, and calls that violate the contract.
type heard struct {
	content, reasoning string
	restarts, retries  int

	mu     sync.Mutex // never waited for: two concurrent calls are a fault
	over   atomic.Bool
	faults atomic.Pointer[string]
}

func (h *heard) on(d llm.Delta) {
	if !h.mu.TryLock() {
		h.fault("pieces are handed over by several goroutines at once")
		return
	}
	defer h.mu.Unlock()
	if h.over.Load() {
		h.fault("a piece is handed over after Generate has returned")
		return
	}
	if d.Retry != nil {
		h.retries++
	}
	if d.Restart {
		h.content, h.reasoning = "", ""
		h.restarts++
	}
	h.content += d.Content
	h.reasoning += d.Reasoning
	runtime.Gosched() // gives another goroutine a chance to call
}

func (h *heard) fault(text string) { h.faults.CompareAndSwap(nil, &text) }

// end records that Generate has returned.
func (h *heard) end(t *testing.T) {
	t.Helper()
	h.over.Store(true)
	t.Cleanup(func() {
		if text := h.faults.Load(); text != nil {
			t.Error(*text)
		}
	})
}

func question(text string) llm.Request {
	return llm.Request{Messages: []llm.Message{
		{Role: llm.System, Content: "Be brief."}, {Role: llm.User, Content: text},
	}}
}

// longest bounds a call that does not end otherwise.
const longest = 2 * time.Minute

// ask makes a call that must succeed, and checks that its pieces make up the reply.
func (s *suite) ask(t *testing.T, req llm.Request) (llm.Response, *heard) {
	t.Helper()
	h := &heard{}
	before := fmt.Sprintf("%+v", req)
	ctx, cancel := context.WithTimeout(t.Context(), longest)
	defer cancel()
	resp, err := s.model.Generate(ctx, req, h.on)
	h.end(t)
	if ctx.Err() != nil {
		t.Fatalf("the call did not end within %v: a model needs a deadline of its own for an endpoint that falls silent (else WithoutHang)", longest)
	}
	if err != nil {
		t.Fatalf("a call that should succeed failed: %v", err)
	}
	if after := fmt.Sprintf("%+v", req); after != before {
		t.Errorf("the model changed the request that it was given: %s became %s", before, after)
	}
	if h.content != resp.Content || h.reasoning != resp.Reasoning {
		t.Errorf("the pieces make up %q (thought: %q), the reply is %q (thought: %q)", h.content, h.reasoning,
			resp.Content, resp.Reasoning)
	}
	if resp.FinishReason == "" || resp.Model == "" || resp.Attempts < 1 {
		t.Errorf("the reply lacks a finish reason, a model or its attempts: %+v", resp)
	}
	if resp.Usage.Prompt <= 0 && resp.Content != "" {
		t.Errorf("a usage that is not reported must be estimated: %+v", resp.Usage)
	}
	return resp, h
}

// fail makes a call that must fail with the given kind.
func (s *suite) fail(t *testing.T, ctx context.Context, want llm.ErrorKind) {
	t.Helper()
	resp, err := s.model.Generate(ctx, question("hi"), nil)
	var call *llm.Error
	switch {
	case err == nil:
		t.Fatalf("a call that must fail as %s gave the reply %q", want, resp.Content)
	case !errors.As(err, &call):
		t.Fatalf("the error is not an *llm.Error, so its kind is unknown: %v", err)
	case call.Kind != want:
		t.Errorf("the kind of failure is %s, want %s: %v", call.Kind, want, err)
	case strings.ContainsAny(call.Message, "\n\r") || call.Message == "":
		t.Errorf("an error is one line: %q", call.Message)
	}
	for _, text := range []string{fmt.Sprint(err), fmt.Sprintf("%+v", err), fmt.Sprintf("%#v", err)} {
		if s.opt.key != "" && strings.Contains(text, s.opt.key) {
			t.Errorf("the key is in the error")
		}
	}
}

func (s *suite) wholeReplies(t *testing.T) {
	long := strings.Repeat("héllo wörld, 世界\n", 200)
	usage := llm.Usage{Prompt: 100, Completion: 40, Cached: 60}
	for name, reply := range map[string]Reply{
		"long":          {Content: long, Usage: usage},
		"short":         {Content: "x", Usage: usage},
		"cut":           {Content: "half of", Cut: true, Usage: usage},
		"with a <tag>":  {Content: "use <b>&amp;</b> \u2028 \"here\"", Usage: usage},
		"with thoughts": {Content: "ok", Reasoning: "let me see", Usage: usage},
	} {
		for _, noStream := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, whole %v", name, noStream), func(t *testing.T) {
				s.server.Answer(reply)
				req := question("hi")
				req.NoStream = noStream
				resp, _ := s.ask(t, req)
				if resp.Content != reply.Content {
					t.Errorf("the reply is %q, want %q", resp.Content, reply.Content)
				}
				if !s.opt.noReasoning && resp.Reasoning != reply.Reasoning {
					t.Errorf("the reasoning is %q, want %q", resp.Reasoning, reply.Reasoning)
				}
				if want := map[bool]string{false: "stop", true: "length"}[reply.Cut]; resp.FinishReason != want {
					t.Errorf("the finish reason is %q, want %q", resp.FinishReason, want)
				}
				u := resp.Usage
				if !s.opt.noUsage && (u.Prompt != 100 || u.Completion != 40 || u.Estimated) {
					t.Errorf("the usage is %+v, want 100 tokens sent and 40 received, as the endpoint said", u)
				}
				if !s.opt.noCacheCount && u.Cached != 60 {
					t.Errorf("the usage is %+v, want 60 tokens that were cached, as the endpoint said", u)
				}
			})
		}
	}
}

func (s *suite) name(t *testing.T) {
	if s.model.Name() == "" {
		t.Error("the model has no name: logs and price tables need one")
	}
}

// settings checks that each setting of a caller reaches the endpoint or is refused; it must not be dropped
// silently.
func (s *suite) settings(t *testing.T) {
	hot := 0.625
	schema := `{"type":"object","properties":{"llmtest_days":{"type":"integer"}},"required":["llmtest_days"],"additionalProperties":false}`
	for name, c := range map[string]struct {
		change func(*llm.Request)
		sent   string
	}{
		"limit of tokens": {func(r *llm.Request) { r.MaxTokens = 7357 }, "7357"},
		"temperature":     {func(r *llm.Request) { r.Temperature = &hot }, "0.625"},
		"schema": {func(r *llm.Request) {
			r.Format = &llm.Format{Name: "answer", Schema: []byte(schema)}
		}, "llmtest_days"},
	} {
		t.Run(name, func(t *testing.T) {
			s.server.Answer(Reply{Content: `{"llmtest_days":7}`})
			req := question("hi")
			c.change(&req)
			_, err := s.model.Generate(t.Context(), req, nil)
			var call *llm.Error
			if errors.As(err, &call) && call.Kind == llm.ErrBadRequest {
				return // the model refuses the setting
			}
			if err != nil {
				t.Fatalf("a call with a %s failed: %v", name, err)
			}
			if bodies := s.server.Bodies(); !strings.Contains(bodies[len(bodies)-1], c.sent) {
				t.Errorf("the %s was dropped: %s is not in the request %s", name, c.sent, bodies[len(bodies)-1])
			}
		})
	}
}

// requests checks that a conversation is sent in full and, as it grows, unchanged.
func (s *suite) requests(t *testing.T) {
	s.server.Answer(Reply{Content: "a reply"})
	req := question("the first question")
	s.ask(t, req)
	req.Messages = append(req.Messages, llm.Message{
		Role: llm.Assistant, Content: "a reply", Parts: []llm.Part{{Kind: "unheard of", Data: "part-of-another"}},
	},
		llm.Message{Role: llm.User, Content: "the second question"})
	s.ask(t, req)
	bodies := s.server.Bodies()
	if len(bodies) != 2 {
		t.Fatalf("%d requests for two calls", len(bodies))
	}
	for _, text := range []string{"Be brief.", "the first question", "a reply", "the second question"} {
		if !strings.Contains(bodies[1], text) {
			t.Errorf("%q was not sent", text)
		}
	}
	if strings.Contains(bodies[1], "part-of-another") {
		t.Errorf("a part that the provider does not know was sent")
	}
	req.Messages[1].Content = ""
	s.ask(t, req)
}

// passing checks that temporary failures are retried, and that retries are reported.
func (s *suite) passing(t *testing.T) {
	if s.opt.tries < 2 {
		t.Skip("SKIP: the model never tries again")
	}
	for _, fault := range []Fault{Drop, Cut, ErrorEvent, Malformed, Hang} {
		t.Run(string(fault), func(t *testing.T) {
			if fault == Hang && s.opt.noHang {
				t.Skip("SKIP: the model has no deadline of its own for silence")
			}
			s.server.Answer(Reply{Content: strings.Repeat("broken ", 40), Fault: fault}, Reply{Content: "whole"})
			resp, h := s.ask(t, question("hi"))
			if resp.Content != "whole" || resp.Attempts != 2 || s.server.Calls() != 2 {
				t.Errorf("the reply %q after %d attempts and %d requests", resp.Content, resp.Attempts,
					s.server.Calls())
			}
			if h.retries != 1 || h.restarts > 1 {
				t.Errorf("the reader heard of %d retries and %d restarts, want one retry and at most one restart",
					h.retries, h.restarts)
			}
			if resp.Usage.Wasted <= 0 {
				t.Error("the tokens of the reply that broke off are not counted as wasted, though they may be charged")
			}
		})
	}
	for _, kind := range []llm.ErrorKind{llm.ErrRateLimit, llm.ErrUnavailable} {
		t.Run(string(kind), func(t *testing.T) {
			s.server.Answer(Reply{Failure: kind}, Reply{Content: "whole"})
			if resp, h := s.ask(t, question("hi")); resp.Content != "whole" || h.retries != 1 {
				t.Errorf("the reply %q after %d retries", resp.Content, h.retries)
			}
		})
	}
}

// staying checks that retries of a lasting failure end, and that a partial reply is never taken for a complete one.
func (s *suite) staying(t *testing.T) {
	for _, reply := range []Reply{
		{Failure: llm.ErrRateLimit},
		{Failure: llm.ErrUnavailable},
		{Content: strings.Repeat("broken ", 40), Fault: Drop},
		{Content: strings.Repeat("broken ", 40), Fault: Cut},
	} {
		s.server.Answer(reply)
		want := llm.ErrUnavailable
		if reply.Failure != "" {
			want = reply.Failure
		}
		s.fail(t, t.Context(), want)
		if n := s.server.Calls(); n != s.opt.tries {
			t.Errorf("%d requests for a call that cannot succeed, want %d", n, s.opt.tries)
		}
	}
}

// failures checks that permanent failures are not retried, and have the right kind.
func (s *suite) failures(t *testing.T) {
	for _, kind := range []llm.ErrorKind{llm.ErrAuth, llm.ErrQuota, llm.ErrContextTooLong, llm.ErrBadRequest} {
		t.Run(string(kind), func(t *testing.T) {
			s.server.Answer(Reply{Failure: kind})
			s.fail(t, t.Context(), kind)
			if n := s.server.Calls(); n != 1 {
				t.Errorf("%d requests for a failure that no retry can fix", n)
			}
		})
	}
}

// patience checks that the model respects a wait that the endpoint asks for.
func (s *suite) patience(t *testing.T) {
	if s.opt.tries < 2 {
		t.Skip("SKIP: the model never tries again")
	}
	const wait = time.Second
	s.server.Answer(Reply{Failure: llm.ErrRateLimit, RetryAfter: wait}, Reply{Content: "ok"})
	began := time.Now()
	s.ask(t, question("hi"))
	if took := time.Since(began); took < wait {
		t.Errorf("the call was tried again after %v, though the endpoint asked to wait %v", took, wait)
	}
}

func (s *suite) cancelled(t *testing.T) {
	s.server.Answer(Reply{Content: "never asked for"})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s.fail(t, ctx, llm.ErrCancelled)
	if s.opt.noHang {
		return
	}
	s.server.Answer(Reply{Content: strings.Repeat("slow ", 40), Fault: Hang})
	ctx, cancel = context.WithCancel(t.Context())
	defer cancel()
	var once sync.Once
	_, err := s.model.Generate(ctx, question("hi"), func(llm.Delta) { once.Do(cancel) })
	var call *llm.Error
	if n := s.server.Calls(); n != 1 {
		t.Errorf("%d requests for a call that its caller ended during the first", n)
	}
	if !errors.As(err, &call) || call.Kind != llm.ErrCancelled {
		t.Errorf("a call that its caller ended failed with %v", err)
	}
}

func (s *suite) manyAtOnce(t *testing.T) {
	s.server.Answer(Reply{Content: strings.Repeat("one of many ", 20)})
	var wg sync.WaitGroup
	errs := make(chan error, 16)
	for range cap(errs) {
		wg.Go(func() {
			h := &heard{}
			resp, err := s.model.Generate(t.Context(), question("hi"), h.on)
			if err == nil && h.content != resp.Content {
				err = errors.New("the pieces of several calls got mixed up")
			}
			errs <- err
		})
	}
	wg.Wait()
	close(errs)
	for err := range errs {
		if err != nil {
			t.Error(err)
		}
	}
}
