package exact

import (
	"encoding"
	"encoding/json"
	"fmt"
	"go/types"
	"reflect"

	"github.com/gorlm/rlm/repl/internal/engine/exact/mem"

	"github.com/gorlm/rlm/repl/internal/value"
)

var _ value.Inspector = (*Engine)(nil)

// Unbox returns a value with its Go type, if cells declared that type.
func (e *Engine) Unbox(v any) (any, types.Type, bool) {
	if v == nil {
		return nil, nil, false
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	t := e.types.GoType(mem.As[mem.Type](mem.WordsOf(&v).Tab))
	return v, t, t != nil
}

// JSON returns a value's own JSON, if its type has MarshalJSON or MarshalText.
func (e *Engine) JSON(v any, _ types.Type) (data []byte, ok bool) {
	switch v.(type) {
	case json.Marshaler, encoding.TextMarshaler:
	default:
		return nil, false
	}
	defer func() {
		if r := recover(); r != nil {
			data, ok = nil, false
		}
	}()
	data, err := json.Marshal(v)
	return data, err == nil
}

// IsZero calls the method IsZero of a value or of its pointer.
func (e *Engine) IsZero(v reflect.Value, _ types.Type) (zero, ok bool) {
	if !v.CanInterface() {
		return false, false
	}
	z, ok := v.Interface().(interface{ IsZero() bool })
	if !ok && v.CanAddr() {
		z, ok = v.Addr().Interface().(interface{ IsZero() bool })
	}
	if !ok {
		return false, false
	}
	defer func() {
		if r := recover(); r != nil {
			zero, ok = false, true // a value whose method panics counts as not zero
		}
	}()
	return z.IsZero(), true
}

// Text returns a value's own text, if its type has a method Error or String.
func (e *Engine) Text(v any, t types.Type) (text string, ok bool) {
	if v == nil || types.IsInterface(t) {
		return "", false
	}
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
