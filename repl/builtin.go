package repl

import (
	"go/types"

	"github.com/gorlm/rlm/internal/kit/bundle"
)

// Builtin is one Go value that cells can call without importing anything.
type Builtin struct {
	// Name is what cells write. Lower-case names are fine: builtins live in the package scope.
	Name string
	// Doc documents the builtin for the model and for help: the first line is the signature in Go
	// as a cell would see it, then what it does.
	Doc string
	// Fn is the function, an ordinary Go func. Nil for a builtin that is given as Source.
	Fn any
	// Source is Go source (declarations only) that defines Name in terms of other builtins; used
	// for host tools whose types are only known as text, and for variables that every session starts
	// with (answer). A call from a cell counts in Result.Called under Name; builtins whose names begin
	// with an underscore exist for Sources only: they are neither documented, suggested nor counted.
	Source string
	// After, if set, is called after each cell that ended without an error and without an answer, before
	// the next one starts. Its Site finds session variables and may call Final; an error becomes the cell's
	// (kind Panic), for the model to read.
	After func(site *Site) error
	// Shows, if set, is called with the value of a last expression and its text, and may return further forms of it.
	Shows func(site *Site, value any, typ types.Type, text string) (item bundle.Item, ok bool)
	// Signal marks a completion signal: calling it ends the run.
	Signal bool
	// Prints says that Fn prints what it returns where the call is a statement of its own (Site.Alone). A call that is a cell's last expression counts as one.
	Prints bool
	// ByName says that Fn looks variables up by the name it is given (FINAL_VAR): an identifier as argument
	// means its name, as if it stood in quotes, and Site.Lookup finds local variables too.
	ByName bool
}

// Doc is one document of the context. Text is a substring of the context and shares its memory.
type Doc struct {
	Name  string
	Text  string
	Kind  string   // what it was before it became text: "pdf", "xlsx", "mail", …; "text" for what was text
	Pages int      // pages or slides, 0 where there are none
	Parts []Part   // in order; empty for what has none
	Notes []string // what was not read, guessed or salvaged as it became text; usually empty
}

// Part is a page, a sheet, a chapter of a document. Text is a substring of the document's.
type Part struct {
	Kind   string // page, slide, sheet, table, chapter, message, cell, main text, beside the main text
	Number int    // from 1, of its kind in the document
	Name   string // of a sheet, a table, a chapter; the subject of a message; often empty
	Offset int    // in bytes of the document's text
	Text   string
}
