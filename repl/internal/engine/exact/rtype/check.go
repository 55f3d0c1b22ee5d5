package rtype

import (
	"fmt"
	"reflect"
	"runtime"
	"sync"
	"unsafe"
)

// sample is a type that the compiler described.
type sample struct {
	A int     `k:"v"`
	b *sample //lint:ignore U1000 its descriptor is what counts
	_ map[string]sample
}

// M is a method that a descriptor lists.
func (sample) M(int) string { return "" }

// Check reports whether types of this process look as this package knows them.
var Check = sync.OnceValue(func() error {
	if stubSize == 0 {
		return fmt.Errorf("the exact engine does not know the processor %s", runtime.GOARCH)
	}
	rt := reflect.TypeFor[sample]()
	t := Of(rt)
	s := (*structType)(unsafe.Pointer(t))
	u := (*withMethods[structType, [1]method])(unsafe.Pointer(t)).uncom
	p := (*elemType)(unsafe.Pointer(Of(reflect.PointerTo(rt))))
	m := (*MapType)(unsafe.Pointer(Of(reflect.TypeFor[map[string]sample]())))
	f := (*funcType)(unsafe.Pointer(Of(reflect.TypeFor[func(int, ...string) bool]())))
	c := (*chanType)(unsafe.Pointer(Of(reflect.TypeFor[<-chan int]())))
	a := (*arrayType)(unsafe.Pointer(Of(reflect.TypeFor[[3]string]())))
	i := (*interfaceType)(unsafe.Pointer(Of(reflect.TypeFor[error]())))
	var e any = 7
	ok := t.Reflect() == rt && t.Size == rt.Size() && t.Align == uint8(rt.Align()) && reflect.Kind(t.Kind) == reflect.Struct &&
		t.PtrBytes == 3*word && t.TFlag&(flagNamed|flagUncommon) == flagNamed|flagUncommon && !t.Direct() && Of(reflect.TypeFor[*int]()).Direct() &&
		len(s.fields) == 3 && s.fields[1].typ == &p.Type && s.fields[1].offset == word && s.fields[2].typ == &m.Type && blank(s.fields[2].name) &&
		u.mcount == 1 && u.xcount == 1 && p.elem == t && m.key == Of(reflect.TypeFor[string]()) && m.elem == t &&
		f.in == 2 && f.out == 1|1<<15 && c.elem == Of(reflect.TypeFor[int]()) && c.dir == int(reflect.RecvDir) && a.len == 3 &&
		len(i.methods) == 1 && (*[2]*Type)(unsafe.Pointer(&e))[0] == Of(reflect.TypeFor[int]())
	if !ok || !checkFuncs() || !checkPassing() || !checkErrors() {
		return fmt.Errorf("the exact engine does not know the types of %s: it is made for Go 1.26", runtime.Version())
	}
	return nil
})
