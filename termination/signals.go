package termination

import (
	"errors"
	"slices"

	"github.com/gorlm/rlm/internal/reply"
)

// errNoSignal means that a model would have no way to end a run.
var errNoSignal = errors.New("no completion signal is registered, so no run could end: " +
	"register a builtin or a tool that is a completion signal")

// check returns an error if the model has no way to end a run in the mode.
func check(n reply.Names, m Mode) error {
	if len(counting(n, m)) == 0 {
		return errNoSignal
	}
	return nil
}

// counting lists the signals that end a run in a mode, the recommended one first.
func counting(n reply.Names, m Mode) []string {
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

// ofOtherMode reports whether name is a signal of the other mode.
func ofOtherMode(n reply.Names, name string, m Mode) bool {
	if m == Task {
		return name == n.FinishResponse
	}
	return slices.Contains(n.FinishTask, name)
}
