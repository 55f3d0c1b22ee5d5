// Package front is the front end that every engine shares: it turns the text of a cell into a checked
// Go file.
package front

import (
	"context"
	"go/ast"
	"go/token"
	"go/types"
)

// Unit is a cell that type-checks: one Go file of package main, hoisted so that every top-level
// variable, function and type of the session is a package-level declaration and the cell's statements stand in a function.
//
// Every package-level name is declared once in a session: what a cell declares again has a name of its own
// in the hoisted file (x, then xʹ2). Engines know declarations of earlier units by these names, never by the identity
// of their types.Object: the objects of the whole session are sometimes made anew. Package-level variables are declared
// with a type and without a value; the entry function assigns in the order of the cell. User-visible texts drop
// everything from ʹ on.
//
// All units share one types.Package, so that unexported fields and methods are theirs together. Its scope holds what the session
// has declared. An object is declared at package level if the parent of its parent is types.Universe.
//
// A method may be declared for a type of an earlier unit.
//
// Types and objects are those of the hoisted file. Positions lead back to the cell through //line comments (file "cell N").
type Unit struct {
	Cell int
	Fset *token.FileSet
	File *ast.File
	Pkg  *types.Package
	Info *types.Info
	// Entry is the name of the function that holds the cell's statements; empty if there are none.
	Entry string
	// Imports are the import paths the file uses (automatic ones too).
	Imports []string
	// Vars are the package-level variables that this unit declares (new storage); variables of earlier cells are referred to by name.
	Vars []*types.Var
	// Sites are the calls of builtins that get a *repl.Site, by index as it stands in the file.
	Sites int
	// Source is the cell as written.
	Source string
}

// Outcome is how a unit ended.
type Outcome struct {
	// Panic is the recovered value of a panic, nil if the unit ran to its end (or unwound by a signal).
	Panic any
	// PanicType is the Go type of the panic value as written.
	PanicType string
	// Line and Column are where it panicked; Cell is that of the function it happened in (0: the unit's own). Frames
	// is the interpreted stack, innermost first, such as "total (cell 2, line 4)".
	Cell         int
	Line, Column int
	Frames       []string
	// Goroutine is set when the panic came from a goroutine that the cell started.
	Goroutine bool
	// Cancelled is set when ctx ended the unit.
	Cancelled bool
	// Sound says whether the engine's state can still be trusted.
	Sound bool
	// Running is the number of goroutines the cell left behind.
	Running int
}

// Engine runs checked cells. It is used from one goroutine, but for Stale.
type Engine interface {
	// Load compiles a unit. A *Refused error says that the engine would run it wrongly.
	Load(u *Unit) (Program, error)
	// Run runs what Load returned, on a goroutine of its own: a builtin that ends the cell records why and calls
	// runtime.Goexit, which is an ordinary end for the engine. Panics never escape.
	Run(ctx context.Context, p Program, c Conditions) Outcome
	// Stale reports whether the calling goroutine was started by an earlier run: the host ends it when it calls a native, so
	// that it cannot touch a later cell. Safe for concurrent use.
	Stale() bool
	// Var returns the current value of a package-level variable by its name in the hoisted file, as a plain Go value
	// (not wrapped in anything of the engine's own, inside of interfaces neither where that can be had).
	Var(name string) (value any, ok bool)
}

// Program is a loaded unit, as its engine knows it.
type Program any

// Refused says why an engine will not run valid Go, and what to write instead.
type Refused struct {
	Pos       token.Pos
	Construct string
	Why       string
	Instead   string
}

func (r *Refused) Error() string { return r.Construct + ": " + r.Why + "; " + r.Instead }
