package openai

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/gorlm/rlm/runner"
)

// ask is a request for an answer, in the form that chat completions and responses have in common.
type ask struct {
	who      Caller
	kind     string // prefix of the ids of its answers
	model    string // model name in the request
	messages []message
	extra    extra
	schema   string // JSON Schema of the answer; empty: any answer
	replies  int64  // maximum number of tokens of all replies
	effort   string
	heat     *float64

	previous     string // id of the response that this one continues
	conversation string
	background   bool
	unstored     bool // the client will not retrieve the answer later
	stream       bool
	usage        bool // send the usage at the end of a chat's stream
	metadata     map[string]string
	instructions string

	key string // idempotency key
	sum string // hash of the body
	// admitted is called with the answer's id once the run may begin. It opens events if the request is for a
	// stream; whoever receives the run must close it.
	id       string
	admitted func(id string)
	events   *stream
	held     *body // the body with its long texts; nil if there is none
	ignored  []string
	sdk      bool          // the client retries automatically and reports its retries
	again    bool          // the request is such a retry
	came     time.Time     // when the request arrived
	waits    time.Duration // how long the client waits for the answer; 0: unknown
}

// release frees the body of the request.
func (q *ask) release() {
	if q.held != nil {
		_ = q.held.Close() // nothing was written
	}
}

// extra is the member "rlm" of a request: options for which OpenAI's API has no field. Its budgets can only lower
// the server's limits.
type extra struct {
	Model        string   `json:"model,omitempty"`
	SubModel     string   `json:"sub_model,omitempty"`
	Files        []string `json:"files,omitempty"` // ids of uploaded files
	Conversation string   `json:"conversation,omitempty"`
	Background   bool     `json:"background,omitempty"`
	Empty        bool     `json:"empty,omitempty"` // do not use the server's default inputs
	MaxCost      float64  `json:"max_cost,omitempty"`
	MaxSeconds   float64  `json:"max_seconds,omitempty"`
	MaxTurns     int      `json:"max_turns,omitempty"`
	MaxSubCalls  int64    `json:"max_sub_calls,omitempty"`
	MaxTokens    int64    `json:"max_tokens,omitempty"`
	MaxDepth     *int     `json:"max_depth,omitempty"`
}

// take reads a request for an answer and begins its run. only reads the fields that just one kind of request has.
// The caller must leave the run, and close the stream if there is one.
func (a *API) take(
	w http.ResponseWriter, r *http.Request, kind string, known fields, only func(*ask, *request) error) (
	*run, *stream, error,
) {
	in, err := a.read(w, r, known)
	if err != nil {
		return nil, nil, err
	}
	q, err := a.newAsk(r, kind, in)
	if err == nil {
		err = only(q, in)
	}
	var run *run
	if err == nil {
		q.admitted = func(id string) { // before the run is set up, which takes time
			w.Header().Set("X-Request-Id", id)
			if len(q.ignored) > 0 {
				w.Header().Set("Rlm-Ignored", strings.Join(q.ignored, ", "))
			}
			if q.stream {
				q.events = newStream(w)
			}
		}
		run, err = a.begin(r.Context(), q)
	}
	if err != nil || run.ask != q { // otherwise the run closes it
		_ = in.body.Close() // nothing was written
	}
	switch {
	case err != nil && q != nil && q.events != nil:
		q.events.fail(kind, err)
		return nil, nil, errSent
	case err != nil:
		return nil, nil, err
	case run.notebook != "" && q.events == nil:
		w.Header().Set("Rlm-Notebook", run.notebook)
	}
	if q.stream && q.events == nil { // an earlier request began the run
		q.admitted(run.turn.ID)
	}
	return run, q.events, nil
}

// newAsk reads the fields that both kinds of requests have.
func (a *API) newAsk(r *http.Request, kind string, in *request) (*ask, error) {
	q := &ask{
		who: a.cfg.Who(r), kind: kind, key: r.Header.Get("Idempotency-Key"), held: in.body,
		sum:     in.body.sum + r.PathValue("deployment"),
		ignored: in.ignored, came: time.Now(),
	}
	if count := r.Header.Get("X-Stainless-Retry-Count"); count != "" {
		seconds, err := strconv.Atoi(r.Header.Get("X-Stainless-Timeout"))
		if q.sdk, q.again = true, count != "0"; err == nil {
			q.waits = max(1, time.Duration(seconds)*time.Second)
		}
	}
	for name, v := range map[string]any{
		"model": &q.model, "stream": &q.stream, "metadata": &q.metadata, "temperature": &q.heat, "rlm": &q.extra,
		"background":   &q.background,
		"instructions": &q.instructions, "previous_response_id": &q.previous,
	} {
		if err := value(in.fields, name, v); err != nil {
			return nil, err
		}
	}
	q.model = cmp.Or(r.PathValue("deployment"), q.model)
	if q.model == "" {
		return nil, wrong("model", "you must provide a model parameter: rlm, or one of /v1/models")
	}
	q.conversation, q.background = q.extra.Conversation, q.background || q.extra.Background
	name, err := a.named(q.model)
	if err == nil && q.extra.Model == "" {
		q.extra.Model = name
	}
	if err == nil {
		err = a.configured("rlm.model", q.extra.Model)
	}
	if err == nil {
		err = a.configured("rlm.sub_model", q.extra.SubModel)
	}
	if err == nil && a.cfg.NoModel != "" && q.extra.Model == "" {
		err = &Failure{Status: http.StatusServiceUnavailable, Code: "no_model", Message: a.cfg.NoModel, Once: true}
	}
	if err == nil {
		err = q.checkExtra()
	}
	return q, err
}

func (q *ask) checkExtra() error {
	x := q.extra
	switch {
	case x.MaxCost < 0 || x.MaxSeconds < 0 || x.MaxTurns < 0 || x.MaxSubCalls < 0 || x.MaxTokens < 0 ||
		x.MaxDepth != nil && *x.MaxDepth < 0:
		return wrong("rlm", "the budgets of 'rlm' must be positive numbers")
	case q.heat != nil && (*q.heat < 0 || *q.heat > 2):
		return wrong("temperature", "'temperature' must be between 0 and 2")
	case len(q.metadata) > 16:
		return wrong("metadata", "'metadata' can have at most 16 pairs")
	case len(x.Files) > mostFiles:
		return wrong("rlm.files", fmt.Sprintf("'rlm.files' can have at most %d files", mostFiles))
	}
	return checkConversation(q.conversation)
}

func checkConversation(id string) error {
	if len(id) > 128 || strings.ContainsFunc(id, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return wrong("conversation", "a conversation id must have at most 128 characters and no spaces")
	}
	return nil
}

// spoken names the field of a request with its messages.
func (q *ask) spoken() string {
	if q.kind == "resp_" {
		return "input"
	}
	return "messages"
}

// check returns an error unless the conversation ends with a question.
func (q *ask) check() error {
	if len(q.messages) == 0 || q.messages[len(q.messages)-1].role != roleUser {
		return wrong(q.spoken(), "the last message must be the user's question")
	}
	return nil
}

// options returns the options of the run, in addition to the session's.
func (a *API) options(ctx context.Context, q *ask, system string) ([]runner.Option, error) {
	call, sub := a.cfg.Call, a.cfg.SubCall
	if q.heat != nil {
		call.Temperature = q.heat
	}
	if q.effort != "" {
		call.ReasoningEffort = q.effort
	}
	system = strings.TrimSpace(a.cfg.System + "\n\n" + system)
	opts := []runner.Option{runner.WithSystem(system), runner.WithCallSettings(call, sub)}
	if q.extra.Model != "" {
		m, err := a.cfg.Model(ctx, q.extra.Model)
		if err != nil {
			return nil, err
		}
		opts = append(opts, runner.WithModel(m))
	}
	if q.extra.SubModel != "" {
		m, err := a.cfg.Model(ctx, q.extra.SubModel)
		if err != nil {
			return nil, err
		}
		opts = append(opts, runner.WithSubModel(m))
	}
	return opts, nil
}

// lowered returns b, or lower budgets if the request asks for those or left, the rest of the day's budget, is
// lower. A request's limit of 0 means no limit, and so does a negative left.
func (q *ask) lowered(b runner.Budgets, left float64) runner.Budgets {
	lower(&b.Cost, q.extra.MaxCost)
	lower(&b.Time, time.Duration(q.extra.MaxSeconds*float64(time.Second)))
	lower(&b.Iterations, q.extra.MaxTurns)
	lower(&b.SubCalls, q.extra.MaxSubCalls)
	lower(&b.Tokens, q.extra.MaxTokens)
	lower(&b.Completion, q.replies)
	if left >= 0 {
		lower(&b.Cost, max(left, 1e-9))
	}
	if d := q.extra.MaxDepth; d != nil && *d < b.Depth {
		b.Depth = *d
	}
	return b.Unbounded()
}

func lower[N int | int64 | float64 | time.Duration](n *N, to N) {
	if to > 0 && (*n == 0 || to < *n) {
		*n = to
	}
}

// newID returns a unique id. The prefix names its kind.
func newID(prefix string) string {
	b := make([]byte, 16)
	_, _ = rand.Read(b) // never fails
	return prefix + hex.EncodeToString(b)
}

// documentName checks the name of a document that is part of a request. It is only a label: no file of that name is
// opened.
func documentName(name string) (string, error) {
	name = strings.TrimSpace(strings.ReplaceAll(name, `\`, "/"))
	bad := strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f || r == utf8.RuneError })
	if name == "" || len(name) > 500 || bad {
		return "", wrong("filename", "a file name must have 1 to 500 bytes and no control characters")
	}
	return name, nil
}
