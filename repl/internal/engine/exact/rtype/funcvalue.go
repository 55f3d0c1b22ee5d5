package rtype

import (
	"reflect"

	"github.com/gorlm/rlm/repl/internal/engine/exact/mem"
)

// Func is the beginning of memory that compiled code calls as a function. It consists of what reflect.MakeFunc
// makes, and of the closure that reflect's code calls. A pointer to the memory is a function value.
//
// For some types, the code is that of a Go closure instead (see Direct). Then the second word is the memory's own
// address.
type Func struct {
	code   uintptr
	stack  mem.Ptr
	argLen uintptr
	regs   [8]byte
	typ    *mem.Type
	call   *callee
	callee callee
	handle Handler
}

// Offsets in a Func.
var (
	callOffset   = mem.Distance(&layout, &layout.call)
	calleeOffset = mem.Distance(&layout, &layout.callee)
)

// layout is used only to measure the offsets.
var layout Func

// callee has the layout of the function that adapt returns.
type callee struct {
	code uintptr
	self *Func
}

// Handler runs a function when compiled code calls it. self is the memory that begins with the Func.
type Handler func(self mem.Ptr, args []reflect.Value) []reflect.Value

//go:noinline
func adapt(self *Func) func([]reflect.Value) []reflect.Value {
	return func(args []reflect.Value) []reflect.Value { return self.handle(mem.Of(self), args) }
}

// FuncOf makes a Func for functions of type t that handler runs. All of them begin with copies of it, which Init
// completes.
func FuncOf(t *mem.Type, handler Handler, direct *Direct) Func {
	call := adapt(nil)
	made := reflect.MakeFunc(t.Reflect(), call).Interface()
	f := *mem.As[[5]uintptr](mem.WordsOf(&made).Data)
	out := Func{code: f[0], argLen: f[2], typ: t}
	out.stack = *mem.View[mem.Ptr](&f[1])
	out.regs = *mem.View[[8]byte](&f[3])
	out.callee.code, out.handle = **mem.View[*uintptr](&call), handler
	if code := direct.codes[t.Reflect()]; code != 0 {
		out.code, out.stack = code, mem.Ptr{}
	}
	return out
}

// Init completes a Func that was copied to its final address, so that it can be called.
func (f *Func) Init() {
	f.call = &f.callee
	f.callee.self = f
	if f.stack.Nil() {
		f.stack = mem.Of(f)
	}
}

// IsFunc reports whether the memory of a function value begins with a Func. p must not be nil. The memory of other
// functions may be smaller than a Func, so IsFunc reads only words that it must have.
func (d *Direct) IsFunc(p mem.Ptr) bool {
	code := *mem.As[uintptr](p)
	if d.table[code>>d.shift%directSize] == code {
		return *mem.At[mem.Ptr](p, mem.Word) == p
	}
	if code != stubCode {
		return false
	}
	return mem.At[mem.Ptr](p, callOffset).Number() == p.Number()+calleeOffset
}

// Direct contains the code through which compiled code calls functions of some types without reflection. It is the
// code of Go closures that capture only the address of the memory that they are at the beginning of. No other
// closures have this code.
type Direct struct {
	codes map[reflect.Type]uintptr
	table [directSize]uintptr // the same codes, indexed by their bits from shift on
	shift uint
}

const directSize = 256

// NewDirect takes the code from the closures that the given functions return, except from those that capture
// anything else.
func NewDirect(closures map[reflect.Type]func(self mem.Ptr) any) *Direct {
	d := &Direct{codes: map[reflect.Type]uintptr{}}
	for t, f := range closures {
		self := new(uintptr)
		made := f(mem.Of(self))
		words := mem.As[struct {
			code     uintptr
			captured mem.Ptr
		}](mem.WordsOf(&made).Data)
		if words.captured == mem.Of(self) {
			d.codes[t] = words.code
		}
	}
	for d.shift = 0; !d.spread(); d.shift++ {
		if d.shift == 16 { // no bits distinguish the codes
			return &Direct{}
		}
	}
	return d
}

// spread fills the table. It returns false if two codes collide.
func (d *Direct) spread() bool {
	d.table = [directSize]uintptr{}
	for _, code := range d.codes {
		at := &d.table[code>>d.shift%directSize]
		if *at != 0 {
			return false
		}
		*at = code
	}
	return true
}

// stubCode is the code of every function that reflect makes.
var stubCode = reflect.MakeFunc(
	reflect.TypeFor[func()](), func([]reflect.Value) []reflect.Value { return nil }).Pointer()

// checkFuncs tests a function value made by this package.
func checkFuncs() bool {
	d := NewDirect(nil)
	type memory struct {
		Func
		sum int
	}
	m := &memory{}
	m.Func = FuncOf(mem.TypeOf(reflect.TypeFor[func(int, string) int]()),
		func(self mem.Ptr, args []reflect.Value) []reflect.Value {
			m := mem.As[memory](self)
			m.sum += int(args[0].Int()) + args[1].Len()
			return []reflect.Value{reflect.ValueOf(m.sum)}
		}, d)
	m.Init()
	p := mem.Of(m)
	f := *mem.View[func(int, string) int](&p)
	plain := func() {}
	return d.IsFunc(p) && !d.IsFunc(*mem.View[mem.Ptr](&plain)) && f(1, "abc") == 4 && f(2, "") == 6
}
