package exact

import (
	"go/types"
	"reflect"

	"github.com/gorlm/rlm/repl/internal/engine/exact/mem"

	"golang.org/x/tools/go/ssa"
)

// isCompiled reports whether fn is implemented by a compiled function: it has no body and is not a function of a
// cell.
func isCompiled(fn *ssa.Function) bool { return fn.Blocks == nil && nameOf(fn) == "" }

// compiledFunc returns the compiled function that implements fn; ok is false for functions of cells.
func (e *Engine) compiledFunc(fn *ssa.Function) (reflect.Value, bool) {
	if !isCompiled(fn) {
		return reflect.Value{}, false
	}
	if f, ok := e.compiled[fn]; ok {
		return f, true
	}
	f := e.findCompiled(fn)
	e.compiled[fn] = f
	return f, true
}

// findCompiled finds a compiled function or method. It panics if cells must not call it.
func (e *Engine) findCompiled(fn *ssa.Function) reflect.Value {
	obj, _ := fn.Object().(*types.Func)
	if origin := fn.Origin(); origin != nil {
		obj, _ = origin.Object().(*types.Func)
	}
	if obj == nil {
		panic("the function " + fn.String() + " has no body")
	}
	if f, ok := e.standIn(fn, obj); ok {
		return f
	}
	if recv := fn.Signature.Recv(); recv != nil {
		m, ok := e.types.Reflect(recv.Type()).MethodByName(fn.Name())
		if !ok {
			panic("cells cannot call the method " + fn.String())
		}
		return m.Func
	}
	f, ok := e.table(obj.Pkg().Path())[obj.Name()]
	if !ok || f.Kind() != reflect.Func {
		panic("cells cannot call " + obj.FullName())
	}
	return f
}

// valueAt returns the value at p.
func valueAt(t reflect.Type, p mem.Ptr) reflect.Value { return mem.Value(t, p) }

// reflectCall calls compiled functions of any type through reflection.
type reflectCall struct {
	args     []typedSlot
	results  []typedSlot
	variadic bool
	unused   bool // the caller does not use the results
}

type typedSlot struct {
	off uintptr
	typ reflect.Type
}

func (c *compiler) reflectCall(args []ssa.Value, in ssa.Value, variadic bool) reflectCall {
	n := reflectCall{variadic: variadic}
	for _, a := range args {
		n.args = append(n.args, typedSlot{c.operand(a), c.e.types.Reflect(a.Type())})
	}
	if in == nil {
		return n
	}
	n.unused = uses(in) == 0
	if tuple, ok := in.Type().(*types.Tuple); ok {
		for i, off := range c.tuples[in] {
			n.results = append(n.results, typedSlot{off, c.e.types.Reflect(tuple.At(i).Type())})
		}
	} else {
		n.results = append(n.results, typedSlot{c.slots[in], c.e.types.Reflect(in.Type())})
	}
	return n
}

// values returns the arguments. With copies, they do not change with the frame, as a later call needs.
func (n *reflectCall) values(fr *frame, copies bool) []reflect.Value {
	out := make([]reflect.Value, len(n.args))
	for i, a := range n.args {
		out[i] = valueAt(a.typ, addr(fr, a.off))
		if copies {
			v := reflect.New(a.typ).Elem()
			v.Set(out[i])
			out[i] = v
		}
	}
	return out
}

func (n *reflectCall) do(f reflect.Value, args []reflect.Value) []reflect.Value {
	if n.variadic {
		return f.CallSlice(args)
	}
	return f.Call(args)
}

func (n *reflectCall) run(fr *frame, f reflect.Value) {
	for i, r := range n.do(f, n.values(fr, false)) {
		valueAt(n.results[i].typ, addr(fr, n.results[i].off)).Set(r)
	}
}

// callCompiled compiles a call of a known compiled function.
func (c *compiler) callCompiled(in *ssa.Call, fn *ssa.Function, f reflect.Value) op {
	if o := c.lend(in, fn, f); o != nil {
		return o
	}
	if o := c.callDirectly(in, fn); o != nil {
		return o
	}
	n, pc := c.reflectCall(in.Call.Args, in, fn.Signature.Variadic()), c.point(in)
	if pass := n.passing(f.Type()); pass != nil {
		p := mem.FuncOf(f)
		return func(fr *frame) {
			fr.pc = pc
			fr.reserve(pc, 0)
			pass(fr, p)
		}
	}
	return func(fr *frame) {
		fr.pc = pc
		fr.reserve(pc, 0)
		n.run(fr, f)
	}
}
