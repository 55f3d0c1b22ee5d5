package lower

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// rangeFrame is the state of a range over a function whose body is a function literal.
type rangeFrame struct {
	state   string
	phase   string // the variable that holds how far the loop is, as dyn.Runtime.RangeState knows it
	results []string
	returns bool
}

// rangeFunc is the innermost range over a function around the current statement.
func (f *fn) rangeFunc() *rangeFrame {
	for i := len(f.loops) - 1; i >= 0; i-- {
		if f.loops[i].iter != nil {
			return f.loops[i].iter
		}
	}
	return nil
}

// rangeOverFunc lowers a range over a function: the body becomes the function that is handed to it.
func (f *fn) rangeOverFunc(s *ast.RangeStmt, sig *types.Signature, label string) {
	yield := sig.Params().At(0).Type().Underlying().(*types.Signature)
	it := f.fresh("iterator")
	f.emit("%s := %s", it, f.value(s.X))
	frame := &rangeFrame{state: f.fresh("state")}
	f.emit("%s := 0", frame.state)
	if f.results != nil {
		for i := range f.results.Len() {
			name := f.fresh("result")
			if f.named != nil {
				name = f.named[i]
			} else {
				f.emit("var %s %s", name, f.typ(f.results.At(i).Type(), s.Pos()))
			}
			frame.results = append(frame.results, name)
		}
	}
	var params, names []string
	for i := range yield.Params().Len() {
		n := f.fresh("y")
		names = append(names, n)
		params = append(params, n+" "+f.typ(yield.Params().At(i).Type(), s.Pos()))
	}
	phase := f.fresh("phase")
	frame.phase = phase
	f.emit("%s := 0", phase)
	f.push(&loopFrame{label: label, loop: true, iter: frame})
	f.emit("%s(func(%s) bool {", it, strings.Join(params, ", "))
	f.emit("if %s != 0 { rt.RangeState(%s, %d) }", phase, phase, f.site(s.Pos()))
	f.emit("%s = 1", phase)
	f.bindRange(s, names, f.typesOf(yield.Params()))
	f.stmts(s.Body.List)
	f.emit("%s = 0", phase)
	f.emit("return true")
	f.emit("})")
	f.emit("if %s == 1 { rt.RangeState(4, %d) }", phase, f.site(s.Pos()))
	f.emit("%s = 3", phase)
	f.pop()
	if frame.returns {
		f.emit("if %s == -1 {", frame.state)
		f.returnTexts(frame.results, s.Pos())
		f.emit("}")
	}
}

// bindRange gives the variables of a range statement their values of this round.
func (f *fn) bindRange(s *ast.RangeStmt, texts []string, from []types.Type) {
	for i, e := range []ast.Expr{s.Key, s.Value} {
		if e == nil || isBlank(e) || i >= len(texts) {
			continue
		}
		if s.Tok == token.DEFINE {
			if v := f.defined(e); v != nil {
				f.define(v, f.convert(texts[i], from[i], f.objType(v), e.Pos()), e.Pos())
				continue
			}
		}
		f.marked = false
		place := f.place(e)
		f.emit("%s = %s", place, f.convert(texts[i], from[i], f.typeOf(e), e.Pos()))
	}
}
