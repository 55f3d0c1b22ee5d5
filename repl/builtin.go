package repl

import (
	"go/types"

	"github.com/gorlm/rlm/internal/kit/bundle"
)

// Builtin is a Go value that cells can use without importing anything.
type Builtin struct {
	// Name is the name by which cells call the builtin. Lower-case names are fine: builtins live in the package
	// scope.
	Name string
	// Doc documents the builtin for the model and for help: the signature as Go on the first line, then a
	// description.
	Doc string
	// Fn is the function, an ordinary Go func; nil if Source is set.
	Fn any
	// Source is Go source (declarations only) that defines Name in terms of other builtins. It is for tools of the
	// host whose types are known only as text, and for variables that every session starts with (answer).
	// Result.Called lists a call under Name. A builtin whose name begins with an underscore is only for other
	// Sources: it is neither documented, suggested nor counted.
	Source string
	// After, if set, is called after each cell that ended without an error and without an answer, before the next
	// one starts. Its Site finds session variables and can call Final. If it returns an error, the cell fails with
	// that error (kind Panic).
	After func(site *Site) error
	// Shows, if set, is called with the value of a cell's last expression and the value's text, and may return the
	// value in other forms as well.
	Shows func(site *Site, value any, typ types.Type, text string) (item bundle.Item, ok bool)
	// Signal marks a completion signal: calling the builtin ends the run.
	Signal bool
	// Prints means that Fn prints its result when the call is a statement by itself (Site.Alone), which includes
	// a call that is the cell's last expression.
	Prints bool
	// ByName means that Fn looks variables up by name (FINAL_VAR): an identifier as an argument counts as its name
	// in quotes, and Site.Lookup finds local variables too.
	ByName bool
}

// Doc is one document of the context. Text is a substring of the context and shares its memory.
type Doc struct {
	Name  string
	Text  string
	Kind  string   // format before conversion: "pdf", "xlsx", "mail", …; "text" if it was not converted
	Pages int      // number of pages or slides; 0 if it has none
	Parts []Part   // in order; empty if it has none
	Notes []string // what the conversion skipped, guessed or salvaged; usually empty
}

// Part is a page, a sheet or a chapter of a document. Text is a substring of the document's text.
type Part struct {
	Kind   string // page, slide, sheet, table, chapter, message, cell, main text, beside the main text
	Number int    // counts parts of this kind in the document, from 1
	Name   string // name of a sheet, table or chapter; subject of a message; often empty
	Offset int    // byte offset in the document's text
	Text   string
}
