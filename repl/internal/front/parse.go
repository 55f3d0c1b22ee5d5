package front

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

// entryName is the function that holds a cell's statements while it is looked at.
const entryName = "cell" + mark

// cell is a parsed cell: declarations of one file, and the statements as the body of one function.
type cell struct {
	number  int
	source  string // as written, line ends normalised
	file    *ast.File
	entry   *ast.FuncDecl // the statements, while they are looked at
	body    *ast.BlockStmt
	imports []*ast.ImportSpec
	// program is set for a cell without statements: its variables are initialised in order of dependency.
	program bool
	// unresolved are the identifiers that nothing in the cell declares.
	unresolved map[*ast.Ident]bool
	// quoted are identifiers that became string literals, as written.
	quoted map[ast.Expr]string
}

// parse turns a cell's text into a file. Every chunk keeps its place through a //line comment.
func parse(fset *token.FileSet, number int, source string) (*cell, Errors) {
	source = normalize(source)
	if len(source) > MaxSource {
		return nil, Errors{{Message: fmt.Sprintf("the cell has %d bytes of source, more than the %d that are allowed; long text belongs into the context, not into code", len(source), MaxSource)}}
	}
	if i := validText(source); i >= 0 {
		line, column := lineColumn(source, i)
		return nil, Errors{{Line: line, Column: column, Message: "invalid UTF-8 encoding"}}
	}
	chunks, clean, failed := split(source, number == 0)
	if failed != nil {
		failed.Hint = leftover(source, failed.Line)
		return nil, Errors{failed}
	}
	if e := numberedLines(source); e != nil {
		return nil, Errors{e}
	}
	c := &cell{number: number, source: source, quoted: map[ast.Expr]string{}}
	file, err := parser.ParseFile(fset, c.position(), compose(c, clean, chunks), 0)
	if errs := syntaxErrors(source, err); errs != nil {
		return nil, errs
	}
	c.take(file)
	return c, nil
}

// position is the file name in positions of the cell.
func (c *cell) position() string { return cellFile(c.number) }

func cellFile(number int) string { return "cell " + strconv.Itoa(number) }

// compose lays the chunks out as a Go file: imports, declarations, then the statements in a function.
func compose(c *cell, src string, chunks []chunk) string {
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
	c.program = isProgram(src, chunks)
	each(importDecl)
	each(declaration)
	if c.program {
		each(statements)
	}
	b.WriteString("func " + entryName + "() {\n")
	if !c.program {
		each(statements)
	}
	b.WriteString("}\n")
	return b.String()
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

// onlyVars reports whether a run of statements consists of variable declarations.
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

// take picks the parts of the parsed file.
func (c *cell) take(file *ast.File) {
	c.file = file
	c.imports = file.Imports
	decls := file.Decls[:0:0]
	for _, d := range file.Decls {
		if fd, ok := d.(*ast.FuncDecl); ok && fd.Recv == nil && fd.Name.Name == entryName {
			c.entry, c.body = fd, fd.Body
			continue
		}
		if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.IMPORT {
			continue
		}
		decls = append(decls, d)
	}
	file.Decls = decls
	file.Imports = nil
	c.unresolved = make(map[*ast.Ident]bool, len(file.Unresolved))
	for _, id := range file.Unresolved {
		c.unresolved[id] = true
	}
}

// syntaxErrors are the parser's, at most three: what follows the first is often its echo.
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
		if len(out) > 0 && (out[0].Hint != "" || out[len(out)-1].Line == line || strings.HasSuffix(e.Msg, "found 'EOF'")) {
			continue
		}
		if len(out) == 3 {
			break
		}
		msg, _, _ := strings.Cut(strings.ReplaceAll(e.Msg, entryName, "the cell"), "\n")
		if e.Pos.Line > lineCount(source) { // the brace is the wrapping's
			msg = strings.ReplaceAll(msg, "found '}'", "found the end of the cell")
		}
		out = append(out, &Error{Line: line, Column: column, Message: "syntax error: " + msg, Hint: leftover(source, line)})
	}
	return out
}

// inCell keeps a position within the cell: what the wrapping adds lies behind its end.
func inCell(source string, p token.Position) (line, column int) {
	if p.Line > lineCount(source) {
		return lineColumn(source, len(strings.TrimRight(source, " \t\n")))
	}
	return p.Line, p.Column
}

func lineCount(source string) int {
	return strings.Count(strings.TrimRight(source, "\n"), "\n") + 1
}
