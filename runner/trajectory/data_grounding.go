package trajectory

import (
	"fmt"
	"strings"

	"github.com/gorlm/rlm/internal/kit/text"
	"github.com/gorlm/rlm/internal/kit/units"
)

// Grounding is what an answer rests on: a place of the run for each of its values. A grounded value need not be
// true: its place is where a reader can check it.
type Grounding struct {
	// grounded, partly, not, or untraced if nothing could be traced
	Verdict  string          `json:"verdict"`
	Values   []GroundedValue `json:"values"`             // of the answer, in its order
	Untraced int             `json:"untraced,omitempty"` // number of further values, not traced because of a bound
}

// GroundedValue is a part of an answer that could have been different: a number, a name, a date, a quotation.
type GroundedValue struct {
	Value    string `json:"value"`             // as in the answer
	Grounded bool   `json:"grounded"`          // the value has a place in the run
	Neutral  bool   `json:"neutral,omitempty"` // the value only repeats the question
	Where    *Place `json:"where,omitempty"`   // where in the run
	Why      string `json:"why"`               // reason, for people
}

// Place is a place in a run that a value rests on.
type Place struct {
	Kind     string `json:"kind"`               // output, value, variable, computed, subcall, shown, list, question
	Turn     int    `json:"turn,omitempty"`     // turn of the place
	Cell     int    `json:"cell,omitempty"`     // cell of the place, by its number in the notebook
	Call     int    `json:"call,omitempty"`     // number of the sub-call in the cell, from 1
	Variable string `json:"variable,omitempty"` // name of the variable
	Document string `json:"document,omitempty"` // document named in the output
	Line     int    `json:"line,omitempty"`     // line of the document
}

// String describes the place.
func (p *Place) String() string {
	if p == nil {
		return ""
	}
	cell := fmt.Sprintf("cell %d", p.Cell)
	var text string
	switch p.Kind {
	case "output", "value":
		text = "the " + p.Kind + " of " + cell
	case "variable":
		text = p.Variable + " in " + cell
	case "computed":
		text = "computed in " + cell
	case "subcall":
		text = fmt.Sprintf("sub-call %d of %s", p.Call, cell)
	case "shown":
		text = "the first message"
	case "list":
		text = "the answer's own list"
	default:
		text = "the " + p.Kind
	}
	if p.Document != "" {
		text += ", " + p.Document
	}
	if p.Line > 0 {
		text += fmt.Sprintf(", line %d", p.Line)
	}
	return text
}

// NotFound names the values of an answer that rest on nothing in the run, in one line, which also says how many values
// were not traced, or that there was nothing to trace; "" if everything was found.
func (g *Grounding) NotFound() string {
	untraced := ""
	if g != nil && g.Untraced > 0 {
		untraced = "not traced: " + units.Of(g.Untraced, "further value")
	}
	missing := g.Missing()
	if len(missing) == 0 {
		if g != nil && g.Verdict == "untraced" && untraced == "" {
			return "nothing to trace: the answer has no name, number or quotation of its own"
		}
		return untraced
	}
	shown := missing[:min(len(missing), 8)]
	for i, v := range shown {
		shown[i] = text.Line(v, 60)
	}
	line := "not found in this run: " + strings.Join(shown, ", ")
	if n := len(missing) - len(shown); n > 0 {
		line += fmt.Sprintf(" and %d more", n)
	}
	if untraced != "" {
		line += "; " + untraced
	}
	return line
}

// Missing lists the values without a place, each once.
func (g *Grounding) Missing() []string {
	if g == nil {
		return nil
	}
	var out []string
	seen := map[string]bool{}
	for _, v := range g.Values {
		if !v.Grounded && !seen[v.Value] {
			seen[v.Value] = true
			out = append(out, v.Value)
		}
	}
	return out
}
