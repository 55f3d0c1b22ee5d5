package yaegi

import (
	"encoding"
	"encoding/json"
	"fmt"
	"go/types"
	"reflect"

	"github.com/gorlm/rlm/repl/internal/value"
)

var _ value.Inspector = (*Engine)(nil)

// Stale reports whether the calling goroutine belongs to an earlier run.
func (e *Engine) Stale() bool { return e.run.Stale() }

// Unbox returns a value as the interpreter keeps it, where all fields can be read, with its Go type, if that is one of cells.
func (e *Engine) Unbox(v any) (any, types.Type, bool) {
	t := e.run.GoType(v)
	return e.run.Val(v), t, t != nil
}

// asGo is a value under the type that it has in Go.
func (e *Engine) asGo(v any, t types.Type) any {
	if e.run.Faithful(t) {
		return v
	}
	return e.run.Box(e.run.TypeID(t), v)
}

// JSON is a value's own JSON, where its type has MarshalJSON or MarshalText.
func (e *Engine) JSON(v any, t types.Type) (data []byte, ok bool) {
	if v == nil || types.IsInterface(t) {
		return nil, false
	}
	defer func() {
		if r := recover(); r != nil {
			data, ok = nil, false
		}
	}()
	v = e.asGo(v, t)
	switch v.(type) {
	case json.Marshaler, encoding.TextMarshaler:
	default:
		return nil, false
	}
	data, err := json.Marshal(v)
	return data, err == nil
}

// IsZero asks a value's method IsZero, or its pointer's.
func (e *Engine) IsZero(v reflect.Value, t types.Type) (zero, ok bool) {
	if !v.CanInterface() || types.IsInterface(t) {
		return false, false
	}
	p := reflect.New(v.Type())
	p.Elem().Set(v)
	z, ok := e.asGo(v.Interface(), t).(interface{ IsZero() bool })
	if !ok {
		z, ok = e.asGo(p.Interface(), types.NewPointer(t)).(interface{ IsZero() bool })
	}
	if !ok {
		return false, false
	}
	defer func() {
		if r := recover(); r != nil {
			zero, ok = false, true // a value whose method panics is written
		}
	}()
	return v.Kind() == reflect.Pointer && v.IsNil() || z.IsZero(), true
}

// Text is a value's own text, where its type has a method Error or String.
func (e *Engine) Text(v any, t types.Type) (text string, ok bool) {
	if v == nil || types.IsInterface(t) {
		return "", false
	}
	v = e.asGo(v, t)
	switch v.(type) {
	case error, fmt.Stringer:
	default:
		return "", false
	}
	defer func() {
		if r := recover(); r != nil {
			text, ok = fmt.Sprintf("(its text cannot be had: %v)", r), true
		}
	}()
	return fmt.Sprint(v), true
}
