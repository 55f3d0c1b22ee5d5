package termination

// Place says how a signal stands in the prose of a reply. It decides whether the call counts
// (Policy) or is only being talked about.
type Place string

// The places, from the most to the least certain.
const (
	// Alone: the call is all that its line holds, apart from Markdown emphasis and closing punctuation.
	Alone Place = "alone"
	// EndsLine: the call is the last thing on its line, after words that present it ("The answer: …").
	EndsLine Place = "ends_line"
	// InSentence: words go on after the call.
	InSentence Place = "in_sentence"
	// Mentioned: the call is talked about ("use …", "I will call …", a plan's list, a quotation).
	Mentioned Place = "mentioned"
)

// Detection is a completion signal seen in text or code.
type Detection struct {
	// Detected is false for the zero Detection: nothing was seen.
	Detected bool `json:"detected"`
	// Type is Variable for FINAL_VAR, Direct for everything else.
	Type FinalType `json:"type,omitempty"`
	// Name is the signal's name as registered.
	Name string `json:"name,omitempty"`
	// Content is the answer (quotes removed, escapes resolved) or, for Variable, the variable's name.
	// It is empty for a Direct call in code: only running the code tells.
	Content string `json:"content,omitempty"`
	// Bare is set when the argument is a single identifier without quotes: FINAL(total) may mean the
	// text "total" or the variable.
	Bare bool `json:"bare,omitempty"`
	// RawMatch is the whole call as written.
	RawMatch string `json:"raw_match,omitempty"`
	// Place says how the call stands in the text; empty in code.
	Place Place `json:"place,omitempty"`
	// Line is the 1-based line on which the call begins.
	Line int `json:"line,omitempty"`
	// Malformed says what is wrong with the call; such a call never counts.
	Malformed string `json:"malformed,omitempty"`
	// Cut is set when the call is not closed because the reply ended at the token limit.
	Cut bool `json:"cut,omitempty"`
}
