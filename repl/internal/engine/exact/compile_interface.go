package exact

import (
	"go/types"
	"sync"
	"unsafe"

	"golang.org/x/tools/go/ssa"

	"github.com/gorlm/rlm/repl/internal/engine/exact/rtype"
)

// words are an interface value.
type words struct {
	tab  unsafe.Pointer // type, or itab
	data unsafe.Pointer
}

// dynamic is the type of what an interface holds; nil for nothing.
func (w words) dynamic(empty bool) *rtype.Type {
	if w.tab == nil || empty {
		return (*rtype.Type)(w.tab)
	}
	return (*rtype.Itab)(w.tab).Type
}

func isEmpty(t types.Type) bool { return t.Underlying().(*types.Interface).NumMethods() == 0 }

func (c *compiler) makeInterface(in *ssa.MakeInterface) op {
	d, x, t := c.slots[in], c.operand(in.X), c.e.types.Of(in.X.Type())
	tab := unsafe.Pointer(t)
	if !isEmpty(in.Type()) {
		tab = unsafe.Pointer(rtype.MustItabOf(c.e.types.Of(in.Type()), t))
	}
	if t.Direct() {
		return func(fr *frame) { *at[words](fr, d) = words{tab, *at[unsafe.Pointer](fr, x)} }
	}
	switch class := c.classOf(in.X.Type()); class.kind {
	case kindString:
		return func(fr *frame) {
			p := new(string)
			*p = *at[string](fr, x)
			*at[words](fr, d) = words{tab, unsafe.Pointer(p)}
		}
	case kind8:
		return func(fr *frame) {
			p := new(uint64)
			*p = *at[uint64](fr, x)
			*at[words](fr, d) = words{tab, unsafe.Pointer(p)}
		}
	}
	return func(fr *frame) { *at[words](fr, d) = words{tab, t.Word(addr(fr, x))} }
}

// itabs remembers which types implement an interface.
type itabs struct {
	iface *rtype.Type
	known sync.Map // *rtype.Type → *rtype.Itab, nil for those that do not
}

func (i *itabs) of(t *rtype.Type) *rtype.Itab {
	if v, ok := i.known.Load(t); ok {
		return v.(*rtype.Itab)
	}
	tab := rtype.ItabOf(i.iface, t)
	i.known.Store(t, tab)
	return tab
}

func (c *compiler) changeInterface(d uintptr, from ssa.Value, to types.Type) op {
	x, fromEmpty := c.operand(from), isEmpty(from.Type())
	if isEmpty(to) {
		return func(fr *frame) {
			w := *at[words](fr, x)
			*at[words](fr, d) = words{unsafe.Pointer(w.dynamic(fromEmpty)), w.data}
		}
	}
	tabs := &itabs{iface: c.e.types.Of(to)}
	return func(fr *frame) {
		w := *at[words](fr, x)
		if t := w.dynamic(fromEmpty); t != nil {
			w.tab = unsafe.Pointer(tabs.of(t))
		}
		*at[words](fr, d) = w
	}
}

func (c *compiler) typeAssert(in *ssa.TypeAssert) op {
	x, pc := c.operand(in.X), c.at()
	empty := isEmpty(in.X.Type())
	iface, asserted := c.e.types.Of(in.X.Type()), c.e.types.Of(in.AssertedType)
	d, isOK := uintptr(0), uintptr(0)
	if in.CommaOk {
		d, isOK = c.tuples[in][0], c.tuples[in][1]
	} else {
		d = c.slots[in]
	}
	fail := func(fr *frame, t *rtype.Type) {
		fr.pc = pc
		if types.IsInterface(in.AssertedType) {
			panic(rtype.AssertionError(nil, t, asserted, ""))
		}
		panic(rtype.AssertionError(iface, t, asserted, ""))
	}
	if !in.CommaOk && len(*in.Referrers()) == 0 && types.Identical(in.X.Type(), in.AssertedType) { // of a method value: go/ssa's way to say that the interface must not be nil
		fail = func(fr *frame, _ *rtype.Type) {
			fr.pc = pc
			nilPointer()
		}
	}
	if types.IsInterface(in.AssertedType) {
		return assertInterface(d, isOK, x, pc, empty, isEmpty(in.AssertedType), asserted, fail)
	}
	old := c.e.types.Old(in.AssertedType)
	class := c.classOf(in.AssertedType)
	direct := asserted.Direct()
	return func(fr *frame) {
		w := *at[words](fr, x)
		t := w.dynamic(empty)
		ok := t == asserted
		for i := 0; !ok && i < len(old); i++ {
			ok = t == old[i]
		}
		switch {
		case ok && direct:
			*at[unsafe.Pointer](fr, d) = w.data
		case ok:
			class.copy(addr(fr, d), w.data)
		case isOK == 0:
			fail(fr, t)
		default:
			class.clear(addr(fr, d))
		}
		if isOK != 0 {
			*at[bool](fr, isOK) = ok
		}
	}
}

// assertInterface asks whether a value implements an interface.
//
//go:noinline
func assertInterface(d, isOK, x uintptr, pc int32, empty, toEmpty bool, asserted *rtype.Type, fail func(*frame, *rtype.Type)) op {
	tabs := &itabs{iface: asserted}
	return func(fr *frame) {
		w := *at[words](fr, x)
		t := w.dynamic(empty)
		switch {
		case t == nil:
			w = words{}
		case toEmpty:
			w.tab = unsafe.Pointer(t)
		default:
			w.tab = unsafe.Pointer(tabs.of(t))
		}
		ok := w.tab != nil
		if !ok {
			w.data = nil
			if isOK == 0 {
				if t == nil {
					fail(fr, nil)
				}
				fr.pc = pc
				rtype.MustItabOf(asserted, t)
			}
		}
		*at[words](fr, d) = w
		if isOK != 0 {
			*at[bool](fr, isOK) = ok
		}
	}
}
