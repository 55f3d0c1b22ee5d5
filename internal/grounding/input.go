package grounding

// Run is a run as recorded in its log, in order. Trace reads its texts but does not store them.
type Run struct {
	// Question is the question of the run.
	Question string
	// Shown is what the first message showed of the text, without the question: names and sizes, and excerpts.
	Shown string
	// Whole means that Shown contains the whole text, so that it has been read.
	Whole bool
	// Stands reports whether a line that a failed cell printed is in the text; if it is nil, none counts.
	Stands func(line string) bool
	// Turns are the turns that led to the answer.
	Turns []Turn
	// Answer is the answer as the caller gets it.
	Answer string
}

// Turn is a reply of the model with the results of its cells. It excludes the reply's prose, because that does not
// support any value.
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
	// Code is the source of the cell.
	Code string
	// Output is what the cell printed, as far as it was shown, and Value the value of its last expression.
	Output, Value string
	// Failed means that the cell ended with an error: its results do not count.
	Failed bool
	// Variables are the variables that the cell set.
	Variables []Variable
	// Calls are the cell's sub-calls and child runs.
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
	// Given means that the call was given a text besides the prompt.
	Given bool
}
