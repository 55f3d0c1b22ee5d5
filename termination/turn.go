package termination

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/gorlm/rlm/internal/answer"
	"github.com/gorlm/rlm/internal/kit/startup"
	"github.com/gorlm/rlm/internal/reply"
)

// Turn is the outcome of one turn, as plain values: passing the turns of a log to Next again yields the same
// verdicts.
type Turn struct {
	// Reply is the parsed reply (reply.Parse).
	Reply reply.Reply `json:"reply"`
	// Withheld is ContentFilter if the endpoint's filter cut or withheld the reply, and Refused if the reply is
	// the model's refusal. Such a reply is never an answer.
	Withheld Status `json:"withheld,omitempty"`
	// CalledTool means that the reply calls a tool through the endpoint's own interface, although none is offered.
	// Without a cell it is a failed attempt.
	CalledTool bool `json:"called_tool,omitempty"`
	// Cells are the cells that ran, in order. A cell that was not run because an earlier one failed is not among
	// them.
	Cells []CellOutcome `json:"cells,omitempty"`
	// Observation is what the model sees of the cells; empty when none ran. C[…] in done sequences matches it.
	Observation string `json:"observation,omitempty"`
	// Vars holds the formatted value of the variable that Policy.Wants asked for, if there is one.
	Vars map[string]string `json:"vars,omitempty"`
	// Handed is the outcome of the cell that Policy.Calls asked for.
	Handed *CellOutcome `json:"handed,omitempty"`
	// Names are the names of the notebook's variables, for messages.
	Names []string `json:"names,omitempty"`
	// Draft is the content of the answer map while it is not ready.
	Draft string `json:"draft,omitempty"`
	// Limits are the budgets that are used up, the most important first. The policy itself counts turns and
	// failing turns.
	Limits []Limit `json:"limits,omitempty"`
	// Stop is the reason that an outside condition gave for stopping; empty if none did.
	Stop string `json:"stop,omitempty"`
}

// CellOutcome is what one cell did.
type CellOutcome struct {
	Source string `json:"source"`
	// Output is everything the model sees of the cell: printed output, value and error.
	Output string `json:"output,omitempty"`
	// Printed is the cell's printed output and value, unchanged. It is the answer of a run that ends by a done
	// sequence. Cells that printed nothing are not a response of the notebook.
	Printed string `json:"printed,omitempty"`
	// Changed is a digest of the variables that the cell changed, empty if none. If a repeated cell prints the
	// same but changes something else, that is progress.
	Changed string `json:"changed,omitempty"`
	// Error is the kind of failure; empty for a cell that succeeded or ended by a signal.
	Error string `json:"error,omitempty"`
	// Final is the answer that the cell recorded.
	Final *answer.FinalOutput `json:"final,omitempty"`
	// Called are the builtins and tools that the cell called.
	Called []string `json:"called,omitempty"`
}

// shows reports whether the cell showed more than its own words, the size of the text and the names of its documents.
func (c CellOutcome) shows() bool {
	if strings.TrimSpace(c.Printed) == "" {
		return false
	}
	for _, name := range c.Called {
		if name != "count_tokens" {
			return true
		}
	}
	source := measures().ReplaceAllString(c.Source, "0")
	if !bodies().MatchString(source) {
		source = strings.ReplaceAll(source, "range docs", "range 0")
	}
	return reply.UsesMore(source)
}

// measures match sizes and names, and bodies the fields of documents that have text.
var (
	measures = startup.Regexp(
		`\b(?:len|count_tokens)\((?:context|docs|\w+(?:\[\w+\])?\.Text)\)|\bdocs\[\w+\]\.Name\b`)
	bodies = startup.Regexp(`\.(?:Text|Parts|Notes)\b`)
)

// The kinds of failure that matter to a policy, as the notebook names them.
const (
	// notACell is the error of an untagged block that is not Go: it counts as prose.
	notACell = "NotACell"
	// budgetExceeded and cancelled are not the model's mistakes: they do not count as failing turns.
	budgetExceeded = "BudgetExceeded"
	cancelled      = "Cancelled"
)

// ran returns the outcomes of the blocks that were cells.
func (t Turn) ran() []CellOutcome {
	if !slices.ContainsFunc(t.Cells, isProse) {
		return t.Cells
	}
	return slices.DeleteFunc(slices.Clone(t.Cells), isProse)
}

func isProse(c CellOutcome) bool { return c.Error == notACell }

// noCell reports whether a block without a tag turned out not to be Go: such a reply counts as prose, whatever else
// it contains.
func (t Turn) noCell() bool { return slices.ContainsFunc(t.Cells, isProse) }

// failed reports whether a cell of the turn failed by a mistake of the model.
func (t Turn) failed() bool {
	return slices.ContainsFunc(t.ran(), func(c CellOutcome) bool {
		return c.Error != "" && c.Error != budgetExceeded && c.Error != cancelled
	})
}

// succeeded reports whether every cell of the reply ran without an error.
func (t Turn) succeeded() bool {
	return len(t.Cells) >= len(t.Reply.Cells) &&
		!slices.ContainsFunc(t.ran(), func(c CellOutcome) bool { return c.Error != "" })
}

// called lists the builtins that the cells called.
func (t Turn) called() []string {
	var out []string
	for _, c := range t.Cells {
		for _, name := range c.Called {
			if !slices.Contains(out, name) {
				out = append(out, name)
			}
		}
	}
	return out
}

// isEmpty reports whether the reply has no content at all.
func (t Turn) isEmpty() bool {
	return len(t.Cells) == 0 && len(t.Reply.Cells) == 0 && len(t.Reply.Skipped) == 0 && t.Reply.Prose == ""
}

// isTrivial reports whether the reply is empty or prose of fewer than n characters.
func (t Turn) isTrivial(n int) bool {
	return len(t.ran()) == 0 && !t.attempted() && !t.noCell() && utf8.RuneCountInString(t.Reply.Prose) < n
}

// attempted reports whether no cell ran although the model tried: half a cell, another language, a tool that does
// not exist.
func (t Turn) attempted() bool {
	return len(t.ran()) == 0 &&
		(t.CalledTool || slices.ContainsFunc(t.Reply.Skipped, func(s reply.SkippedBlock) bool { return s.Code }))
}

// brokenCell reports whether a block that was meant as a cell could not be one.
func (t Turn) brokenCell() bool {
	return slices.ContainsFunc(t.Reply.Skipped, func(s reply.SkippedBlock) bool {
		return s.Half()
	})
}

// handsIn reports whether the prose calls a signal, well-formed or not, rather than only mentioning it.
func (t Turn) handsIn() bool {
	return slices.ContainsFunc(t.Reply.Signals, func(d reply.Signal) bool {
		return d.Place != reply.Mentioned && (d.Place != reply.InSentence || d.Malformed != "")
	})
}

// outcome returns a digest of what the turn's cells did.
func (t Turn) outcome() digest {
	d := digestStart
	for _, c := range t.ran() {
		d = d.add(c.Output).add(c.Changed).add(c.Error)
	}
	return d
}

// output returns what the last successful cell printed.
func (t Turn) output() string {
	for _, c := range slices.Backward(t.ran()) {
		if out := strings.TrimSpace(c.Printed); c.Error == "" && out != "" {
			return out
		}
	}
	return ""
}
