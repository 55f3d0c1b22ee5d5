package yaegi

import (
	"fmt"
	"go/types"

	"github.com/gorlm/rlm/repl/internal/engine"
)

var _ engine.Inspector = (*Engine)(nil)

// Stale reports whether the calling goroutine belongs to an earlier run.
func (e *Engine) Stale() bool { return e.run.Stale() }

// Unbox returns what a value of an interface type holds, and its Go type.
func (e *Engine) Unbox(v any) (any, types.Type, bool) {
	b, ok := v.(interface{ GoValue() (any, types.Type) })
	if !ok {
		return nil, nil, false
	}
	value, typ := b.GoValue()
	return value, typ, true
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
	for _, name := range []string{"Error", "String"} {
		obj, _, _ := types.LookupFieldOrMethod(t, false, nil, name)
		if f, ok := obj.(*types.Func); ok && types.TypeString(f.Signature(), nil) == "func() string" {
			return true
		}
	}
	return false
}
