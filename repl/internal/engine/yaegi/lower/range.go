package lower

import (
	"go/ast"
	"go/token"
	"go/types"
)

func (f *fn) rangeStmt(s *ast.RangeStmt, label string) {
	if s.Tok == token.ASSIGN && s.Value != nil && !isBlank(s.Key) && !isBlank(s.Value) {
		if _, ok := ast.Unparen(s.Value).(*ast.Ident); !ok {
			refuse(s.Value.Pos(), "a range statement that assigns to an element", "the interpreter assigns the two places one after the other",
				"use := and assign in the body")
		}
	}
	switch t := f.under(s.X).(type) {
	case *types.Signature:
		f.rangeOverFunc(s, t, label)
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

// rangeInt is for i := range n for an n of any integer type.
func (f *fn) rangeInt(s *ast.RangeStmt, label string) {
	t := types.Default(f.typeOf(s.X))
	if s.Key != nil && !isBlank(s.Key) {
		t = f.typeOf(s.Key)
	}
	lt := f.typ(t, s.Pos())
	n, i := f.fresh("n"), f.fresh("i")
	f.emit("%s := %s", n, f.conv(s.X, t))
	f.push(&loopFrame{label: label, loop: true})
	f.relabel(label)
	f.emit("for %s := %s(0); %s < %s; %s++ {", i, lt, i, n, i)
	f.bindRange(s, []string{i}, []types.Type{t})
	f.block(s.Body.List)
	f.pop()
}

// rangeString decodes as it goes: the interpreter's own range would make a copy of the text four times its size.
func (f *fn) rangeString(s *ast.RangeStmt, label string) {
	x, i, next, r := f.fresh("s"), f.fresh("i"), f.fresh("next"), f.fresh("r")
	f.emit("%s := %s", x, f.conv(s.X, types.Typ[types.String]))
	f.push(&loopFrame{label: label, loop: true})
	f.emit("%s := 0", next)
	f.relabel(label)
	f.emit("for %s := 0; %s < len(%s); %s = %s {", i, i, x, i, next)
	f.emit("%s := rune(%s[%s])", r, x, i)
	f.emit("if %s < 128 { %s = %s + 1 } else { %s, %s = rt.Decode(%s, %s) }", r, next, i, r, next, x, i)
	f.bindRange(s, []string{i, r}, []types.Type{types.Typ[types.Int], types.Typ[types.Rune]})
	f.block(s.Body.List)
	f.pop()
}

// rangeNative is a range over what the interpreter ranges over rightly: slices, arrays and channels.
func (f *fn) rangeNative(s *ast.RangeStmt, label string) {
	var from []types.Type
	x := ""
	t := f.under(s.X)
	switch u := t.(type) {
	case *types.Slice:
		from = []types.Type{types.Typ[types.Int], u.Elem()}
		x = f.value(s.X)
	case *types.Array:
		from = []types.Type{types.Typ[types.Int], u.Elem()}
		x = f.value(s.X)
	case *types.Pointer:
		from = []types.Type{types.Typ[types.Int], u.Elem().Underlying().(*types.Array).Elem()}
		x = "(*" + f.value(s.X) + ")[:]"
	case *types.Chan:
		from = []types.Type{u.Elem()}
		x = f.value(s.X)
	default:
		refuse(s.X.Pos(), "a range over "+typeText(t), "the interpreter does not know it", "use a for loop with an index")
	}
	names := []string{"_", "_"}
	for i, e := range []ast.Expr{s.Key, s.Value} {
		if e != nil && !isBlank(e) {
			names[i] = f.fresh("k")
		}
	}
	head := names[0] + ", " + names[1]
	switch {
	case names[1] == "_":
		if names[0] == "_" {
			names[0] = f.fresh("k")
		}
		head = names[0]
	case isChan(from[1]):
		refuse(s.Value.Pos(), "a range over channels", "the interpreter takes the variable for what is ranged over", "range over the indexes")
	}
	f.push(&loopFrame{label: label, loop: true})
	f.relabel(label)
	f.emit("for %s := range %s {", head, x)
	f.bindRange(s, names[:len(from)], from)
	f.block(s.Body.List)
	f.pop()
}

func isChan(t types.Type) bool {
	_, ok := t.Underlying().(*types.Chan)
	return ok
}
