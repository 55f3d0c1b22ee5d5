package grounding

// Run is a run as its log tells it, in order. The texts are read and not kept.
type Run struct {
	// Question is what was asked.
	Question string
	// Shown is what the first message showed of the text: facts such as names and sizes, and excerpts. The
	// question is no part of it.
	Shown string
	// Whole says that Shown holds the text as a whole, so that it has been read.
	Whole bool
	// Stands reports whether a line stands in the text. It is asked for lines that a failed cell printed;
	// without it none does.
	Stands func(line string) bool
	// Turns are the turns that led to the answer.
	Turns []Turn
	// Answer is the answer as the caller gets it.
	Answer string
}

// Turn is a reply of the model and what its cells brought. Prose of the reply is no part of it, because
// nothing can rest on it.
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
	// Output is what it printed, as far as it was shown, and Value what it ended with.
	Output, Value string
	// Failed says that it ended with an error: what it computed does not count then.
	Failed bool
	// Variables are those that it set.
	Variables []Variable
	// Calls are the sub-calls and child runs that it made.
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
	// Prompt is what was asked, and Reply what came back.
	Prompt, Reply string
	// Given says that a text was handed over beside the prompt.
	Given bool
}
