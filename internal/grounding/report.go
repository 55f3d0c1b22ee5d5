package grounding

// Verdict summarises a report.
type Verdict string

// The verdicts. Grounded is not true: it says that a reader can be shown where each value comes from.
const (
	Grounded Verdict = "grounded" // each value that is not neutral has a place
	Partly   Verdict = "partly"   // some have
	Not      Verdict = "not"      // none has
	Untraced Verdict = "untraced" // there was nothing to trace, or not all of it could be
)

// Report says what an answer rests on.
type Report struct {
	Verdict Verdict `json:"verdict"`
	// Values are the values of the answer, in their order.
	Values []Value `json:"values,omitempty"`
	// Untraced counts values that were left out because a bound was reached.
	Untraced int `json:"untraced,omitempty"`
}

// Value is a part of the answer that could have been another.
type Value struct {
	// Value is its text as in the answer.
	Value    string `json:"value"`
	Grounded bool   `json:"grounded"`
	// Neutral says that it only repeats the question and does not count for the verdict.
	Neutral bool `json:"neutral,omitempty"`
	// Where is the place it rests on, nil if there is none.
	Where *Where `json:"where,omitempty"`
	// Why is a few words for a reader.
	Why string `json:"why"`
	at  int    // where it begins in the answer
}

// Kinds of places.
const (
	KindOutput   = "output"   // what a cell printed
	KindValue    = "value"    // what a cell ended with
	KindVariable = "variable" // the value of a variable that a cell set
	KindComputed = "computed" // the argument of FINAL computed it
	KindCall     = "subcall"  // the reply of a sub-call or child run
	KindShown    = "shown"    // the first message
	KindList     = "list"     // the answer's own list, which it counts
	KindQuestion = "question" // the question
)

// Where is a place in a run. What does not apply is left out.
type Where struct {
	Kind string `json:"kind"`
	Turn int    `json:"turn,omitempty"`
	Cell int    `json:"cell,omitempty"`
	// Call is the number of the sub-call in its cell.
	Call int `json:"call,omitempty"`
	// Variable is its name.
	Variable string `json:"variable,omitempty"`
	// Document and Line are those that the output itself names, as grep does.
	Document string `json:"document,omitempty"`
	Line     int    `json:"line,omitempty"`
}

// summarise gives the report its verdict.
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
