package lower

import (
	"go/ast"
	"go/token"
	"strings"
)

func (f *fn) returnStmt(s *ast.ReturnStmt) {
	n := 0
	if f.results != nil {
		n = f.results.Len()
	}
	var texts []string
	switch {
	case len(s.Results) == 0:
		texts = f.named
	case len(s.Results) == n:
		for i, r := range s.Results {
			texts = append(texts, f.settled(r, f.results.At(i).Type()))
		}
		if n > 1 {
			texts = f.temps(texts, s.Pos())
		}
	default:
		temps := f.tupleTemps(s.Results[0])
		from := f.tupleTypes(s.Results[0], n)
		for i := range n {
			texts = append(texts, f.convert(temps[i], from[i], f.results.At(i).Type(), s.Pos()))
		}
	}
	f.returnTexts(texts)
}

// returnTexts returns values from wherever the function's body stands: in the function itself, or in the closure that
// protects it, or in the body of a range over a function.
func (f *fn) returnTexts(texts []string) {
	if l := f.rangeOver(); l != nil {
		f.setNamed(texts)
		f.emit("%s = true", l.over)
		f.emit("%s = true", l.returned)
		f.emit("return false")
		return
	}
	if f.defers != "" {
		f.ended()
		f.setNamed(texts)
		f.bareReturn()
		return
	}
	f.ended()
	if len(texts) == 0 {
		f.bareReturn()
		return
	}
	f.emit("return %s", strings.Join(texts, ", "))
}

func (f *fn) setNamed(texts []string) {
	for i, t := range texts {
		if t != f.named[i] {
			f.emit("%s = %s", f.named[i], t)
		}
	}
}

// bareReturn is a return without values. The interpreter loops forever where a branch leads straight to one.
func (f *fn) bareReturn() {
	f.emit("%s := 0", f.fresh("d"))
	f.emit("return")
}

// temps puts the results of the function into temporaries, in order.
func (f *fn) temps(texts []string, pos token.Pos) []string {
	out := make([]string, len(texts))
	for i, t := range texts {
		out[i] = f.fresh("t")
		f.emit("var %s %s = %s", out[i], f.typ(f.results.At(i).Type(), pos), t)
	}
	return out
}
