package termination

import (
	"errors"
	"slices"

	"github.com/gorlm/rlm/internal/reply"
)

// errNoSignal says that a model would have no way to end a run.
var errNoSignal = errors.New("no completion signal is registered: a model could never end the run; " +
	"register a builtin or a tool that is marked as a completion signal")

// check reports whether a run in the given mode can be ended by the model at all.
func check(n reply.Names, m Mode) error {
	if len(counting(n, m)) == 0 {
		return errNoSignal
	}
	return nil
}

// counting lists the signals that end a run in a mode, the one to recommend first.
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

// ofOtherMode reports whether name is the signal of the mode that the run is not in.
func ofOtherMode(n reply.Names, name string, m Mode) bool {
	if m == Task {
		return name == n.FinishResponse
	}
	return slices.Contains(n.FinishTask, name)
}
