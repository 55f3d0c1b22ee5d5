package runner

import (
	"encoding/json"

	"github.com/gorlm/rlm/runner/internal/journal"
	"github.com/gorlm/rlm/runner/internal/tool"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/sandbox"
)

// recordedCalls is the builtin that returns the calls of an earlier cell, whatever became of the cell's variables. The prompt does not
// mention it: the model is told of it when it needs it.
const recordedCalls = "recorded_calls"

// recordedCall is one call as recorded_calls returns it.
type recordedCall struct {
	Prompt string
	Reply  string
	Error  string
}

// recordedCalls answers recorded_calls from the log.
func (s *subcall) recordedCalls() sandbox.Reply {
	var args []int
	if err := json.Unmarshal(s.call.Body, &args); err != nil || len(args) != 1 {
		return sandbox.Reply{Error: recordedCalls + " takes the number of a cell"}
	}
	if err := s.open(trajectory.SubCallStarted{Impl: tool.Impl, Prompt: trajectory.T(string(s.call.Body))}); err != nil {
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

// readCalls reads the calls of a cell from the log, in the order in which they were begun.
func (s *subcall) readCalls(cell int) ([]recordedCall, error) {
	calls := []recordedCall{}
	at := map[journal.Key]int{}
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
			prompt, err := d.Prompt.Load()
			if err != nil {
				return nil, err
			}
			at[journal.Key{Cell: d.Cell, Hash: d.Hash, N: d.N}] = len(calls)
			calls = append(calls, recordedCall{Prompt: prompt, Error: "no reply is recorded"})
		case trajectory.SubCallEnded:
			i, ok := at[journal.Key{Cell: d.Cell, Hash: d.Hash, N: d.N}]
			if !ok {
				continue
			}
			reply, err := d.Reply.Load()
			if err != nil {
				return nil, err
			}
			calls[i].Reply, calls[i].Error = reply, d.Error
		}
	}
	return calls, nil
}
