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

// Summary asks for a summary of a conversation that has grown too long.
type Summary struct {
	Words int
	Names Names
}

// CompactionNotice is what stands in the place of the messages that were cut.
type CompactionNotice struct {
	Messages int
	Summary  string
	// Mechanical says that the summary failed and messages were only trimmed.
	Mechanical bool
	Names      Names
}
