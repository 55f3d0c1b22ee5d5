package sandbox

import (
	"go/scanner"
	"go/token"
	"maps"
	"slices"

	"github.com/gorlm/rlm/repl"
)

// nameRecord describes a name of a notebook.
type nameRecord struct {
	cell     int    // number of the cell that set or declared it last
	variable bool   // not a function, type or constant
	digest   string // digest of a variable's value; "" if there is none
}

// nameTable contains the names in a notebook.
type nameTable map[string]nameRecord

func holdingsOf(records []CellRecord) nameTable {
	h := nameTable{}
	for _, record := range records {
		h.add(record, record.Changed)
	}
	return h
}

// add adds the names that a cell declared, and the variables that it changed.
func (h nameTable) add(c CellRecord, changed []repl.Var) {
	for _, name := range declared(c.Source) {
		h[name] = nameRecord{cell: c.Cell}
	}
	for _, v := range changed {
		h[v.Name] = nameRecord{cell: c.Cell, variable: true, digest: v.Digest}
	}
}

func (h nameTable) names() []string { return slices.Sorted(maps.Keys(h)) }

// namesOf returns the names of the variables that a cell set, and those it declared.
func namesOf(c CellRecord) []string { return holdingsOf([]CellRecord{c}).names() }

// compare lists the names that are missing in now, and those whose meaning differs there. A name without a digest
// differs if the cell that set it strayed, and another cell has set it in now. builtin reports whether a variable
// exists from the start.
func (h nameTable) compare(
	now nameTable, astray func(cell int) bool, builtin func(name string) bool,
) (gone, differing []string) {
	for name, was := range h {
		is, ok := now[name]
		switch {
		case !ok && builtin(name):
			differing = append(differing, name)
		case !ok:
			gone = append(gone, name)
		case was.variable && is.variable && was.digest != "" && is.digest != "":
			if was.digest != is.digest {
				differing = append(differing, name)
			}
		case was.variable != is.variable || astray(was.cell) && was.cell != is.cell:
			differing = append(differing, name)
		}
	}
	slices.Sort(gone)
	slices.Sort(differing)
	return gone, differing
}

// declared lists the functions, types and constants that a source declares at its top level.
func declared(source string) (names []string) {
	var s scanner.Scanner
	s.Init(token.NewFileSet().AddFile("", -1, len(source)), []byte(source), func(token.Position, string) {}, 0)
	depth, group, before := 0, false, token.SEMICOLON
	constants := false // inside a constant declaration, which can declare several names on a line
	listed := false    // the last token was a name declared on such a line, or the comma after it
	for {
		_, tok, text := s.Scan()
		switch tok {
		case token.EOF:
			return names
		case token.CONST:
			constants = constants || depth == 0
		case token.LPAREN, token.LBRACE, token.LBRACK:
			group = group || depth == 0 && (before == token.TYPE || before == token.CONST)
			depth++
		case token.RPAREN, token.RBRACE, token.RBRACK:
			depth--
			group = group && depth > 0
			constants = constants && depth > 0
		case token.SEMICOLON:
			constants = constants && group
		case token.IDENT:
			alone := depth == 0 && (before == token.FUNC || before == token.TYPE || before == token.CONST)
			grouped := group && depth == 1 && (before == token.LPAREN || before == token.SEMICOLON)
			more := constants && listed && before == token.COMMA
			if (alone || grouped || more) && text != "_" &&
				!(before == token.FUNC && (text == "main" || text == "init")) {
				names = append(names, text)
			}
			listed = alone || grouped || more
		}
		listed = listed && (tok == token.IDENT || tok == token.COMMA)
		before = tok
	}
}
