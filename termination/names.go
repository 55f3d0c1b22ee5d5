package termination

import (
	"errors"
	"slices"
)

// Names are the names under which the builtins that end a run are registered. Everything that is
// shown to a model and everything that is recognised in a reply comes from here; an empty name
// means that there is no such builtin.
type Names struct {
	Final          string `json:"final,omitempty"`
	FinalVar       string `json:"final_var,omitempty"`
	FinishResponse string `json:"finish_response,omitempty"`
	// FinishTask is the task signal; the first name is the one that is shown, the others are aliases.
	FinishTask []string `json:"finish_task,omitempty"`
	// Signals are tools that were registered as completion signals. They count in both modes.
	Signals []string `json:"signals,omitempty"`
}

// DefaultNames are the standard names.
func DefaultNames() Names {
	return Names{
		Final:          "FINAL",
		FinalVar:       "FINAL_VAR",
		FinishResponse: "finish_response",
		FinishTask:     []string{"finish_task", "task_completed"},
	}
}

// ErrNoSignal says that a model would have no way to end a run.
var ErrNoSignal = errors.New("no completion signal is registered: a model could never end the run; " +
	"register a builtin or a tool that is marked as a completion signal")

// Check reports whether a run in the given mode can be ended by the model at all.
func (n Names) Check(m Mode) error {
	if len(n.counting(m)) == 0 {
		return ErrNoSignal
	}
	return nil
}

// counting lists the signals that end a run in a mode, the one to recommend first.
func (n Names) counting(m Mode) []string {
	var out []string
	if m == Task {
		out = append(out, n.FinishTask...)
	}
	out = append(out, n.Final, n.FinalVar)
	if m != Task {
		out = append(out, n.FinishResponse)
	}
	out = append(out, n.Signals...)
	return slices.DeleteFunc(out, func(s string) bool { return s == "" })
}

// all lists every name that is recognised, of either mode.
func (n Names) all() []string {
	out := []string{n.FinalVar, n.Final, n.FinishResponse}
	out = append(out, n.FinishTask...)
	out = append(out, n.Signals...)
	out = slices.DeleteFunc(out, func(s string) bool { return s == "" })
	slices.Sort(out)
	return slices.Compact(out)
}

// ofOtherMode reports whether name is the signal of the mode that the run is not in.
func (n Names) ofOtherMode(name string, m Mode) bool {
	if m == Task {
		return name == n.FinishResponse
	}
	return slices.Contains(n.FinishTask, name)
}
