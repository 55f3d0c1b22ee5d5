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
		built := false
		for i, r := range s.Results {
			text := ""
			if f.named != nil || f.rangeFunc() != nil {
				text = f.settled(r, f.results.At(i).Type())
			} else {
				text = f.conv(r, f.results.At(i).Type())
			}
			texts = append(texts, text)
			built = built || f.callsBuiltin(r)
		}
		if n > 1 && (f.named != nil || built) {
			texts = f.temps(texts, s.Pos())
		}
	default:
		temps := f.tupleTemps(s.Results[0])
		from := f.tupleTypes(s.Results[0], n)
		for i := range n {
			texts = append(texts, f.convert(temps[i], from[i], f.results.At(i).Type(), s.Pos()))
		}
	}
	f.returnTexts(texts, s.Pos())
}

// callsBuiltin reports whether a result is a call of a builtin: the interpreter stores it as the first result.
func (f *fn) callsBuiltin(e ast.Expr) bool {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	return ok && f.info.Types[call.Fun].IsBuiltin()
}

// returnTexts returns values from wherever the function's body stands: in the function itself, in the closure that
// protects it, or in the body of a range over a function.
func (f *fn) returnTexts(texts []string, pos token.Pos) {
	if r := f.rangeFunc(); r != nil {
		r.returns = true
		for i, t := range texts {
			if t != r.results[i] {
				f.emit("%s = %s", r.results[i], t)
			}
		}
		f.emit("%s = 2", r.phase)
		f.emit("%s = -1", r.state)
		f.emit("return false")
		return
	}
	if f.defers != "" {
		f.ended()
		for i, t := range texts {
			if t != f.named[i] {
				f.emit("%s = %s", f.named[i], t)
			}
		}
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
