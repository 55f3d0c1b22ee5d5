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
		from := f.tupleTypes(s.Results[0])
		for i := range n {
			texts = append(texts, f.convert(temps[i], from[i], f.results.At(i).Type(), s.Pos()))
		}
	}
	f.ended()
	if f.defers == "" && len(texts) > 0 {
		f.emit("return %s", strings.Join(texts, ", "))
		return
	}
	for i, t := range texts { // the body is in a closure inside Protect, so it assigns to the results
		if t != f.named[i] {
			f.emit("%s = %s", f.named[i], t)
		}
	}
	f.bareReturn()
}

// bareReturn writes a return without values, after a statement that does nothing: if a branch leads directly to
// such a return, the interpreter loops forever.
func (f *fn) bareReturn() {
	f.emit("%s := 0", f.fresh("d"))
	f.emit("return")
}

// temps stores the results of the function in temporary variables, in order.
func (f *fn) temps(texts []string, pos token.Pos) []string {
	out := make([]string, len(texts))
	for i, t := range texts {
		out[i] = f.fresh("t")
		f.emit("var %s %s = %s", out[i], f.typ(f.results.At(i).Type(), pos), t)
	}
	return out
}
