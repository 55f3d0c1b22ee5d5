package grounding

// Run is a run as recorded in its log, in order. Its texts are read and not kept.
type Run struct {
	// Question is the question.
	Question string
	// Shown is what the first message showed of the text: facts such as names and sizes, and excerpts. It
	// excludes the question.
	Shown string
	// Whole means that Shown contains the whole text, so that it has been read.
	Whole bool
	// Stands reports whether a line is in the text. It is called for lines that a failed cell printed; without
	// it none of them is.
	Stands func(line string) bool
	// Turns are the turns that led to the answer.
	Turns []Turn
	// Answer is the answer as the caller gets it.
	Answer string
}

// Turn is a reply of the model with the results of its cells. It excludes the reply's prose, because values
// cannot rest on it.
type Turn struct {
	// Number counts from 1.
	Number int
	// Cells are the cells that ran.
	Cells []Cell
}

// Cell is a cell that ran.
type Cell struct {
	// Number counts the cells of the notebook, from 1.
	Number int
	// Code is its source.
	Code string
	// Output is what it printed, as far as it was shown, and Value the value of its last expression.
	Output, Value string
	// Failed means that it ended with an error: its results do not count.
	Failed bool
	// Variables are those that it set.
	Variables []Variable
	// Calls are its sub-calls and child runs.
	Calls []Call
}

// Variable is a variable with its value as text.
type Variable struct {
	Name, Value string
}

// Call is a sub-call or child run.
type Call struct {
	// Number counts the calls of the cell, from 1.
	Number int
	// Prompt and Reply are the texts of the call.
	Prompt, Reply string
	// Given means that the call had a text besides the prompt.
	Given bool
}
