package runner

import (
	"context"
	"encoding/json"
)

// OutsideTool is a tool of another program, such as an MCP server, described by JSON schemas. Name, Doc and the
// schemas are the program's own words and need not make sense: the notebook gives the tool a valid, unused Go name
// and the closest Go types.
type OutsideTool struct {
	Server string // the program's name for people
	Name   string // the program's name for the tool
	Doc    string // the program's description
	Note   string // the host's remark, a sentence: "Calls need a person's consent."
	// Refused means that calls are refused, for example because nobody is there to consent. Prompts contain only
	// its name.
	Refused bool
	// Input is the schema of the tool's argument object, Output that of its result; without Output the result is
	// text.
	Input, Output json.RawMessage
	// Repeatable means that a call can safely be repeated; see the function Repeatable.
	Repeatable bool
	// Call calls the tool with a JSON object, from several goroutines. The cell gets an error as a panic that it
	// can recover from.
	Call func(ctx context.Context, arguments json.RawMessage, documents DocumentReader) (OutsideResult, error)
}

// OutsideResult is the result of an outside tool.
type OutsideResult struct {
	Value json.RawMessage // JSON that matches Output; without Output a JSON string
	// Beside is what the tool returned besides the value, for example its own text about data. The cell gets it as
	// a note.
	Beside string
}

// DocumentReader extracts the text of a document such as a PDF, in a locked-down worker. It returns "" for a
// document that it cannot read.
type DocumentReader func(ctx context.Context, name string, document []byte) string

// ToolLister lists tools of other programs when a session needs them, and may wait for the programs to start. A
// session calls it after reading its context and before calling a model; an error keeps the session from
// beginning.
type ToolLister func(context.Context) ([]OutsideTool, error)

// outsideKey identifies a tool of a program.
type outsideKey struct{ server, tool string }
