package prompts

// Limit is the message after which the model has one turn left.
type Limit struct {
	What  string // "turns", "sub-calls", …
	Used  string
	Bound string
	// SubCalls means that sub-calls can still be made in the last turn.
	SubCalls bool
	// Unread means that nothing of the text has been looked at.
	Unread bool
	Names  Names
}

// Summary asks for a summary of a conversation that has grown too long.
type Summary struct {
	Words int
	Names Names
}

// CompactionNotice replaces messages that were removed.
type CompactionNotice struct {
	Messages int
	Summary  string
	// Mechanical means that the summary failed and messages were only trimmed.
	Mechanical bool
	Names      Names
}
