package prompts

// Limit is the message after which the model has one turn left.
type Limit struct {
	What  string // "turns", "sub-calls", …
	Used  string
	Bound string
	// SubCalls says whether sub-calls can still be made in the last turn.
	SubCalls bool
	Names    Names
}

// LastTurn renders the request to answer now.
func LastTurn(l Limit) (string, error) { return render("lastturn", l) }

// Summary asks for a summary of a conversation that has grown too long.
type Summary struct {
	Words int
	Names Names
}

// Summarise renders the request for a summary.
func Summarise(s Summary) (string, error) { return render("summarise", s) }

// Compacted is what stands in the place of the messages that were cut.
type Compacted struct {
	Messages int
	Summary  string
	// Mechanical says that the summary failed and messages were only trimmed.
	Mechanical bool
	Names      Names
}

// Recap renders the message that replaces older ones.
func Recap(c Compacted) (string, error) { return render("recap", c) }
