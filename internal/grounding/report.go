package grounding

import "slices"

// Verdict summarises a report.
type Verdict string

// The verdicts. Grounded does not mean true: it means that the origin of each value can be shown to a reader.
const (
	Grounded Verdict = "grounded" // every value that is not neutral has a place
	Partly   Verdict = "partly"   // some of these values have a place
	Not      Verdict = "not"      // none of these values has a place
	Untraced Verdict = "untraced" // there was nothing to trace, or not everything could be traced
)

// Report describes what an answer is based on.
type Report struct {
	Verdict Verdict `json:"verdict"`
	// Values are the values of the answer, in order.
	Values []Value `json:"values,omitempty"`
	// Untraced counts values that were left out at a bound.
	Untraced int `json:"untraced,omitempty"`
}

// Value is a part of the answer that could have been different.
type Value struct {
	// Value is the text of the value as in the answer.
	Value    string `json:"value"`
	Grounded bool   `json:"grounded"`
	// Neutral means that the value only repeats the question and does not count in the verdict.
	Neutral bool `json:"neutral,omitempty"`
	// Where is the place of the value, nil if there is none.
	Where *Where `json:"where,omitempty"`
	// Why is a short explanation for a reader.
	Why string `json:"why"`
	at  int    // offset in the answer
}

// Kinds of places.
const (
	KindOutput   = "output"   // what a cell printed
	KindValue    = "value"    // the value of a cell's last expression
	KindVariable = "variable" // the value of a variable that a cell set
	KindComputed = "computed" // computed by the argument of FINAL
	KindCall     = "subcall"  // the reply of a sub-call or child run
	KindShown    = "shown"    // the first message
	KindList     = "list"     // the answer's list, which the value counts
	KindQuestion = "question" // the question
)

// Where is a place in a run. Fields that do not apply are empty.
type Where struct {
	Kind string `json:"kind"`
	Turn int    `json:"turn,omitempty"`
	Cell int    `json:"cell,omitempty"`
	// Call is the number of the sub-call in its cell.
	Call int `json:"call,omitempty"`
	// Variable is the name of the variable.
	Variable string `json:"variable,omitempty"`
	// Document and Line are the source that the output names, as grep does.
	Document string `json:"document,omitempty"`
	Line     int    `json:"line,omitempty"`
}

// summarise sets the verdict of the report.
func (r *Report) summarise() {
	with, without := 0, 0
	for _, v := range r.Values {
		switch {
		case v.Neutral:
		case v.Grounded:
			with++
		default:
			without++
		}
	}
	switch {
	case with == 0 && without == 0, without == 0 && r.Untraced > 0:
		r.Verdict = Untraced
	case without == 0:
		r.Verdict = Grounded
	case with == 0 && r.Untraced == 0:
		r.Verdict = Not
	default:
		r.Verdict = Partly
	}
}

// Repeating returns the report on a run without the blame for values that repeat an earlier question of its session:
// they are the user's own words, as those of the run's question are.
func (r Report) Repeating(run Run, earlier string) Report {
	lost := func(v Value) bool { return !v.Grounded }
	if earlier == "" || !slices.ContainsFunc(r.Values, lost) {
		return r
	}
	run.Question = earlier
	repeated := map[string]bool{}
	for _, v := range Trace(run).Values {
		if v.Neutral {
			repeated[v.Value] = true
		}
	}
	for i, v := range r.Values {
		if lost(v) && repeated[v.Value] {
			r.Values[i].Grounded, r.Values[i].Neutral, r.Values[i].Why = true, true, "stands in an earlier question"
		}
	}
	r.summarise()
	return r
}
