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

	"github.com/gorlm/rlm/repl/builtins"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/sandbox"
)

// What a cell can ask for, as builtins.Call.Impl names it.
const (
	implQuery = "llm_query"
	implChild = "rlm_query"
	implTool  = "tool"
	// implAnswer is the answer variable.
	implAnswer = "answer"
)

// answer answers a call of a cell: from the log if it was answered before, else by a model, a child run or a tool. It is called from several goroutines.
func (r *run) answer(ctx context.Context, turn int, c sandbox.Call) sandbox.Reply {
	key := callKey{r.path, c.Cell, c.Hash, c.N}
	if d, ok := r.journal.answered(key); ok {
		return recordedReply(d)
	}
	ctx, cancel := r.untilTimeIsUp(ctx)
	defer cancel()
	s := &subcall{run: r, turn: turn, key: key, call: c}
	switch c.Impl {
	case implTool:
		return s.tool(ctx)
	case implChild:
		if r.depth < r.bounds.Depth {
			return s.child(ctx)
		}
		return s.fallback(ctx)
	case implQuery:
		return s.query(ctx, string(c.Body))
	default:
		return sandbox.Reply{Error: fmt.Sprintf("this program knows nothing of %q", c.Impl)}
	}
}

// printed shows what a cell prints while it prints.
func (r *run) printed(turn, cell int, text []byte) {
	r.journal.show(r.path, turn, trajectory.CellPrinted{Cell: cell, Text: strings.ToValidUTF8(string(text), "\uFFFD")})
}

// subcall is one call on its way.
type subcall struct {
	*run
	turn  int // in which it was made; it may outlive its cell
	key   callKey
	call  sandbox.Call
	began time.Time
}

// query asks a model once.
func (s *subcall) query(ctx context.Context, prompt string) sandbox.Reply {
	var opt builtins.CallOptions
	if len(s.call.Options) > 0 {
		if err := json.Unmarshal(s.call.Options, &opt); err != nil {
			return sandbox.Reply{Error: fmt.Sprintf("the options of this call cannot be read: %v", err)}
		}
	}
	model, err := s.chosen(opt.Model)
	if err != nil {
		return sandbox.Reply{Error: err.Error()}
	}
	req := s.request(prompt, opt)
	if err := s.fits(model, req); err != nil {
		return sandbox.Reply{Error: err.Error()}
	}
	start := trajectory.SubCallStarted{Impl: s.call.Impl, Model: model.Name(), Prompt: trajectory.T(prompt)}
	if !s.cfg.Memo && !opt.Memo {
		return s.pay(ctx, start, model, req)
	}
	start.Memo = memoKey(model, s.call.Options, prompt)
	return s.memo.do(ctx, start.Memo, func() sandbox.Reply { return s.pay(ctx, start, model, req) }, func(rep sandbox.Reply) sandbox.Reply {
		if err := s.open(start); err != nil {
			return unwound(err)
		}
		return s.close(rep, trajectory.SubCallEnded{Model: model.Name(), Cached: true})
	})
}

// chosen is the model of a sub-call: one of those that the run was given, never another.
func (s *subcall) chosen(name string) (llm.Model, error) {
	if name == "" {
		return s.cfg.sub, nil
	}
	if m, ok := s.cfg.models[name]; ok {
		return m, nil
	}
	return nil, fmt.Errorf("there is no model %q here; there are: %s", name, strings.Join(slices.Sorted(maps.Keys(s.cfg.models)), ", "))
}

func (s *subcall) request(prompt string, opt builtins.CallOptions) llm.Request {
	set := s.cfg.SubCall
	req := llm.Request{
		Temperature: set.Temperature, MaxTokens: set.MaxTokens, ReasoningEffort: set.ReasoningEffort,
		Key: llm.Key{Path: s.key.path, Cell: s.key.cell, Hash: s.key.hash, N: s.key.n},
	}
	if opt.Temperature != nil {
		req.Temperature = opt.Temperature
	}
	if opt.MaxTokens > 0 {
		req.MaxTokens = opt.MaxTokens
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

// fits refuses a prompt that is too long for the model, before anything is paid for, with the size and the limit.
func (s *subcall) fits(model llm.Model, req llm.Request) error {
	window := s.cfg.window(model, true)
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
	return fmt.Errorf("the prompt is too long for %s: %d characters, about %d tokens, and it takes at most %d tokens, about %d characters; split the text into pieces and ask about each",
		model.Name(), chars, tokens, window, int64(chars)*window/tokens)
}

// pay makes the call: within the budget, at most so many at once, its reply durable before the cell gets it.
func (s *subcall) pay(ctx context.Context, start trajectory.SubCallStarted, model llm.Model, req llm.Request) sandbox.Reply {
	if err := acquire(ctx, s.slots); err != nil {
		return unwound(cause(ctx, err))
	}
	h, lim := s.lease.reserve(model.Name(), llm.EstimateMessages(req.Messages), true)
	if lim != nil {
		<-s.slots
		return s.refused(start, lim)
	}
	if err := s.open(start); err != nil {
		<-s.slots
		s.lease.settle(h, model.Name(), trajectory.Usage{}, 0)
		return unwound(err)
	}
	began := time.Now()
	resp, err := model.Generate(ctx, req, func(d llm.Delta) {
		if d.Retry != nil {
			s.journal.retried(s.path, s.turn, retried(s.key.cell, model, d.Retry))
		}
	})
	took := time.Since(began)
	<-s.slots // the next call need not wait for the disk
	if err != nil {
		s.lease.settle(h, model.Name(), trajectory.Usage{}, took)
		if ctx.Err() != nil {
			return unwound(cause(ctx, ctx.Err()))
		}
		return s.close(sandbox.Reply{Error: callError(err)}, trajectory.SubCallEnded{Model: model.Name(), Duration: took})
	}
	u := priced(s.cfg.prices, model.Name(), resp)
	if s.lease.settle(h, resp.Model, u, took) {
		s.warnUnpriced(s.turn, resp.Model)
	}
	return s.close(sandbox.Reply{Body: []byte(resp.Content)}, trajectory.SubCallEnded{
		Model: resp.Model, Usage: u, Duration: took, Attempts: resp.Attempts, FinishReason: resp.FinishReason,
	})
}

// callError is a failed call in words for the model that asked for it.
func callError(err error) string {
	var call *llm.Error
	if errors.As(err, &call) {
		return fmt.Sprintf("%s (%s)", call.Error(), call.Kind)
	}
	return err.Error()
}

// refused records that the budget did not allow a call: a replay of the cell must find the same.
func (s *subcall) refused(start trajectory.SubCallStarted, lim *limit) sandbox.Reply {
	if err := s.open(start); err != nil {
		return unwound(err)
	}
	return s.close(sandbox.Reply{Error: lim.Error(), Unwind: true}, trajectory.SubCallEnded{})
}

// open records that the call is about to be made. A call that was under way when the run was interrupted is in the log already.
func (s *subcall) open(d trajectory.SubCallStarted) error {
	s.began = time.Now()
	if s.journal.begun(s.key) {
		return nil
	}
	d.Cell, d.Hash, d.N, d.Tool = s.key.cell, s.key.hash, s.key.n, s.call.Tool
	d.Batch, d.Index, d.Size = s.call.Batch.ID, s.call.Batch.Index, s.call.Batch.Size
	return s.journal.post(s.path, s.turn, d)
}

// close records a reply and returns it once it is durable.
func (s *subcall) close(rep sandbox.Reply, d trajectory.SubCallEnded) sandbox.Reply {
	d.Cell, d.Hash, d.N = s.key.cell, s.key.hash, s.key.n
	d.Reply, d.Error, d.Unwind = trajectory.T(string(rep.Body)), rep.Error, rep.Unwind
	if d.Duration == 0 {
		d.Duration = time.Since(s.began)
	}
	if err := s.journal.append(s.path, s.turn, d); err != nil {
		return unwound(err)
	}
	return rep
}

// unwound ends the cell without a record: the run is cancelled or its log cannot be written.
func unwound(err error) sandbox.Reply { return sandbox.Reply{Error: err.Error(), Unwind: true} }
