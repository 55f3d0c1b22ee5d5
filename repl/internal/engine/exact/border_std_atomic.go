package exact

import (
	"go/types"
	"reflect"
	"strings"

	"github.com/gorlm/rlm/repl/internal/engine/exact/mem"

	"golang.org/x/tools/go/ssa"
)

// atomicStandIn makes a method of an instance of atomic.Pointer that cells use; the program itself does not contain
// it. Whatever the element type, the memory of an instance is one pointer. It returns the zero Value for other
// functions.
func (e *Engine) atomicStandIn(fn *ssa.Function, obj *types.Func) reflect.Value {
	method, ok := strings.CutPrefix(obj.FullName(), "(*sync/atomic.Pointer[T]).")
	if !ok {
		return reflect.Value{}
	}
	sig := fn.Signature
	in := []reflect.Type{e.types.Reflect(sig.Recv().Type())}
	var out []reflect.Type
	for v := range sig.Params().Variables() {
		in = append(in, e.types.Reflect(v.Type()))
	}
	for v := range sig.Results().Variables() {
		out = append(out, e.types.Reflect(v.Type()))
	}
	return reflect.MakeFunc(reflect.FuncOf(in, out, false), func(args []reflect.Value) []reflect.Value {
		word := mem.As[mem.Atomic](mem.In(args[0]))
		pointer := func(p mem.Ptr) []reflect.Value {
			return []reflect.Value{mem.Pointer(out[0].Elem(), p).Convert(out[0])}
		}
		switch method {
		case "Load":
			return pointer(word.Load())
		case "Store":
			word.Store(mem.In(args[1]))
			return nil
		case "Swap":
			return pointer(word.Swap(mem.In(args[1])))
		}
		swapped := word.CompareAndSwap(mem.In(args[1]), mem.In(args[2]))
		return []reflect.Value{reflect.ValueOf(swapped)}
	})
}
