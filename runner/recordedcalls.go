package runner

import (
	"cmp"
	"encoding/json"
	"slices"

	"github.com/gorlm/rlm/internal/builtins"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/sandbox"
)

// recordedCalls is the builtin that returns the calls of an earlier cell, even if the cell's variables are lost.
// The prompt does not mention it; remarks about lost variables and replies do.
const recordedCalls = "recorded_calls"

// recordedCall is a call as recorded_calls returns it.
type recordedCall struct {
	Prompt string
	Reply  string
	Error  string
}

// recordedCalls answers recorded_calls from the log.
func (s *subcall) recordedCalls() sandbox.Reply {
	var args []int
	if err := json.Unmarshal(s.call.Body, &args); err != nil || len(args) != 1 {
		return s.refuse(recordedCalls + " takes the number of a cell")
	}
	if err := s.open(trajectory.SubCallStarted{
		Impl: builtins.ImplTool, Prompt: trajectory.T(string(s.call.Body)),
	}); err != nil {
		return unwound(err)
	}
	calls, err := s.readCalls(args[0])
	if err != nil {
		return s.close(sandbox.Reply{Error: err.Error()}, trajectory.SubCallEnded{})
	}
	body, err := json.Marshal([]any{calls})
	if err != nil {
		return s.close(sandbox.Reply{Error: err.Error()}, trajectory.SubCallEnded{})
	}
	return s.close(sandbox.Reply{Body: body}, trajectory.SubCallEnded{})
}

// readCalls reads the calls of a cell from the log, in the order in which they began; those of a batch are
// together, in the order of their prompts.
func (s *subcall) readCalls(cell int) ([]recordedCall, error) {
	type placed struct {
		recordedCall
		begun, index int
	}
	var calls []*placed
	at := map[trajectory.CallKey]*placed{}
	batches := map[int]int{} // position of each batch's first call
	for ev, err := range trajectory.Skim(s.dir) {
		if err != nil {
			return nil, err
		}
		if ev.Path != s.path {
			continue
		}
		switch d := ev.Data.(type) {
		case trajectory.SubCallStarted:
			if d.Cell != cell || d.Tool == recordedCalls {
				continue
			}
			c := &placed{begun: len(calls), index: d.Index}
			if first, ok := batches[d.Batch]; ok && d.Size > 0 {
				c.begun = first
			}
			batches[d.Batch] = c.begun
			if c.Prompt, err = d.Prompt.Load(); err != nil {
				return nil, err
			}
			c.Error = "no reply is recorded"
			calls = append(calls, c)
			at[d.Key("")] = c
		case trajectory.SubCallEnded:
			c, ok := at[d.Key("")]
			if !ok {
				continue
			}
			if c.Reply, err = d.Reply.Load(); err != nil {
				return nil, err
			}
			c.Error = d.Error
		}
	}
	slices.SortStableFunc(calls, func(a, b *placed) int { return cmp.Or(a.begun-b.begun, a.index-b.index) })
	out := make([]recordedCall, len(calls))
	for i, c := range calls {
		out[i] = c.recordedCall
	}
	return out, nil
}
