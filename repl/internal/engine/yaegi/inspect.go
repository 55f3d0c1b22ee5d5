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

// Unbox never finds a cell's type, because interfaces do not contain values of such types.
func (e *Engine) Unbox(v any) (any, types.Type, bool) { return v, nil, false }

// JSON returns a value's own JSON, if its type has MarshalJSON or MarshalText, which types of cells never have.
func (e *Engine) JSON(v any, _ types.Type) (data []byte, ok bool) {
	defer func() {
		if r := recover(); r != nil {
			data, ok = nil, false
		}
	}()
	switch v.(type) {
	case json.Marshaler, encoding.TextMarshaler:
	default:
		return nil, false
	}
	data, err := json.Marshal(v)
	return data, err == nil
}

// IsZero never answers: the host calls the method IsZero of a value itself.
func (e *Engine) IsZero(reflect.Value, types.Type) (zero, ok bool) { return false, false }

// Text returns a value's own text, if its type has a method Error or String, which types of cells never have.
func (e *Engine) Text(v any, _ types.Type) (text string, ok bool) {
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
