package lower

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// rangeOverFunc lowers a range over a function: the body becomes the function that is handed to it.
func (f *fn) rangeOverFunc(s *ast.RangeStmt, sig *types.Signature, label string) {
	yield := sig.Params().At(0).Type().Underlying().(*types.Signature)
	it, frame := f.fresh("iterator"), &loopFrame{label: label, loop: true, over: f.fresh("over"), returned: f.fresh("returned")}
	f.emit("%s := %s", it, f.value(s.X))
	f.emit("%s, %s := false, false", frame.over, frame.returned)
	var params, names []string
	for v := range yield.Params().Variables() {
		n := f.fresh("y")
		names = append(names, n)
		params = append(params, n+" "+f.typ(v.Type(), s.Pos()))
	}
	f.push(frame)
	f.emit("%s(func(%s) bool {", it, strings.Join(params, ", "))
	f.emit("if %s { rt.Panic(any(\"it continued after the loop\")) }", frame.over)
	f.bindRange(s, names, f.typesOf(yield.Params()))
	f.stmts(s.Body.List)
	f.emit("return true")
	f.emit("})")
	f.emit("%s = true", frame.over)
	f.pop()
	f.emit("if %s {", frame.returned)
	f.returnTexts(f.named)
	f.emit("}")
}

// rangeOver is the innermost range over a function around the current statement; nil if there is none.
func (f *fn) rangeOver() *loopFrame {
	for _, l := range slices.Backward(f.loops) {
		if l.over != "" {
			return l
		}
	}
	return nil
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
		place := f.place(e)
		f.emit("%s = %s", place, f.convert(texts[i], from[i], f.typeOf(e), e.Pos()))
	}
}
