package exact

import (
	"go/types"
	"reflect"
	"unicode/utf8"

	"github.com/gorlm/rlm/repl/internal/engine/exact/mem"

	"golang.org/x/tools/go/ssa"
)

func (c *compiler) makeMap(in *ssa.MakeMap) op {
	d, t, pc := c.slots[in], c.e.types.Of(in.Type()), c.point(in)
	n := func(*frame) int { return 0 }
	if in.Reserve != nil {
		n = c.index(in.Reserve)
	}
	return func(fr *frame) {
		room := max(n(fr), 0)
		fr.reserve(pc, room)
		*mem.Slot[mem.Ptr](fr, d) = mem.MakeMap(t, room)
	}
}

func (c *compiler) lookup(in *ssa.Lookup) op {
	x, k, pc := c.operand(in.X), c.operand(in.Index), c.at()
	m, ok := in.X.Type().Underlying().(*types.Map)
	if !ok {
		if isInt(c, in.Index) {
			return c.byteAt(c.slots[in], x, k, pc)
		}
		return c.byteOf(c.slots[in], x, c.index(in.Index), pc)
	}
	t, class := c.e.types.Of(in.X.Type()), c.classOf(m.Elem())
	if in.CommaOk {
		parts := c.tuples[in]
		return func(fr *frame) {
			fr.pc = pc
			p := mem.MapGet(t, *mem.Slot[mem.Ptr](fr, x), addr(fr, k))
			if !p.Nil() {
				class.copy(addr(fr, parts[0]), p)
			} else {
				class.clear(addr(fr, parts[0]))
			}
			*mem.Slot[bool](fr, parts[1]) = !p.Nil()
		}
	}
	d := c.slots[in]
	return func(fr *frame) {
		fr.pc = pc
		if p := mem.MapGet(t, *mem.Slot[mem.Ptr](fr, x), addr(fr, k)); !p.Nil() {
			class.copy(addr(fr, d), p)
		} else {
			class.clear(addr(fr, d))
		}
	}
}

func (c *compiler) mapUpdate(in *ssa.MapUpdate) op {
	x, k, v, pc := c.operand(in.Map), c.operand(in.Key), c.operand(in.Value), c.point(in)
	t, class := c.e.types.Of(in.Map.Type()), c.classOf(in.Value.Type())
	return func(fr *frame) {
		fr.pc = pc
		fr.reserve(pc, 0)
		class.copy(mem.MapSet(t, *mem.Slot[mem.Ptr](fr, x), addr(fr, k)), addr(fr, v))
	}
}

// mapRange is the state of a range over a map or a string.
type mapRange struct {
	m    reflect.Value
	keys reflect.Value
	next int
	nans []reflect.Value // values of keys that do not equal themselves, such as NaN; nil until one is met

	text string
}

func (c *compiler) rangeOver(in *ssa.Range) op {
	d, x := c.slots[in], c.operand(in.X)
	if _, ok := in.X.Type().Underlying().(*types.Map); !ok {
		return func(fr *frame) { *mem.Slot[*mapRange](fr, d) = &mapRange{text: *mem.Slot[string](fr, x)} }
	}
	t, e := c.e.types.Reflect(in.X.Type()), c.e
	return func(fr *frame) {
		m := mem.Value(t, addr(fr, x))
		copied := reflect.New(t).Elem()
		copied.Set(m)
		*mem.Slot[*mapRange](fr, d) = &mapRange{m: copied, keys: e.order().Keys(copied)}
	}
}

func (c *compiler) next(in *ssa.Next) op {
	parts, x := c.tuples[in], c.operand(in.Iter)
	if in.IsString {
		return func(fr *frame) {
			r := *mem.Slot[*mapRange](fr, x)
			if r.next >= len(r.text) {
				*mem.Slot[bool](fr, parts[0]) = false
				return
			}
			char, size := rune(r.text[r.next]), 1
			if char >= utf8.RuneSelf {
				char, size = utf8.DecodeRuneInString(r.text[r.next:])
			}
			*mem.Slot[bool](fr, parts[0]) = true
			if parts[1] != 0 {
				*mem.Slot[int](fr, parts[1]) = r.next
			}
			if parts[2] != 0 {
				*mem.Slot[rune](fr, parts[2]) = char
			}
			r.next += size
		}
	}
	m := in.Iter.(*ssa.Range).X.Type().Underlying().(*types.Map)
	key, elem := c.classOf(m.Key()), c.classOf(m.Elem())
	t := c.e.types.Of(in.Iter.(*ssa.Range).X.Type())
	keySize, _ := c.e.types.Size(m.Key())
	return func(fr *frame) {
		r := *mem.Slot[*mapRange](fr, x)
		for r.next < r.keys.Len() {
			k := mem.In(r.keys).Add(uintptr(r.next) * keySize)
			r.next++
			p := mem.MapGet(t, mem.In(r.m), k)
			if p.Nil() {
				if p = r.ofNaN(r.next - 1); p.Nil() { // the key was deleted in the meantime
					continue
				}
			}
			*mem.Slot[bool](fr, parts[0]) = true
			if parts[1] != 0 {
				key.copy(addr(fr, parts[1]), k)
			}
			if parts[2] != 0 {
				elem.copy(addr(fr, parts[2]), p)
			}
			return
		}
		*mem.Slot[bool](fr, parts[0]) = false
	}
}

// ofNaN returns the value of a key that does not equal itself, such as NaN, which a map lookup cannot find; nil for
// other keys.
func (r *mapRange) ofNaN(i int) mem.Ptr {
	k := r.keys.Index(i)
	if r.m.Len() == 0 || !k.Comparable() || k.Equal(k) {
		return mem.Ptr{}
	}
	if r.nans == nil {
		for it := r.m.MapRange(); it.Next(); {
			if k := it.Key(); k.Comparable() && !k.Equal(k) {
				v := reflect.New(r.m.Type().Elem())
				v.Elem().Set(it.Value())
				r.nans = append(r.nans, v)
			}
		}
	}
	if len(r.nans) == 0 {
		return mem.Ptr{}
	}
	v := r.nans[0]
	r.nans = r.nans[1:]
	return mem.In(v)
}
