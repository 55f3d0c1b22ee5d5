package yaegi

import (
	"fmt"
	"go/types"
	"reflect"

	"github.com/gorlm/rlm/repl/internal/engine/yaegi/dyn"
	"github.com/gorlm/rlm/repl/internal/value"
)

var _ value.Inspector = (*Engine)(nil)

// Stale reports whether the calling goroutine belongs to an earlier run.
func (e *Engine) Stale() bool { return e.run.Stale() }

// Unbox returns what a value of an interface type holds, and its Go type.
func (e *Engine) Unbox(v any) (any, types.Type, bool) {
	b, ok := v.(interface{ GoValue() (any, types.Type) })
	if !ok {
		return nil, nil, false
	}
	inner, typ := b.GoValue()
	return inner, typ, true
}

// JSON is a value's own JSON, where its type has MarshalJSON or MarshalText.
func (e *Engine) JSON(v any, t types.Type) (data []byte, ok bool) {
	if v == nil || types.IsInterface(t) || !hasMethod(t, "MarshalJSON", textMethod) && !hasMethod(t, "MarshalText", textMethod) {
		return nil, false
	}
	defer func() {
		if r := recover(); r != nil {
			data, ok = nil, false
		}
	}()
	data, err := e.run.OwnJSON(t, v)
	return data, err == nil
}

// IsZero asks a value's method IsZero.
func (e *Engine) IsZero(v reflect.Value, t types.Type) (zero, ok bool) {
	defer func() {
		if r := recover(); r != nil {
			zero, ok = false, true // a value whose method panics is written
		}
	}()
	return e.run.IsZero(t, v)
}

const textMethod = "func() ([]uint8, error)"

// hasMethod reports whether the methods of a type include one, which its pointer's need not be.
func hasMethod(t types.Type, name, signature string) bool {
	obj, _, _ := types.LookupFieldOrMethod(t, false, nil, name)
	f, ok := obj.(*types.Func)
	return ok && dyn.TypeName(f.Signature()) == signature
}

// Text is a value's own text, where a cell gave its type a method Error or String.
func (e *Engine) Text(v any, t types.Type) (text string, ok bool) {
	if v == nil || types.IsInterface(t) || !hasText(t) {
		return "", false
	}
	defer func() {
		if r := recover(); r != nil {
			text, ok = fmt.Sprintf("(its text cannot be had: %v)", r), true
		}
	}()
	return fmt.Sprint(e.run.Box(e.run.TypeID(t), v)), true
}

func hasText(t types.Type) bool {
	return hasMethod(t, "Error", "func() string") || hasMethod(t, "String", "func() string")
}
