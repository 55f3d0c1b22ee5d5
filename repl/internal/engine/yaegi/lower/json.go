package lower

import (
	"go/token"
	"go/types"

	"github.com/gorlm/rlm/repl/internal/engine/yaegi/dyn"
)

// jsonFuncs look into what they are handed.
var jsonFuncs = map[string]bool{
	"encoding/json.Marshal": true, "encoding/json.MarshalIndent": true, "(*encoding/json.Encoder).Encode": true,
	"encoding/json.Unmarshal": true, "(*encoding/json.Decoder).Decode": true,
}

// jsonErrors tell of types, for which the interpreter has others.
var jsonErrors = map[string]bool{
	"UnmarshalTypeError": true, "UnsupportedTypeError": true, "UnsupportedValueError": true, "MarshalerError": true, "InvalidUnmarshalError": true,
}

// checkJSON refuses values that encoding/json would not see as they are in Go. Where the type is an interface, or holds one, it
// may come to see whatever the session puts into interfaces.
func (l *unit) checkJSON(t types.Type, pos token.Pos) {
	if !types.IsInterface(t) && !l.run.PlainJSON(t) {
		refuseJSON(typeText(t), pos)
	}
	if !holdsInterface(t, map[string]bool{}) {
		return
	}
	for _, odd := range l.odd {
		refuseJSON(odd, pos)
	}
	remember(l, l.open, "json", true)
}

// checkJSONValue is checkJSON for a function that is used as a value.
func (l *unit) checkJSONValue(o *types.Func, pos token.Pos) {
	if jsonFuncs[o.FullName()] {
		l.checkJSON(types.NewInterfaceType(nil, nil), pos)
	}
}

// boxed is told of each type whose values go into interfaces.
func (l *unit) boxed(t types.Type, pos token.Pos) {
	if l.run.PlainJSON(t) {
		return
	}
	if l.open["json"] {
		refuseJSON(typeText(t), pos)
	}
	remember(l, l.odd, dyn.Key(t), typeText(t))
}

func refuseJSON(typ string, pos token.Pos) {
	refuse(pos, "encoding/json with a value of type "+typ,
		"methods for JSON, embedded fields, functions and types that contain themselves are lost on it here",
		"use a struct with named fields of plain types")
}

// holdsInterface reports whether a value of a type may hold one of another type.
func holdsInterface(t types.Type, seen map[string]bool) bool {
	key := dyn.Key(t)
	if seen[key] {
		return false
	}
	seen[key] = true
	switch u := t.Underlying().(type) {
	case *types.Interface:
		return true
	case *types.Pointer:
		return holdsInterface(u.Elem(), seen)
	case *types.Slice:
		return holdsInterface(u.Elem(), seen)
	case *types.Array:
		return holdsInterface(u.Elem(), seen)
	case *types.Map:
		return holdsInterface(u.Elem(), seen)
	case *types.Struct:
		for f := range u.Fields() {
			if f.Exported() && holdsInterface(f.Type(), seen) {
				return true
			}
		}
	}
	return false
}
