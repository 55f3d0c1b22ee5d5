package main

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/tools/go/packages"
)

// mutant is one change of an operator of a room, and its outcome.
type mutant struct {
	File         string
	Type         string
	Status       string // killed, lived, notViable or timedOut
	Line, Column int
	Source       string // the changed line, without indentation

	id      int
	from    int // offset of the operator in the file
	old, by token.Token
	woven   bool    // the room's woven code contains it, and needs not be built again for it
	twin    *mutant // the same change under another name
}

const (
	killed    = "KILLED"
	lived     = "LIVED"
	notViable = "NOT VIABLE" // it does not compile
	timedOut  = "TIMED OUT"
)

// changes are the operators that are changed, as gremlins changes them by default.
var changes = map[token.Token][]struct {
	kind string
	by   token.Token
}{
	token.ADD: {{"ARITHMETIC_BASE", token.SUB}},
	token.SUB: {{"INVERT_NEGATIVES", token.ADD}, {"ARITHMETIC_BASE", token.ADD}},
	token.MUL: {{"ARITHMETIC_BASE", token.QUO}},
	token.QUO: {{"ARITHMETIC_BASE", token.MUL}},
	token.REM: {{"ARITHMETIC_BASE", token.MUL}},
	token.INC: {{"INCREMENT_DECREMENT", token.DEC}},
	token.DEC: {{"INCREMENT_DECREMENT", token.INC}},
	token.EQL: {{"CONDITIONALS_NEGATION", token.NEQ}},
	token.NEQ: {{"CONDITIONALS_NEGATION", token.EQL}},
	token.LSS: {{"CONDITIONALS_BOUNDARY", token.LEQ}, {"CONDITIONALS_NEGATION", token.GEQ}},
	token.LEQ: {{"CONDITIONALS_BOUNDARY", token.LSS}, {"CONDITIONALS_NEGATION", token.GTR}},
	token.GTR: {{"CONDITIONALS_BOUNDARY", token.GEQ}, {"CONDITIONALS_NEGATION", token.LEQ}},
	token.GEQ: {{"CONDITIONALS_BOUNDARY", token.GTR}, {"CONDITIONALS_NEGATION", token.LSS}},
}

// source is one file of a room.
type source struct {
	name    string // base name
	path    string
	text    string
	syntax  *ast.File
	mutants map[ast.Node][]*mutant
}

// room is a package, loaded.
type room struct {
	dir   string
	pkg   *packages.Package
	files []*source
	all   []*mutant
	grace time.Duration
}

// load reads a room and finds its mutants. They are numbered from 1.
func load(dir string) (*room, error) {
	loaded, err := packages.Load(&packages.Config{Mode: packages.LoadSyntax, Dir: dir}, ".")
	if err != nil {
		return nil, fmt.Errorf("load %s: %w", dir, err)
	}
	if len(loaded) == 0 {
		return nil, fmt.Errorf("load %s: there is no package", dir)
	}
	r := &room{dir: dir, pkg: loaded[0], grace: 10 * time.Second}
	if len(r.pkg.Errors) > 0 {
		return nil, fmt.Errorf("load %s: %w", dir, r.pkg.Errors[0])
	}
	for i, syntax := range r.pkg.Syntax {
		f := &source{path: r.pkg.CompiledGoFiles[i], syntax: syntax, mutants: map[ast.Node][]*mutant{}}
		f.name = filepath.Base(f.path)
		text, err := os.ReadFile(f.path)
		if err != nil {
			return nil, fmt.Errorf("load %s: %w", dir, err)
		}
		f.text = string(text)
		r.files = append(r.files, f)
	}
	slices.SortFunc(r.files, func(a, b *source) int { return cmp.Compare(a.name, b.name) })
	for _, f := range r.files {
		ast.Inspect(f.syntax, func(n ast.Node) bool {
			r.find(f, n)
			return true
		})
	}
	if len(r.all) == 0 {
		return nil, fmt.Errorf("%s has no mutants", dir)
	}
	return r, nil
}

func (r *room) find(f *source, n ast.Node) {
	var pos token.Pos
	var old token.Token
	switch n := n.(type) {
	case *ast.BinaryExpr:
		pos, old = n.OpPos, n.Op
	case *ast.UnaryExpr:
		pos, old = n.OpPos, n.Op
		if old == token.ADD { // says nothing: the change of -x
			return
		}
	case *ast.IncDecStmt:
		pos, old = n.TokPos, n.Tok
	}
	at := r.pkg.Fset.Position(pos)
	for _, c := range changes[old] {
		lines := strings.Split(f.text, "\n")
		m := &mutant{
			File: f.name, Type: c.kind, Line: at.Line, Column: at.Column, Source: strings.TrimSpace(lines[at.Line-1]),
			id: len(r.all) + 1, from: at.Offset, old: old, by: c.by,
		}
		if others := f.mutants[n]; len(others) > 0 && others[0].by == m.by {
			m.twin = others[0]
		}
		r.all = append(r.all, m)
		f.mutants[n] = append(f.mutants[n], m)
	}
}

// alone returns a file's text with one change.
func (f *source) alone(m *mutant) string {
	return f.text[:m.from] + m.by.String() + f.text[m.from+len(m.old.String()):]
}

// name writes a type as the code of a file would, and reports whether it can.
func (r *room) name(f *source, t types.Type) (string, bool) {
	can := true
	text := types.TypeString(t, func(p *types.Package) string {
		if p == r.pkg.Types {
			return ""
		}
		for _, imported := range f.syntax.Imports {
			if imported.Path.Value == `"`+p.Path()+`"` && imported.Name == nil {
				return p.Name()
			}
		}
		can = false
		return p.Name()
	})
	return text, can && !strings.HasPrefix(text, "untyped")
}
