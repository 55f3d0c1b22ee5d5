package runner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/gorlm/rlm/internal/builtins"
	"github.com/gorlm/rlm/internal/kit/units"
	"github.com/gorlm/rlm/runner/internal/budget"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/sandbox"
)

// query asks a model a single question.
func (s *subcall) query(ctx context.Context, prompt string) sandbox.Reply {
	var opt builtins.CallOptions
	if len(s.call.Options) > 0 {
		if err := json.Unmarshal(s.call.Options, &opt); err != nil {
			return s.refuse(fmt.Sprintf("the options of this call cannot be read: %v", err))
		}
	}
	model, window, err := s.chosen(opt.Model)
	if err != nil {
		return s.refuse(err.Error())
	}
	req := s.request(prompt, opt)
	if err := fits(model, window, req); err != nil {
		return s.refuse(err.Error())
	}
	start := trajectory.SubCallStarted{Impl: s.call.Impl, Model: model.Name(), Prompt: trajectory.T(prompt)}
	if !s.cfg.Memo && !opt.Memo {
		return s.pay(ctx, start, model, req)
	}
	start.Memo = memoKey(model, s.call.Options, prompt)
	return s.memo.do(ctx, start.Memo, func() sandbox.Reply {
		return s.pay(ctx, start, model, req)
	}, func(rep sandbox.Reply) sandbox.Reply {
		if err := s.open(start); err != nil {
			return unwound(err)
		}
		return s.close(rep, trajectory.SubCallEnded{Model: model.Name(), Cached: true})
	})
}

// chosen returns the model for a sub-call, which is always one that the run was given, and the model's window in
// tokens.
func (s *subcall) chosen(name string) (llm.Model, int64, error) {
	if name == "" {
		return s.cfg.sub, windowOf(s.cfg.sub, s.cfg.SubWindow), nil
	}
	m, ok := s.cfg.models[name]
	switch {
	case !ok:
		return nil, 0, fmt.Errorf("there is no model %q here; there are: %s", name,
			strings.Join(slices.Sorted(maps.Keys(s.cfg.models)), ", "))
	case name == s.cfg.sub.Name():
		return m, windowOf(m, s.cfg.SubWindow), nil
	}
	return m, windowOf(m, 0), nil
}

func (s *subcall) request(prompt string, opt builtins.CallOptions) llm.Request {
	set := s.cfg.SubCall
	req := llm.Request{
		Temperature: set.Temperature, MaxTokens: s.replyTokens(opt.MaxTokens), ReasoningEffort: set.ReasoningEffort,
		Once: true,
		Key:  llm.Key{Path: s.key.Path, Cell: s.key.Cell, Hash: s.key.Hash, N: s.key.N},
	}
	if opt.Temperature != nil {
		req.Temperature = opt.Temperature
	}
	if opt.Format != nil {
		req.Format = &llm.Format{Name: opt.Format.Name, Schema: opt.Format.Schema}
	}
	if opt.System != "" {
		req.Messages = append(req.Messages, llm.Message{Role: llm.System, Content: opt.System})
	}
	req.Messages = append(req.Messages, llm.Message{Role: llm.User, Content: prompt})
	return req
}

// replyTokens bounds the reply of a sub-call. A cell may ask for less than the user's setting, never for more.
func (s *subcall) replyTokens(asked int) int {
	most := s.cfg.SubCall.MaxTokens
	if asked <= 0 {
		return most
	}
	if most > 0 {
		asked = min(asked, most)
	}
	return asked
}

// fits refuses a prompt that is too long for the model before anything is paid; the error has the size and the
// limit.
func fits(model llm.Model, window int64, req llm.Request) error {
	if window == 0 {
		return nil
	}
	tokens := llm.EstimateMessages(req.Messages)
	if tokens <= window {
		return nil
	}
	chars := 0
	for _, m := range req.Messages {
		chars += len(m.Content)
	}
	err := fmt.Errorf("the prompt is too long for %s: %d characters, about %d tokens, and it takes at most %d tokens, about %s characters; split the text into pieces and ask about each",
		model.Name(), chars, tokens, window, units.Count(capacity(window)))
	if likely := capacity(window); int64(chars)*window/tokens < likely*3/4 {
		err = fmt.Errorf("%w, smaller ones than usual: this text has many tokens for its size", err)
	}
	return err
}

// pay makes the call, within the budget and the bound on concurrent calls; the reply is durable before the cell
// gets it.
func (s *subcall) pay(
	ctx context.Context, start trajectory.SubCallStarted, model llm.Model, req llm.Request,
) sandbox.Reply {
	if err := acquire(ctx, s.slots); err != nil {
		return unwound(cause(ctx, err))
	}
	h, err := s.lease.Reserve(ctx, model.Name(), llm.EstimateMessages(req.Messages), int64(req.MaxTokens), true)
	if err != nil {
		<-s.slots
		var lim *budget.Limit
		if errors.As(err, &lim) {
			return s.refused(start, lim)
		}
		return unwound(err)
	}
	req.MaxTokens = int(h.Reply)
	call := budget.Call{Path: s.path, Model: model.Name()}
	c := modelCall{run: s.run, turn: s.turn, cell: s.key.Cell, asked: model.Name()}
	c.countInterrupted(s.key, req)
	if err := s.open(start); err != nil {
		<-s.slots
		s.lease.Settle(h, call)
		return unwound(err)
	}
	began := time.Now()
	resp, err := c.generate(ctx, model, req, func(llm.Delta) {})
	call.Took = time.Since(began)
	<-s.slots // the next call need not wait for the disk
	if err != nil && ctx.Err() != nil {
		c.lose(h, lostStopped, c.lost(err), call.Took)
		return unwound(cause(ctx, ctx.Err()))
	}
	if err != nil {
		call.Usage = c.lost(err)
		if s.lease.Settle(h, call) {
			s.warnUnpriced(s.turn, model, model.Name())
		}
		text, kind := callError(err)
		return s.close(sandbox.Reply{Error: text},
			trajectory.SubCallEnded{Model: model.Name(), Usage: call.Usage, Duration: call.Took, ErrorKind: kind})
	}
	call.Usage, call.Model = c.priced(resp)
	if s.lease.Settle(h, call) {
		s.warnUnpriced(s.turn, model, resp.Model)
	}
	_ = s.lease.Record(int64(len(resp.Content))) // the reply is paid for, so it is recorded in any case
	return s.close(sandbox.Reply{Body: []byte(resp.Content)}, trajectory.SubCallEnded{
		Model: resp.Model, Usage: call.Usage, Duration: call.Took, Attempts: resp.Attempts,
		FinishReason: resp.FinishReason,
	})
}
