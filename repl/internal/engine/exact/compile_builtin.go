package exact

import (
	"fmt"
	"go/types"
	"reflect"

	"github.com/gorlm/rlm/repl/internal/engine/exact/mem"

	"golang.org/x/tools/go/ssa"
)

// builtin compiles a call of a builtin function of the language.
func (c *compiler) builtin(in *ssa.Call, b *ssa.Builtin, args []ssa.Value) op {
	d := c.slots[in]
	x := uintptr(0)
	if len(args) > 0 {
		x = c.operand(args[0])
	}
	switch b.Name() {
	case "len", "cap":
		return c.length(b.Name() == "len", d, x, args[0].Type())
	case "append":
		if c.classOf(args[1].Type()).kind == kindString {
			return c.appendString(in, x, c.operand(args[1]))
		}
		return c.appendSlice(in, x, c.operand(args[1]))
	case "copy":
		return c.copySlice(d, args)
	case "delete":
		t, k, pc := c.e.types.Of(args[0].Type()), c.operand(args[1]), c.at()
		return func(fr *frame) {
			fr.pc = pc
			mem.MapDelete(t, *mem.Slot[mem.Ptr](fr, x), addr(fr, k))
		}
	case "min", "max":
		return c.extreme(b.Name() == "min", d, args)
	case "real", "imag", "complex":
		return c.complexPart(b.Name(), d, args)
	case "recover":
		return func(fr *frame) { *mem.Slot[any](fr, d) = fr.recovered() }
	case "ssa:wrapnilchk":
		pc, typ, name := c.at(), args[1].(*ssa.Const), args[2].(*ssa.Const)
		text := fmt.Sprintf("value method %s.%s called using nil *%s pointer", shortName(typ), shortConst(name),
			lastName(typ))
		return func(fr *frame) {
			p := *mem.Slot[mem.Ptr](fr, x)
			if p.Nil() {
				fr.pc = pc
				panic(texts.Plain(text))
			}
			*mem.Slot[mem.Ptr](fr, d) = p
		}
	case "ssa:deferstack":
		return func(fr *frame) { *mem.Slot[mem.Ptr](fr, d) = mem.Of(fr) }
	}
	return c.reflected(b, args)
}

// reflected compiles builtins for which reflection is fast enough: close, clear, print, println.
func (c *compiler) reflected(b *ssa.Builtin, args []ssa.Value) op {
	run, n, pc := c.e.builtinFunc(b.Name()), c.reflectCall(args, nil, false), c.at()
	return func(fr *frame) {
		fr.pc = pc
		run(n.values(fr, false))
	}
}

// builtinFunc returns a builtin function that takes reflect values, to be called immediately or deferred.
func (e *Engine) builtinFunc(name string) func(args []reflect.Value) {
	switch name {
	case "close":
		return func(a []reflect.Value) { a[0].Close() }
	case "clear":
		return func(a []reflect.Value) {
			if a[0].Kind() == reflect.Slice || !a[0].IsNil() {
				a[0].Clear()
			}
		}
	case "delete":
		return func(a []reflect.Value) { a[0].SetMapIndex(a[1], reflect.Value{}) }
	case "copy":
		return func(a []reflect.Value) { reflect.Copy(a[0], a[1]) }
	case "panic":
		return func(a []reflect.Value) { panic(a[0].Interface()) }
	case "print", "println":
		return func(a []reflect.Value) { e.print(name == "println", a) }
	}
	return func([]reflect.Value) {}
}

func (c *compiler) length(isLen bool, d, x uintptr, t types.Type) op {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return func(fr *frame) { *mem.Slot[int](fr, d) = len(*mem.Slot[string](fr, x)) }
	case *types.Slice:
		if isLen {
			return func(fr *frame) { *mem.Slot[int](fr, d) = mem.Slot[mem.Slice](fr, x).Len }
		}
		return func(fr *frame) { *mem.Slot[int](fr, d) = mem.Slot[mem.Slice](fr, x).Cap }
	case *types.Pointer:
		n := int(u.Elem().Underlying().(*types.Array).Len())
		return func(fr *frame) { *mem.Slot[int](fr, d) = n }
	case *types.Array:
		n := int(u.Len())
		return func(fr *frame) { *mem.Slot[int](fr, d) = n }
	}
	rt := c.e.types.Reflect(t)
	if isLen {
		return func(fr *frame) { *mem.Slot[int](fr, d) = valueAt(rt, addr(fr, x)).Len() }
	}
	return func(fr *frame) { *mem.Slot[int](fr, d) = valueAt(rt, addr(fr, x)).Cap() }
}

func (c *compiler) complexPart(name string, d uintptr, args []ssa.Value) op {
	x, wide := c.operand(args[0]), c.kindOf(args[0].Type())
	switch {
	case name == "real" && wide == reflect.Complex64:
		return func(fr *frame) { *mem.Slot[float32](fr, d) = real(*mem.Slot[complex64](fr, x)) }
	case name == "real":
		return func(fr *frame) { *mem.Slot[float64](fr, d) = real(*mem.Slot[complex128](fr, x)) }
	case name == "imag" && wide == reflect.Complex64:
		return func(fr *frame) { *mem.Slot[float32](fr, d) = imag(*mem.Slot[complex64](fr, x)) }
	case name == "imag":
		return func(fr *frame) { *mem.Slot[float64](fr, d) = imag(*mem.Slot[complex128](fr, x)) }
	}
	y := c.operand(args[1])
	if wide == reflect.Float32 {
		return func(fr *frame) {
			*mem.Slot[complex64](fr, d) = complex(*mem.Slot[float32](fr, x), *mem.Slot[float32](fr, y))
		}
	}
	return func(fr *frame) {
		*mem.Slot[complex128](fr, d) = complex(*mem.Slot[float64](fr, x), *mem.Slot[float64](fr, y))
	}
}
