package engine

import (
	"go/ast"
	"go/token"
	"go/types"
)

// Unit is a type-checked cell, as one hoisted file of package main: every top-level variable, function and type of
// the session is a package-level declaration, and the cell's statements are in a function.
//
// A package-level name is declared only once in a session. If a cell declares it again, it gets another name in the
// hoisted file (x, then xʹ2; see cell.Mark). Engines identify declarations of earlier units by these names, never
// by the identity of their types.Object, because the objects of the whole session are sometimes made again.
// Package-level variables are declared with a type and without a value; the entry function assigns to them in the
// order of the cell.
//
// An object is declared at package level if the parent of its parent is types.Universe. A method may be declared
// for a type of an earlier unit.
//
// Types and objects are those of the hoisted file. //line comments map positions to the cell (file "cell N").
type Unit struct {
	// Cell is the cell's number; 0 is the host's own source.
	Cell int
	Fset *token.FileSet
	File *ast.File
	Pkg  *types.Package
	Info *types.Info
	// Entry is the name of the function that contains the cell's statements; empty if there are none.
	Entry string
	// Imports are the import paths that the file uses, including those that the cell does not import itself.
	Imports []string
	// Vars are the package-level variables that this unit declares, with new storage; it refers to variables of
	// earlier cells by name.
	Vars []*types.Var
	// Remade lists the generic functions and methods of earlier units whose objects were made again for this unit;
	// RemadeInfo is the type checker's result for them, with the new objects.
	Remade     []*ast.FuncDecl
	RemadeInfo *types.Info
	// Source is the cell as written.
	Source string
}
