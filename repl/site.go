package repl

import (
	"context"
	"go/types"

	"github.com/gorlm/rlm/internal/answer"
	"github.com/gorlm/rlm/internal/cellerror"
	"github.com/gorlm/rlm/internal/kit/bundle"
)

// Site describes one call of a builtin. A builtin whose Fn takes a *Site as its first parameter gets it from the
// front end; cells neither see nor pass that parameter. Site exists because an engine's run-time types lack names
// and unexported fields: whatever is shown or derived from types (answers, schemas, tables) uses the types here.
type Site struct {
	// Line and Column are the position of the call in its cell.
	Line, Column int
	// Types are the static types of the arguments as the cell sees them; variadic arguments are listed one by one.
	Types []types.Type
	// Text is the source of each argument.
	Text []string
	// Alone reports whether the call is a statement by itself, so that its result is unused.
	Alone bool
	// Lookup finds a variable by name as the call would see it: innermost scope first, then the session. It returns
	// the value and its static type; ok is false if there is no such variable. It also finds the session's context,
	// docs and history (context is the text even if a cell imports package context).
	Lookup func(name string) (value any, typ types.Type, ok bool)
	// Names lists the variables that Lookup would find.
	Names func() []string
	// Vars describes the session's variables, as Notebook.Vars does.
	Vars func() []Var
	// Print writes text to the cell's output.
	Print func(text string)
	// Display adds an item to Result.Items; the caller prints its text.
	Display func(item bundle.Item)
	// Format renders a value for a reader, as the text of an answer does: it is answer.Format with the names and
	// fields that only the static type has.
	Format func(value any, typ types.Type) string
	// JSON renders a value as JSON on one line, according to its static type; nil lists and maps become empty ones.
	// whole is false if the value has too many parts to be written in full.
	JSON func(value any, typ types.Type) (text string, whole bool)
	// Context is the context of the running cell; it ends when the cell is cancelled.
	Context context.Context
	// Final records the answer with the host, and panics with the cell's answer.Sentinel. The first answer wins. A
	// builtin that recovers this panic must panic with it again.
	Final func(out answer.FinalOutput)
	// Unwind ends the cell without an answer (the budget is exhausted, the run is cancelled), and panics as
	// Final does.
	Unwind func(kind cellerror.Kind, why string)
	// Note adds a remark for the model to Result.Notes.
	Note func(text string)
}
