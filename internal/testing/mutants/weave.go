package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// helpers is a file that is woven into a room: its mutants are in the code all at once, and a number in the
// environment says which of them is active. With the name of a file instead, whatever mutants the code comes across
// are written there.
const helpers = `

import (
	"cmp"
	"os"
	"strconv"
	"sync"
)

var (
	mutantActive, mutantRecording = mutantSwitch()
	mutantsSeen sync.Map
)

func mutantSwitch() (int, bool) {
	id, err := strconv.Atoi(os.Getenv("` + active + `"))
	return id, err != nil && os.Getenv("` + active + `") != ""
}

func mutantOn(id int) bool {
	if mutantRecording {
		if _, seen := mutantsSeen.LoadOrStore(id, true); !seen {
			f, err := os.OpenFile(os.Getenv("` + active + `"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
			if err == nil {
				f.WriteString(strconv.Itoa(id) + "\n")
				f.Close()
			}
		}
	}
	return mutantActive == id
}

type mutantInt interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uintptr
}

type mutantNumber interface{ mutantInt | ~float32 | ~float64 }

func mutantLSS[T cmp.Ordered](id int, x, y T) bool { return x < y || mutantOn(id) && x == y }
func mutantLEQ[T cmp.Ordered](id int, x, y T) bool { on := mutantOn(id); return x < y || !on && x == y }
func mutantGTR[T cmp.Ordered](id int, x, y T) bool { return x > y || mutantOn(id) && x == y }
func mutantGEQ[T cmp.Ordered](id int, x, y T) bool { on := mutantOn(id); return x > y || !on && x == y }

func mutantADD[T mutantNumber](id int, x, y T) T { if mutantOn(id) { return x - y }; return x + y }
func mutantSUB[T mutantNumber](id int, x, y T) T { if mutantOn(id) { return x + y }; return x - y }
func mutantMUL[T mutantNumber](id int, x, y T) T { if mutantOn(id) { return x / y }; return x * y }
func mutantQUO[T mutantNumber](id int, x, y T) T { if mutantOn(id) { return x * y }; return x / y }
func mutantREM[T mutantInt](id int, x, y T) T { if mutantOn(id) { return x * y }; return x % y }
func mutantNEG[T mutantNumber](id int, x T) T { if mutantOn(id) { return x }; return -x }
func mutantOne[T mutantNumber](id int) T { var none T; if mutantOn(id) { return none - 1 }; return 1 }
func mutantOf[T any](id int, x, y T) T { if mutantOn(id) { return y }; return x }
`

// active is the variable of the environment that names the active mutant.
const active = "MUTANT_ACTIVE"

var operators = map[token.Token]string{
	token.LSS: "LSS", token.LEQ: "LEQ", token.GTR: "GTR", token.GEQ: "GEQ",
	token.ADD: "ADD", token.SUB: "SUB", token.MUL: "MUL", token.QUO: "QUO", token.REM: "REM",
}

// weaver weaves the mutants of one file into its text, which keeps its lines. It leaves those alone that need a build
// of their own: changed constants, and lines that did not compile.
type weaver struct {
	room *room
	file *source
	skip map[int]bool // lines
}

func (w *weaver) weave() string {
	for _, mutants := range w.file.mutants {
		for _, m := range mutants {
			m.woven = false
		}
	}
	return w.children(w.file.syntax, 0, len(w.file.text))
}

func (w *weaver) offset(p token.Pos) int { return w.room.pkg.Fset.Position(p).Offset }

// plain returns the text of a node as it is.
func (w *weaver) plain(n ast.Node) string { return w.file.text[w.offset(n.Pos()):w.offset(n.End())] }

// node returns the woven text of a node.
func (w *weaver) node(n ast.Node) string {
	if text, ok := w.changed(n); ok {
		return text
	}
	return w.children(n, w.offset(n.Pos()), w.offset(n.End()))
}

// children returns the text from one offset to another, in which the nodes below n are woven.
func (w *weaver) children(n ast.Node, from, to int) string {
	var b strings.Builder
	ast.Inspect(n, func(child ast.Node) bool {
		if child == nil || child == n {
			return child != nil
		}
		text, ok := w.changed(child)
		if ok {
			b.WriteString(w.file.text[from:w.offset(child.Pos())] + text)
			from = w.offset(child.End())
		}
		return !ok
	})
	b.WriteString(w.file.text[from:to])
	return b.String()
}

// constant reports whether nothing below a node may be changed while the program runs. A constant that is an operation
// itself is one of a mutant's operands.
func (w *weaver) constant(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.GenDecl:
		return n.Tok == token.CONST
	case *ast.ArrayType:
		return n.Len != nil
	case ast.Expr:
		return len(w.file.mutants[n]) == 0 && w.room.pkg.TypesInfo.Types[n].Value != nil
	}
	return false
}

// changed returns the text of a node that has mutants which can be woven, or in which nothing can be.
func (w *weaver) changed(n ast.Node) (string, bool) {
	if w.constant(n) {
		return w.plain(n), true
	}
	mutants := w.file.mutants[n]
	if len(mutants) == 0 || w.skip[mutants[0].Line] {
		return "", false
	}
	text := w.write(n, mutants)
	if text == "" {
		return "", false
	}
	for _, m := range mutants {
		m.woven = true
	}
	return text, true
}

// write writes a node with its mutants, or nothing if that cannot be.
func (w *weaver) write(n ast.Node, mutants []*mutant) string {
	typeOf := func(e ast.Expr) types.TypeAndValue { return w.room.pkg.TypesInfo.Types[e] }
	first, last := mutants[0].id, mutants[len(mutants)-1].id
	if e, ok := n.(ast.Expr); ok && typeOf(e).Value != nil {
		of, can := w.room.name(w.file, typeOf(e).Type)
		if !can || types.Identical(typeOf(e).Type.Underlying(), types.Typ[types.String]) {
			return ""
		}
		at, m := w.offset(n.Pos()), mutants[0]
		other := w.plain(n)[:m.from-at] + m.by.String() + w.plain(n)[m.from-at+len(m.old.String()):]
		return fmt.Sprintf("mutantOf[%s](%d, %s, %s)", of, first, w.plain(n), strings.ReplaceAll(other, "\n", " "))
	}
	switch n := n.(type) {
	case *ast.IncDecStmt:
		of, can := w.room.name(w.file, typeOf(n.X).Type)
		if !can {
			return ""
		}
		return fmt.Sprintf("%s %s= mutantOne[%s](%d)", w.node(n.X), n.Tok.String()[:1], of, first)
	case *ast.UnaryExpr:
		return fmt.Sprintf("mutantNEG(%d, %s)", first, w.node(n.X))
	case *ast.BinaryExpr:
		operands := n.X
		if typeOf(n.X).Value != nil {
			operands = n.Y
		}
		of, can := w.room.name(w.file, typeOf(operands).Type)
		if can {
			of = "[" + of + "]"
		} else {
			of = ""
		}
		switch n.Op {
		case token.EQL, token.NEQ:
			return fmt.Sprintf("((%s %s%s) != mutantOn(%d))", w.node(n.X), n.Op, w.between(n)+w.node(n.Y), last)
		case token.LSS, token.LEQ, token.GTR, token.GEQ:
			return fmt.Sprintf("(mutant%s%s(%d, %s,%s) != mutantOn(%d))",
				operators[n.Op], of, first, w.node(n.X), w.between(n)+w.node(n.Y), last)
		}
		if b, ok := typeOf(n).Type.Underlying().(*types.Basic); ok && b.Info()&types.IsString != 0 {
			return ""
		}
		return fmt.Sprintf("mutant%s%s(%d, %s,%s)", operators[n.Op], of, first, w.node(n.X), w.between(n)+w.node(n.Y))
	}
	return ""
}

// between returns the line ends behind an operator.
func (w *weaver) between(n *ast.BinaryExpr) string {
	return strings.Repeat("\n", strings.Count(w.file.text[w.offset(n.OpPos):w.offset(n.Y.Pos())], "\n")) + " "
}
