package llm

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"time"
	"unicode/utf8"
)

// ScriptedModel is a model with prepared replies, for tests, demos and benchmarks. It is safe for concurrent use.
type ScriptedModel struct {
	name  string
	reply func(ctx context.Context, req Request, n int) (Response, error)

	mu       sync.Mutex
	requests []Request
}

// NewScripted makes a model that answers the n-th call with the n-th reply, in order of arrival, and fails with
// ErrNotRecorded when the replies run out.
func NewScripted(name string, replies ...string) *ScriptedModel {
	return ScriptedFunc(name, func(_ context.Context, _ Request, n int) (Response, error) {
		if n >= len(replies) {
			return Response{}, &Error{Kind: ErrNotRecorded, Message: fmt.Sprintf(
				"the scripted model %s has only %d replies, but was asked again", name, len(replies))}
		}
		return Response{Content: replies[n]}, nil
	})
}

// ScriptedFunc makes a model that computes each reply. n counts the calls from 0. Empty fields of the Response
// (finish reason, model, usage, attempts, duration) are filled in, the usage with an estimate.
func ScriptedFunc(name string, reply func(ctx context.Context, req Request, n int) (Response, error)) *ScriptedModel {
	return &ScriptedModel{name: name, reply: reply}
}

// Name is the model's name.
func (s *ScriptedModel) Name() string { return s.name }

// Requests returns the requests so far, in order of arrival.
func (s *ScriptedModel) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.requests...)
}

// Generate answers from the script. The reply is streamed in two pieces, cut between characters.
func (s *ScriptedModel) Generate(ctx context.Context, req Request, on func(Delta)) (Response, error) {
	if err := ctx.Err(); err != nil {
		return Response{}, cancelled(err)
	}
	s.mu.Lock()
	n := len(s.requests)
	s.requests = append(s.requests, req)
	s.mu.Unlock()

	start := time.Now()
	resp, err := s.reply(ctx, req, n)
	if err != nil {
		return Response{}, err
	}
	complete(&resp, s.name, req, time.Since(start))
	streamWhole(resp, on)
	return resp, nil
}

// complete fills in the missing fields of a reply that came from no endpoint.
func complete(resp *Response, name string, req Request, took time.Duration) {
	resp.FinishReason = cmp.Or(resp.FinishReason, "stop")
	resp.Model = cmp.Or(resp.Model, name)
	resp.Attempts = cmp.Or(resp.Attempts, 1)
	resp.Duration = cmp.Or(resp.Duration, took)
	if resp.Usage == (Usage{}) {
		resp.Usage = Usage{
			Prompt:     req.tokens(),
			Completion: EstimateTokens(resp.Content) + EstimateTokens(resp.Reasoning),
			Reasoning:  EstimateTokens(resp.Reasoning),
			Estimated:  true,
		}
	}
}

// streamWhole delivers a complete reply in pieces.
func streamWhole(resp Response, on func(Delta)) {
	if on == nil {
		return
	}
	if resp.Reasoning != "" {
		on(Delta{Reasoning: resp.Reasoning})
	}
	half := len(resp.Content) / 2
	for half < len(resp.Content) && !utf8.RuneStart(resp.Content[half]) {
		half++
	}
	for _, piece := range []string{resp.Content[:half], resp.Content[half:]} {
		if piece != "" {
			on(Delta{Content: piece})
		}
	}
}
