// Package cell turns the text of a cell into syntax: it splits the text into imports, declarations and
// statements, which may come in any order, and limits the size and nesting of what is parsed.
package cell

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"strconv"
	"strings"
)

// Cell is a parsed cell: the declarations of one file, and the statements as the body of one function.
type Cell struct {
	// Number is the number of the cell; positions are in the file "cell N".
	Number int
	// Source is the cell as written, with line ends normalised.
	Source string
	// File contains the declarations, without the imports.
	File *ast.File
	// Entry is the function that contains the statements, and Body its body.
	Entry *ast.FuncDecl
	Body  *ast.BlockStmt
	// Imports are the imports written in the cell.
	Imports []*ast.ImportSpec
	// Program is set for a cell without statements. Its variables are initialised in the order of their
	// dependencies.
	Program bool
	// Unresolved are the identifiers that the cell does not declare.
	Unresolved map[*ast.Ident]bool

	fset *token.FileSet
}

// Parse turns the text of a cell into syntax. Number 0 is the host's own source; only that may use names with a
// Mark.
func Parse(fset *token.FileSet, number int, source string) (*Cell, Errors) {
	source = normalize(source)
	if len(source) > MaxSource {
		return nil, Errors{{Message: fmt.Sprintf(
			"the cell has %d bytes of source, more than the %d that are allowed; long text belongs into the context, not into code", len(source), MaxSource)}}
	}
	if i := validText(source); i >= 0 {
		line, column := lineColumn(source, i)
		return nil, Errors{{Line: line, Column: column, Message: "invalid UTF-8 encoding"}}
	}
	chunks, clean, failed := split(source, number == 0)
	if failed != nil {
		failed.Hint = leftover(source, failed.Line, failed.Message)
		return nil, Errors{failed}
	}
	if e := numberedLines(source); e != nil {
		return nil, Errors{e}
	}
	c := &Cell{Number: number, Source: source, fset: fset}
	file, err := parser.ParseFile(fset, c.position(), compose(c, clean, chunks), 0)
	if errs := syntaxErrors(source, err); errs != nil {
		return nil, errs
	}
	c.take(file)
	if e := c.withoutBody(); e != nil {
		return nil, Errors{e}
	}
	c.assignAgain()
	return c, nil
}

// position returns the file name that positions in the cell have.
func (c *Cell) position() string { return cellFile(c.Number) }

func cellFile(number int) string { return "cell " + strconv.Itoa(number) }

// compose arranges the chunks as a Go file: imports, declarations, then the statements in a function.
func compose(c *Cell, src string, chunks []chunk) string {
	var b strings.Builder
	b.Grow(len(src) + 64*len(chunks) + 64)
	b.WriteString("package main\n")
	place := func(ch chunk) {
		line, column := lineColumn(src, ch.start)
		fmt.Fprintf(&b, "//line %s:%d:%d\n%s\n", c.position(), line, column, src[ch.start:ch.end])
	}
	each := func(kind chunkKind) {
		for _, ch := range chunks {
			if ch.kind == kind {
				place(ch)
			}
		}
	}
	c.Program = isProgram(src, chunks)
	each(importDecl)
	each(declaration)
	if c.Program {
		each(statements)
	}
	b.WriteString("func " + EntryName + "() {\n")
	if !c.Program {
		each(statements)
	}
	b.WriteString("}\n")
	return b.String()
}

// Declarations returns the imports, constants, types and functions of a cell, as written.
func Declarations(source string) []string {
	source = normalize(source)
	chunks, _, failed := split(source, false)
	if failed != nil {
		return nil
	}
	var out []string
	for _, kind := range []chunkKind{importDecl, declaration} {
		for _, ch := range chunks {
			if ch.kind == kind {
				out = append(out, strings.TrimSpace(source[ch.start:ch.end]))
			}
		}
	}
	return out
}

// isProgram reports whether a cell consists of declarations only.
func isProgram(src string, chunks []chunk) bool {
	for _, ch := range chunks {
		if ch.kind == statements && !onlyVars(src[ch.start:ch.end]) {
			return false
		}
	}
	return true
}

// onlyVars reports whether a chunk of statements consists of variable declarations.
func onlyVars(src string) bool {
	file, err := parser.ParseFile(token.NewFileSet(), "", "package p;"+src, parser.SkipObjectResolution)
	if err != nil {
		return false
	}
	for _, d := range file.Decls {
		if g, ok := d.(*ast.GenDecl); !ok || g.Tok != token.VAR {
			return false
		}
	}
	return true
}

// take fills the fields of c from the parsed file.
func (c *Cell) take(file *ast.File) {
	c.File = file
	c.Imports = file.Imports
	decls := file.Decls[:0:0]
	for _, d := range file.Decls {
		if fd, ok := d.(*ast.FuncDecl); ok && fd.Recv == nil && fd.Name.Name == EntryName {
			c.Entry, c.Body = fd, fd.Body
			continue
		}
		if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.IMPORT {
			continue
		}
		decls = append(decls, d)
	}
	file.Decls = decls
	file.Imports = nil
	c.Unresolved = make(map[*ast.Ident]bool, len(file.Unresolved))
	for _, id := range file.Unresolved {
		c.Unresolved[id] = true
	}
}

// withoutBody returns an error for the first function without a body, which would have to be implemented in another
// language.
func (c *Cell) withoutBody() *Error {
	for _, d := range c.File.Decls {
		if fd, ok := d.(*ast.FuncDecl); ok && fd.Body == nil {
			return c.ErrorAt(fd.Name.Pos(), "missing function body", "write what it does between { and }")
		}
	}
	return nil
}

// syntaxErrors returns the parser's first errors, at most three, because later ones are often consequences of
// these.
func syntaxErrors(source string, err error) Errors {
	if err == nil {
		return nil
	}
	var list scanner.ErrorList
	if !errors.As(err, &list) {
		return Errors{{Message: err.Error()}}
	}
	var out Errors
	for _, e := range list {
		line, column := inCell(source, e.Pos)
		if len(out) > 0 && (out[0].Hint != "" || out[len(out)-1].Line == line ||
			strings.HasSuffix(e.Msg, "found 'EOF'")) {
			continue
		}
		if len(out) == 3 {
			break
		}
		msg, _, _ := strings.Cut(strings.ReplaceAll(e.Msg, EntryName, "the cell"), "\n")
		if e.Pos.Line > lineCount(source) { // the error is at the brace that compose adds
			msg = strings.ReplaceAll(msg, "found '}'", "found the end of the cell")
		}
		out = append(out, &Error{
			Line: line, Column: column, Message: "syntax error: " + msg, Hint: leftover(source, line, msg),
		})
	}
	return out
}

// inCell returns the line and column of a position in the cell. A position in text that compose added becomes the
// end of the cell.
func inCell(source string, p token.Position) (line, column int) {
	if p.Line > lineCount(source) {
		return lineColumn(source, len(strings.TrimRight(source, " \t\n")))
	}
	return p.Line, p.Column
}

func lineCount(source string) int {
	return strings.Count(strings.TrimRight(source, "\n"), "\n") + 1
}
