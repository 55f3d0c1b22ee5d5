package lower

import (
	"go/ast"
	"go/token"
	"go/types"
)

// rangeMap is a range over a map. Compiled code lists the keys in the order that the cell's seed gives them; an entry that was
// deleted on the way is not visited, and values are read when their turn comes.
func (f *fn) rangeMap(s *ast.RangeStmt, m *types.Map, label string) {
	over, keys := f.fresh("over"), f.fresh("keys")
	f.emit("%s := %s", over, f.value(s.X))
	list := "[]" + f.typ(m.Key(), s.X.Pos())
	f.emit("%s := rt.Keys(%s).(%s)", keys, over, list)
	names := [2]string{f.rangeName(s, s.Key), "_"}
	if s.Value != nil && !isBlank(s.Value) {
		names[1] = f.fresh("v")
	}
	if names[0] == "_" {
		names[0] = f.fresh("k")
	}
	at, known := "_", f.fresh("ok")
	mayBeNaN := holdsFloats(m.Key())
	if isChan(m.Key()) {
		refuse(s.X.Pos(), "a range over channels", "the interpreter takes the variable for what is ranged over", "keep them in a slice and range over its indexes")
	}
	if mayBeNaN {
		at = f.fresh("i")
	}
	f.push(&loopFrame{label: label, loop: true})
	f.relabel(label)
	f.emit("for %s, %s := range %s {", at, names[0], keys)
	f.emit("%s, %s := %s[%s]", names[1], known, over, names[0])
	if mayBeNaN {
		f.emit("if !%s && (len(%s) == 0 || !rt.NaN(%s, %s)) { continue }", known, over, keys, at) // only clear takes a NaN away
		if names[1] != "_" && !isFunc(m.Elem()) {
			f.emit("if !%s { %s = %s }", known, names[1], f.ofNaN(m.Elem(), over, keys, s.X.Pos()))
		}
	} else {
		f.emit("if !%s { continue }", known)
	}
	f.bindMap(s, names, [2]types.Type{m.Key(), m.Elem()})
	f.block(s.Body.List)
	f.pop()
}

// rangeName is the variable that the head of a range binds itself: the cell's own, where the interpreter can.
func (f *fn) rangeName(s *ast.RangeStmt, e ast.Expr) string {
	if e == nil || isBlank(e) {
		return "_"
	}
	if v := f.defined(e); v != nil && s.Tok == token.DEFINE && !types.IsInterface(f.objType(v)) {
		return f.local(v)
	}
	return f.fresh("k")
}

// bindMap binds the variables of a range over a map that its head has not bound.
func (f *fn) bindMap(s *ast.RangeStmt, names [2]string, from [2]types.Type) {
	for i, e := range []ast.Expr{s.Key, s.Value} {
		if e == nil || isBlank(e) {
			continue
		}
		if v := f.defined(e); v != nil && s.Tok == token.DEFINE {
			if i == 1 || types.IsInterface(f.objType(v)) {
				f.define(v, names[i], e.Pos())
			}
			continue
		}
		f.marked = false
		place := f.place(e)
		f.emit("%s = %s", place, f.convert(names[i], from[i], f.typeOf(e), e.Pos()))
	}
}

// ofNaN reads the value of a key that is not equal to itself.
func (f *fn) ofNaN(t types.Type, over, keys string, pos token.Pos) string {
	text := "rt.OfNaN(" + over + ", " + keys + ")"
	if lowered := f.typ(t, pos); lowered != "any" {
		text += ".(" + lowered + ")"
	}
	return text
}

func isFunc(t types.Type) bool {
	_, ok := t.Underlying().(*types.Signature)
	return ok
}

// holdsFloats reports whether a key can be unequal to itself.
func holdsFloats(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Info()&(types.IsFloat|types.IsComplex) != 0
	case *types.Interface:
		return true
	case *types.Array:
		return holdsFloats(u.Elem())
	case *types.Struct:
		for v := range u.Fields() {
			if holdsFloats(v.Type()) {
				return true
			}
		}
	}
	return false
}
