package exact

import (
	"go/types"
	"reflect"
	"strings"
	"sync/atomic"
	"unsafe"

	"golang.org/x/tools/go/ssa"
)

// atomicStandIn makes a method of an instance of atomic.Pointer, which no compiled program has: whatever it points to, its memory is one
// pointer. The zero Value is for other functions.
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
		at := (*unsafe.Pointer)(args[0].UnsafePointer())
		pointer := func(p unsafe.Pointer) []reflect.Value {
			return []reflect.Value{reflect.NewAt(out[0].Elem(), p).Convert(out[0])}
		}
		switch method {
		case "Load":
			return pointer(atomic.LoadPointer(at))
		case "Store":
			atomic.StorePointer(at, args[1].UnsafePointer())
			return nil
		case "Swap":
			return pointer(atomic.SwapPointer(at, args[1].UnsafePointer()))
		}
		swapped := atomic.CompareAndSwapPointer(at, args[1].UnsafePointer(), args[2].UnsafePointer())
		return []reflect.Value{reflect.ValueOf(swapped)}
	})
}
