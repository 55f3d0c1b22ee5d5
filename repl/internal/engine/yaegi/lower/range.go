package lower

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

func (f *fn) rangeStmt(s *ast.RangeStmt, label string) {
	if s.Tok == token.ASSIGN && s.Value != nil && !isBlank(s.Key) && !isBlank(s.Value) {
		if _, ok := ast.Unparen(s.Value).(*ast.Ident); !ok {
			refuse(s.Value.Pos(), "a range statement that assigns to an element",
				"the interpreter assigns the two places one after the other",
				"use := and assign in the body")
		}
	}
	switch t := f.under(s.X).(type) {
	case *types.Basic:
		if t.Info()&types.IsString != 0 {
			f.rangeString(s, label)
			return
		}
		f.rangeInt(s, label)
	case *types.Map:
		f.rangeMap(s, t, label)
	default:
		f.rangeNative(s, label)
	}
}

// rangeInt lowers for i := range n, for n of any integer type.
func (f *fn) rangeInt(s *ast.RangeStmt, label string) {
	t := types.Default(f.typeOf(s.X))
	if s.Key != nil && !isBlank(s.Key) {
		t = f.typeOf(s.Key)
	}
	lt := f.typ(t, s.Pos())
	n, i := f.fresh("n"), f.fresh("i")
	f.emit("%s := %s", n, f.conv(s.X, t))
	f.relabel(label)
	f.emit("for %s := %s(0); %s < %s; %s++ {", i, lt, i, n, i)
	f.bindRange(s, []string{i}, []types.Type{t})
	f.block(s.Body.List)
}

// rangeString lowers a range over a string to code that decodes one character after the other: the interpreter's
// own range would make a copy four times as large as the string.
func (f *fn) rangeString(s *ast.RangeStmt, label string) {
	x, i, next, r := f.fresh("s"), f.fresh("i"), f.fresh("next"), f.fresh("r")
	f.emit("%s := %s", x, f.conv(s.X, types.Typ[types.String]))
	f.emit("%s := 0", next)
	f.relabel(label)
	f.emit("for %s := 0; %s < len(%s); %s = %s {", i, i, x, i, next)
	f.emit("%s := rune(%s[%s])", r, x, i)
	f.emit("if %s < 128 { %s = %s + 1 } else { %s, %s = rt.Decode(%s, %s) }", r, next, i, r, next, x, i)
	f.bindRange(s, []string{i, r}, []types.Type{types.Typ[types.Int], types.Typ[types.Rune]})
	f.block(s.Body.List)
}

// rangeNative lowers a range over types that the interpreter handles correctly: slices and arrays.
func (f *fn) rangeNative(s *ast.RangeStmt, label string) {
	x, t := f.value(s.X), f.under(s.X)
	if p, ok := t.(*types.Pointer); ok {
		x, t = "(*"+x+")[:]", p.Elem().Underlying()
	}
	f.typ(t, s.X.Pos()) // refuses channels
	names := []string{f.fresh("k")}
	if s.Value != nil && !isBlank(s.Value) {
		names = append(names, f.fresh("v"))
	}
	f.relabel(label)
	f.emit("for %s := range %s {", strings.Join(names, ", "), x)
	f.bindRange(s, names, []types.Type{types.Typ[types.Int], t.(interface{ Elem() types.Type }).Elem()})
	f.block(s.Body.List)
}

// bindRange sets the variables of a range statement for one round.
func (f *fn) bindRange(s *ast.RangeStmt, texts []string, from []types.Type) {
	for i, e := range []ast.Expr{s.Key, s.Value} {
		switch {
		case e == nil || isBlank(e) || i >= len(texts):
		case s.Tok == token.DEFINE:
			f.store(e, "", texts[i], from[i])
		default:
			f.store(e, f.place(e), texts[i], from[i])
		}
	}
}
