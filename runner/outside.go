package runner

import (
	"context"
	"encoding/json"
)

// OutsideTool is a tool of another program, such as an MCP server, that is described by JSON schemas. Name, Doc and the schemas are the
// program's own words and need not make sense: the notebook gives the tool a Go name that is valid and free, and the Go types that
// come nearest.
type OutsideTool struct {
	Server string // the program, as people know it
	Name   string // the tool, as the program calls it
	Doc    string // what the program says of it
	Note   string // what the host says of it, in a sentence: "Calls need a person's consent."
	// Refused says that its calls are refused, as one that needs a consent which nobody can give here. Prompts hold its name alone.
	Refused bool
	// Input is the schema of the object that the tool takes, Output that of what it gives; without Output it gives text.
	Input, Output json.RawMessage
	// Repeatable says that a call can be made once more without harm; see Repeatable.
	Repeatable bool
	// Call calls the tool with a JSON object. It is called from several goroutines. An error is what the cell gets, as a panic that it can
	// recover from.
	Call func(ctx context.Context, arguments json.RawMessage, documents DocumentReader) (OutsideResult, error)
}

// OutsideResult is what an outside tool gave.
type OutsideResult struct {
	Value json.RawMessage // JSON that follows Output; without Output a JSON string
	// Beside is what the tool gave besides the value, its own text about data, for example. The cell gets it as a note.
	Beside string
}

// DocumentReader makes text of a document that is none, such as a PDF, in a locked-down worker. It is "" for what it cannot read.
type DocumentReader func(ctx context.Context, name string, document []byte) string

// ToolLister lists tools of other programs when a session needs them, and may wait for the programs to start. A session calls it once it has
// read its context and before a model is called; an error keeps the session from beginning.
type ToolLister func(context.Context) ([]OutsideTool, error)

// outsideKey says which tool of which program.
type outsideKey struct{ server, tool string }
