package rtype

import (
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"sync"

	"github.com/gorlm/rlm/repl/internal/engine/exact/mem"
)

// sample is a type whose descriptor the compiler made.
type sample struct {
	A int     `k:"v"`
	b *sample //lint:ignore U1000 its descriptor is what counts
	_ map[string]sample
}

// M exists so that the descriptor has a method table.
func (sample) M(int) string { return "" }

// Check reports why types of this process do not have the layout that this package expects; nil if they do.
var Check = sync.OnceValue(func() error {
	if leftOut != "" {
		return errors.New("the exact engine is left out of this build")
	}
	if stubSize == 0 {
		return fmt.Errorf("the exact engine does not know the processor %s", runtime.GOARCH)
	}
	rt := reflect.TypeFor[sample]()
	t := mem.TypeOf(rt)
	s := mem.View[structType](t)
	u := mem.View[methodDescriptor[structType, [1]method]](t).uncom
	p := mem.View[elemType](mem.TypeOf(reflect.PointerTo(rt)))
	m := mem.View[mapType](mem.TypeOf(reflect.TypeFor[map[string]sample]()))
	f := mem.View[funcType](mem.TypeOf(reflect.TypeFor[func(int, ...string) bool]()))
	c := mem.View[chanType](mem.TypeOf(reflect.TypeFor[<-chan int]()))
	a := mem.View[arrayType](mem.TypeOf(reflect.TypeFor[[3]string]()))
	i := mem.View[interfaceType](mem.TypeOf(reflect.TypeFor[error]()))
	var e any = 7
	ok := t.Reflect() == rt && t.Size == rt.Size() && t.Align == uint8(rt.Align()) &&
		reflect.Kind(t.Kind) == reflect.Struct &&
		t.PtrBytes == 3*mem.Word && t.TFlag&(flagNamed|flagUncommon) == flagNamed|flagUncommon && !t.Direct() &&
		mem.TypeOf(reflect.TypeFor[*int]()).Direct() &&
		len(s.fields) == 3 && s.fields[1].typ == &p.Type && s.fields[1].offset == mem.Word &&
		s.fields[2].typ == &m.Type && blank(s.fields[2].name) &&
		u.mcount == 1 && u.xcount == 1 && p.elem == t && m.key == mem.TypeOf(reflect.TypeFor[string]()) &&
		m.elem == t &&
		f.in == 2 && f.out == 1|1<<15 && c.elem == mem.TypeOf(reflect.TypeFor[int]()) &&
		c.dir == int(reflect.RecvDir) && a.len == 3 &&
		len(i.methods) == 1 && mem.View[[2]*mem.Type](&e)[0] == mem.TypeOf(reflect.TypeFor[int]())
	if used := mem.StackUsed(); used == 0 || used > 1<<30 {
		ok = false
	}
	if !ok || !checkFuncs() || !checkPassing() || !checkErrors() {
		return fmt.Errorf("the exact engine does not support %s: it was built for Go 1.26", runtime.Version())
	}
	return nil
})
