package rtype

import (
	"reflect"
	"unsafe"
)

// Func is the beginning of memory that compiled code calls as a function: what reflect.MakeFunc makes, with the closure that it
// calls in the same memory. A pointer to the memory is a function value.
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
func FuncOf(t *Type, handler Handler) Func {
	call := adapt(nil)
	made := reflect.MakeFunc(t.Reflect(), call).Interface()
	f := *(*[5]uintptr)((*[2]unsafe.Pointer)(unsafe.Pointer(&made))[1])
	out := Func{code: f[0], argLen: f[2], typ: t}
	out.stack = *(*unsafe.Pointer)(unsafe.Pointer(&f[1]))
	out.regs = *(*[8]byte)(unsafe.Pointer(&f[3]))
	out.callee.code, out.handle = **(**uintptr)(unsafe.Pointer(&call)), handler
	return out
}

// Init makes a copy of a Func that stands at the beginning of self callable.
func (f *Func) Init() {
	f.call = &f.callee
	f.callee.self = f
}

// IsFunc reports whether a function value begins with a Func. p is not nil. The memory of other functions may be smaller than a
// Func, so only the words that they have are read.
func IsFunc(p unsafe.Pointer) bool {
	if *(*uintptr)(p) != stubCode {
		return false
	}
	call := *(*unsafe.Pointer)(unsafe.Add(p, unsafe.Offsetof(Func{}.call)))
	return uintptr(call) == uintptr(p)+unsafe.Offsetof(Func{}.callee)
}

// stubCode is the code of every function that reflect makes.
var stubCode = reflect.MakeFunc(reflect.TypeFor[func()](), func([]reflect.Value) []reflect.Value { return nil }).Pointer()

// checkFuncs tries a function value of this package's own making.
func checkFuncs() bool {
	type memory struct {
		Func
		sum int
	}
	m := &memory{}
	m.Func = FuncOf(Of(reflect.TypeFor[func(int, string) int]()), func(self unsafe.Pointer, args []reflect.Value) []reflect.Value {
		m := (*memory)(self)
		m.sum += int(args[0].Int()) + args[1].Len()
		return []reflect.Value{reflect.ValueOf(m.sum)}
	})
	m.Init()
	p := unsafe.Pointer(m)
	f := *(*func(int, string) int)(unsafe.Pointer(&p))
	plain := func() {}
	return IsFunc(p) && !IsFunc(*(*unsafe.Pointer)(unsafe.Pointer(&plain))) && f(1, "abc") == 4 && f(2, "") == 6
}
