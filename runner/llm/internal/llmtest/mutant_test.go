package llmtest_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/gorlm/rlm/runner/llm"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// broken is one way to break the contract, with the subtest that finds it and the message.
type broken struct {
	name, subtest, says string

	tries   int
	hasty   bool
	request func(llm.Request) llm.Request
	piece   func(llm.Delta) llm.Delta
	reply   func(llm.Response) llm.Response
	failure func(*llm.Error) error
	call    func(m *mutant, ctx context.Context, req llm.Request, on func(llm.Delta)) (llm.Response, error)
}

var mutants = []broken{
	{name: "no name", subtest: "name", says: "has no name", call: generate},
	{name: "loses the end", subtest: "whole_replies", says: "the pieces make up", piece: func(d llm.Delta) llm.Delta {
		d.Content = strings.TrimSuffix(d.Content, "x")
		return d
	}},
	{name: "other text", subtest: "whole_replies", says: "the reply is", reply: func(r llm.Response) llm.Response {
		r.Content += "!"
		return r
	}},
	{name: "no thoughts", subtest: "whole_replies", says: "the reasoning is", reply: func(r llm.Response) llm.Response {
		r.Reasoning = ""
		return r
	}, piece: func(d llm.Delta) llm.Delta { d.Reasoning = ""; return d }},
	{
		name: "always stop", subtest: "whole_replies", says: "the finish reason is",
		reply: func(r llm.Response) llm.Response { r.FinishReason = "stop"; return r },
	},
	{name: "no usage", subtest: "requests", says: "must be estimated", reply: func(r llm.Response) llm.Response {
		r.Usage = llm.Usage{}
		return r
	}},
	{
		name: "no cached tokens", subtest: "whole_replies", says: "tokens that were cached",
		reply: func(r llm.Response) llm.Response { r.Usage.Cached = 0; return r },
	},
	{name: "half for whole", subtest: "faults_that_stay", says: "gave the reply", call: halfForWhole},
	{name: "gives up", subtest: "faults_that_pass", says: "should succeed failed", tries: 1},
	{name: "never gives up", subtest: "faults_that_stay", says: "requests for a call that cannot succeed", tries: 7},
	{name: "no restart", subtest: "faults_that_pass", says: "the pieces make up", piece: func(d llm.Delta) llm.Delta {
		d.Restart = false
		return d
	}},
	{
		name: "no word of retries", subtest: "faults_that_pass", says: "heard of 0 retries",
		piece: func(d llm.Delta) llm.Delta { d.Retry = nil; return d },
	},
	{
		name: "wastes in silence", subtest: "faults_that_pass", says: "not counted as wasted",
		reply: func(r llm.Response) llm.Response { r.Usage.Wasted = 0; return r },
	},
	{
		name: "miscounts attempts", subtest: "faults_that_pass", says: "after 1 attempts",
		reply: func(r llm.Response) llm.Response { r.Attempts = 1; return r },
	},
	{name: "hasty", subtest: "patience", says: "though the endpoint asked to wait", hasty: true},
	{name: "tries the hopeless", subtest: "failures", says: "no retry can fix", call: twice},
	{
		name: "wrong kind", subtest: "failures", says: "the kind of failure is bad_request, want quota",
		failure: func(e *llm.Error) error {
			if e.Kind == llm.ErrQuota {
				e.Kind = llm.ErrBadRequest
			}
			return e
		},
	},
	{name: "plain errors", subtest: "failures", says: "is not an *llm.Error", failure: func(e *llm.Error) error {
		return errors.New(e.Message)
	}},
	{name: "tells the key", subtest: "failures", says: "the key is in the error", failure: func(e *llm.Error) error {
		e.Message += ownKey
		return e
	}},
	{name: "many lines", subtest: "failures", says: "an error is one line", failure: func(e *llm.Error) error {
		e.Message += "\nmore"
		return e
	}},
	{
		name: "deaf to its caller", subtest: "cancelled", says: "must fail as cancelled",
		call: func(m *mutant, ctx context.Context, req llm.Request, on func(llm.Delta)) (llm.Response, error) {
			return m.own.Generate(context.WithoutCancel(ctx), req, on)
		},
	},
	{
		name: "drops the system", subtest: "requests", says: `"Be brief." was not sent`,
		request: func(r llm.Request) llm.Request { r.Messages = r.Messages[1:]; return r },
	},
	{
		name: "sends strange parts", subtest: "requests", says: "does not know was sent",
		request: func(r llm.Request) llm.Request {
			r.Messages = append([]llm.Message(nil), r.Messages...)
			for i, m := range r.Messages {
				for _, p := range m.Parts {
					r.Messages[i].Content += p.Data
				}
			}
			return r
		},
	},
	{
		name: "changes the request", subtest: "requests", says: "changed the request",
		request: func(r llm.Request) llm.Request { r.Messages[0].Content += " Be brief."; return r },
	},
	{
		name: "drops the limit", subtest: "settings", says: "the limit of tokens was dropped",
		request: func(r llm.Request) llm.Request { r.MaxTokens = 0; return r },
	},
	{
		name: "drops the temperature", subtest: "settings", says: "the temperature was dropped",
		request: func(r llm.Request) llm.Request { r.Temperature = nil; return r },
	},
	{
		name: "drops the schema", subtest: "settings", says: "the schema was dropped",
		request: func(r llm.Request) llm.Request { r.Format = nil; return r },
	},
	{name: "talks on", subtest: "requests", says: "after Generate has returned", call: talkOn},
	{name: "mixes calls up", subtest: "many_at_once", says: "got mixed up", call: mixUp},
}

// mutant is the provider own, broken in one way.
type mutant struct {
	own  *own
	how  broken
	last func(llm.Delta)
	all  atomic.Int64
}

func (m *mutant) Name() string {
	if m.how.name == "no name" {
		return ""
	}
	return m.own.Name()
}

func (m *mutant) Generate(ctx context.Context, req llm.Request, on func(llm.Delta)) (llm.Response, error) {
	if m.how.request != nil {
		req = m.how.request(req)
	}
	hear := on
	if hear == nil {
		hear = func(llm.Delta) {}
	}
	if piece := m.how.piece; piece != nil {
		on := hear
		hear = func(d llm.Delta) { on(piece(d)) }
	}
	call := m.how.call
	if call == nil {
		call = generate
	}
	resp, err := call(m, ctx, req, hear)
	if failed := (*llm.Error)(nil); errors.As(err, &failed) && m.how.failure != nil {
		return resp, m.how.failure(failed)
	}
	if err == nil && m.how.reply != nil {
		resp = m.how.reply(resp)
	}
	return resp, err
}

func generate(m *mutant, ctx context.Context, req llm.Request, on func(llm.Delta)) (llm.Response, error) {
	return m.own.Generate(ctx, req, on)
}

func halfForWhole(m *mutant, ctx context.Context, req llm.Request, on func(llm.Delta)) (llm.Response, error) {
	said := ""
	resp, err := m.own.Generate(ctx, req, func(d llm.Delta) { said += d.Content; on(d) })
	if err != nil && said != "" {
		return llm.Response{Content: said, FinishReason: "stop", Model: "own-1", Attempts: 1}, nil
	}
	return resp, err
}

func twice(m *mutant, ctx context.Context, req llm.Request, on func(llm.Delta)) (llm.Response, error) {
	if resp, err := m.own.Generate(ctx, req, on); err == nil {
		return resp, nil
	}
	return m.own.Generate(ctx, req, on)
}

// talkOn passes a piece to the reader of the previous call.
func talkOn(m *mutant, ctx context.Context, req llm.Request, on func(llm.Delta)) (llm.Response, error) {
	if m.last != nil {
		m.last(llm.Delta{Content: "late"})
	}
	m.last = on
	return m.own.Generate(ctx, req, on)
}

// mixUp passes each call, except for the first eight, a piece of another call's reply.
func mixUp(m *mutant, ctx context.Context, req llm.Request, on func(llm.Delta)) (llm.Response, error) {
	if m.all.Add(1) > 8 {
		on(llm.Delta{Content: "of another"})
	}
	return m.own.Generate(ctx, req, on)
}

// Each violation of the contract is caught, and the failure states it: the suite runs in a separate process
// against each mutant of a provider that passes.
func TestEachFaultIsCaught(t *testing.T) {
	t.Parallel()
	for _, m := range mutants {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestOwnProvider$/^"+m.subtest+"$")
			cmd.Env = append(os.Environ(), "RLM_MUTANT="+m.name)
			out, err := cmd.CombinedOutput()
			var ended *exec.ExitError
			require.ErrorAs(t, err, &ended, "the suite passes a provider that is broken so:\n%s", out)
			assert.Contains(t, string(out), m.says)
		})
	}
}
