package reply

import (
	"slices"

	"github.com/gorlm/rlm/internal/answer"
)

// Names are the names under which the builtins that end a run are registered. Whatever is shown to a model or
// recognised in a reply uses these names; an empty name means that there is no such builtin.
type Names struct {
	Final          string `json:"final,omitempty"`
	FinalVar       string `json:"final_var,omitempty"`
	FinishResponse string `json:"finish_response,omitempty"`
	// FinishTask is the task signal; the first name is shown, the others are aliases.
	FinishTask []string `json:"finish_task,omitempty"`
	// Signals are tools that were registered as completion signals. They count in both modes.
	Signals []string `json:"signals,omitempty"`
}

// DefaultNames returns the standard names.
func DefaultNames() Names {
	return Names{
		Final:          answer.NameFinal,
		FinalVar:       answer.NameFinalVar,
		FinishResponse: answer.NameResponse,
		FinishTask:     []string{answer.NameTask, answer.NameTaskAlias},
	}
}

// All lists every name that is recognised, of either mode, in alphabetical order.
func (n Names) All() []string {
	out := []string{n.FinalVar, n.Final, n.FinishResponse}
	out = append(out, n.FinishTask...)
	out = append(out, n.Signals...)
	out = slices.DeleteFunc(out, func(s string) bool { return s == "" })
	slices.Sort(out)
	return slices.Compact(out)
}
