package exact

import (
	"go/types"
	"sync"

	"github.com/gorlm/rlm/repl/internal/engine/exact/mem"

	"golang.org/x/tools/go/ssa"

	"github.com/gorlm/rlm/repl/internal/engine/exact/rtype"
)

// dynamic returns the type of the value in an interface; nil if the interface is nil. empty means that the
// interface type has no methods.
func dynamic(w mem.Words, empty bool) *mem.Type {
	if w.Tab.Nil() || empty {
		return mem.As[mem.Type](w.Tab)
	}
	return mem.As[mem.Itab](w.Tab).Type
}

func isEmpty(t types.Type) bool { return t.Underlying().(*types.Interface).NumMethods() == 0 }

func (c *compiler) makeInterface(in *ssa.MakeInterface) op {
	d, x, t := c.slots[in], c.operand(in.X), c.e.types.Of(in.X.Type())
	tab := mem.Of(t)
	if !isEmpty(in.Type()) {
		tab = mem.Of(mem.MustItabOf(c.e.types.Of(in.Type()), t))
	}
	if t.Direct() {
		return func(fr *frame) { *mem.Slot[mem.Words](fr, d) = mem.Words{Tab: tab, Data: *mem.Slot[mem.Ptr](fr, x)} }
	}
	switch class := c.classOf(in.X.Type()); class.kind {
	case kindString:
		return func(fr *frame) {
			p := new(string)
			*p = *mem.Slot[string](fr, x)
			*mem.Slot[mem.Words](fr, d) = mem.Words{Tab: tab, Data: mem.Of(p)}
		}
	case kind8:
		return func(fr *frame) {
			p := new(uint64)
			*p = *mem.Slot[uint64](fr, x)
			*mem.Slot[mem.Words](fr, d) = mem.Words{Tab: tab, Data: mem.Of(p)}
		}
	}
	return func(fr *frame) { *mem.Slot[mem.Words](fr, d) = mem.Words{Tab: tab, Data: t.Word(addr(fr, x))} }
}

// itabs caches which types implement an interface.
type itabs struct {
	iface *mem.Type
	known sync.Map // *mem.Type → *mem.Itab; nil for types that do not implement iface
}

func (i *itabs) of(t *mem.Type) *mem.Itab {
	if v, ok := i.known.Load(t); ok {
		return v.(*mem.Itab)
	}
	tab := mem.ItabOf(i.iface, t)
	i.known.Store(t, tab)
	return tab
}

func (c *compiler) changeInterface(d uintptr, from ssa.Value, to types.Type) op {
	x, fromEmpty := c.operand(from), isEmpty(from.Type())
	if isEmpty(to) {
		return func(fr *frame) {
			w := *mem.Slot[mem.Words](fr, x)
			*mem.Slot[mem.Words](fr, d) = mem.Words{Tab: mem.Of(dynamic(w, fromEmpty)), Data: w.Data}
		}
	}
	tabs := &itabs{iface: c.e.types.Of(to)}
	return func(fr *frame) {
		w := *mem.Slot[mem.Words](fr, x)
		if t := dynamic(w, fromEmpty); t != nil {
			w.Tab = mem.Of(tabs.of(t))
		}
		*mem.Slot[mem.Words](fr, d) = w
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
	fail := func(fr *frame, t *mem.Type) {
		fr.pc = pc
		if types.IsInterface(in.AssertedType) {
			panic(rtype.AssertionError(nil, t, asserted, ""))
		}
		panic(rtype.AssertionError(iface, t, asserted, ""))
	}
	if !in.CommaOk && len(*in.Referrers()) == 0 && types.Identical(in.X.Type(), in.AssertedType) { // go/ssa's nil check
		fail = func(fr *frame, _ *mem.Type) {
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
		w := *mem.Slot[mem.Words](fr, x)
		t := dynamic(w, empty)
		ok := t == asserted
		for i := 0; !ok && i < len(old); i++ {
			ok = t == old[i]
		}
		switch {
		case ok && direct:
			*mem.Slot[mem.Ptr](fr, d) = w.Data
		case ok:
			class.copy(addr(fr, d), w.Data)
		case isOK == 0:
			fail(fr, t)
		default:
			class.clear(addr(fr, d))
		}
		if isOK != 0 {
			*mem.Slot[bool](fr, isOK) = ok
		}
	}
}

// assertInterface checks whether a value implements an interface.
//
//go:noinline
func assertInterface(
	d, isOK, x uintptr, pc int32, empty, toEmpty bool, asserted *mem.Type, fail func(*frame, *mem.Type),
) op {
	tabs := &itabs{iface: asserted}
	return func(fr *frame) {
		w := *mem.Slot[mem.Words](fr, x)
		t := dynamic(w, empty)
		switch {
		case t == nil:
			w = mem.Words{}
		case toEmpty:
			w.Tab = mem.Of(t)
		default:
			w.Tab = mem.Of(tabs.of(t))
		}
		ok := !w.Tab.Nil()
		if !ok {
			w.Data = mem.Ptr{}
			if isOK == 0 {
				if t == nil {
					fail(fr, nil)
				}
				fr.pc = pc
				mem.MustItabOf(asserted, t)
			}
		}
		*mem.Slot[mem.Words](fr, d) = w
		if isOK != 0 {
			*mem.Slot[bool](fr, isOK) = ok
		}
	}
}
