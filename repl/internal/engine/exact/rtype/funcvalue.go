package rtype

import (
	"reflect"
	"unsafe"
)

// Func is the beginning of memory that compiled code calls as a function: what reflect.MakeFunc makes, with the closure that it
// calls in the same memory. A pointer to the memory is a function value.
//
// Functions of some types begin with code of their own, see Direct: then the second word is the memory's own address.
type Func struct {
	code   uintptr
	stack  unsafe.Pointer
	argLen uintptr
	regs   [8]byte
	typ    *Type
	call   *callee
	callee callee
	handle Handler
}

// callee has the layout of the function that adapt returns.
type callee struct {
	code uintptr
	self *Func
}

// Handler runs a function when compiled code calls it. self is the memory that begins with the Func.
type Handler func(self unsafe.Pointer, args []reflect.Value) []reflect.Value

//go:noinline
func adapt(self *Func) func([]reflect.Value) []reflect.Value {
	return func(args []reflect.Value) []reflect.Value { return self.handle(unsafe.Pointer(self), args) }
}

// FuncOf is the beginning of functions of one type that are handled by one handler; Init completes a copy of it.
func FuncOf(t *Type, handler Handler, direct *Direct) Func {
	call := adapt(nil)
	made := reflect.MakeFunc(t.Reflect(), call).Interface()
	f := *(*[5]uintptr)((*[2]unsafe.Pointer)(unsafe.Pointer(&made))[1])
	out := Func{code: f[0], argLen: f[2], typ: t}
	out.stack = *(*unsafe.Pointer)(unsafe.Pointer(&f[1]))
	out.regs = *(*[8]byte)(unsafe.Pointer(&f[3]))
	out.callee.code, out.handle = **(**uintptr)(unsafe.Pointer(&call)), handler
	if code := direct.codes[t.Reflect()]; code != 0 {
		out.code, out.stack = code, nil
	}
	return out
}

// Init makes a copy of a Func that stands at the beginning of self callable.
func (f *Func) Init() {
	f.call = &f.callee
	f.callee.self = f
	if f.stack == nil {
		f.stack = unsafe.Pointer(f)
	}
}

// IsFunc reports whether a function value begins with a Func. p is not nil. The memory of other functions may be smaller than a
// Func, so only the words that they have are read.
func (d *Direct) IsFunc(p unsafe.Pointer) bool {
	code := *(*uintptr)(p)
	if d.table[code>>d.shift%directSize] == code {
		return *(*unsafe.Pointer)(unsafe.Add(p, word)) == p
	}
	if code != stubCode {
		return false
	}
	call := *(*unsafe.Pointer)(unsafe.Add(p, unsafe.Offsetof(Func{}.call)))
	return uintptr(call) == uintptr(p)+unsafe.Offsetof(Func{}.callee)
}

// Direct has code for functions of some types that compiled code calls: that of Go closures which capture the address of the memory
// that they begin, and nothing else. Code that the closures of no other function have.
type Direct struct {
	codes map[reflect.Type]uintptr
	table [directSize]uintptr // the codes again, by the bits from shift on
	shift uint
}

const directSize = 256

// NewDirect takes the code from functions that return such closures; types whose closures look otherwise go without.
func NewDirect(closures map[reflect.Type]func(self unsafe.Pointer) any) *Direct {
	d := &Direct{codes: map[reflect.Type]uintptr{}}
	for t, f := range closures {
		self := new(uintptr)
		made := f(unsafe.Pointer(self))
		words := (*[2]unsafe.Pointer)((*[2]unsafe.Pointer)(unsafe.Pointer(&made))[1])
		if words[1] == unsafe.Pointer(self) {
			d.codes[t] = uintptr(words[0])
		}
	}
	for d.shift = 0; !d.spread(); d.shift++ {
		if d.shift == 16 { // no such bits
			return &Direct{}
		}
	}
	return d
}

// spread fills the table. It reports whether every code has a place of its own.
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
var stubCode = reflect.MakeFunc(reflect.TypeFor[func()](), func([]reflect.Value) []reflect.Value { return nil }).Pointer()

// checkFuncs tries a function value of this package's own making.
func checkFuncs() bool {
	d := NewDirect(nil)
	type memory struct {
		Func
		sum int
	}
	m := &memory{}
	m.Func = FuncOf(Of(reflect.TypeFor[func(int, string) int]()), func(self unsafe.Pointer, args []reflect.Value) []reflect.Value {
		m := (*memory)(self)
		m.sum += int(args[0].Int()) + args[1].Len()
		return []reflect.Value{reflect.ValueOf(m.sum)}
	}, d)
	m.Init()
	p := unsafe.Pointer(m)
	f := *(*func(int, string) int)(unsafe.Pointer(&p))
	plain := func() {}
	return d.IsFunc(p) && !d.IsFunc(*(*unsafe.Pointer)(unsafe.Pointer(&plain))) && f(1, "abc") == 4 && f(2, "") == 6
}
