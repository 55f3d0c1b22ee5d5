package exact

import (
	"go/types"
	"slices"

	"github.com/gorlm/rlm/repl/internal/engine/exact/mem"

	"golang.org/x/tools/go/ssa"

	"github.com/gorlm/rlm/repl/internal/engine/exact/rtype"
)

// bounds returns functions that read the indexes of a slice expression. If an index is missing, low returns 0, and
// high and limit are nil.
func (c *compiler) bounds(in *ssa.Slice) (low func(*frame) int, high, limit func(*frame) int) {
	low = func(*frame) int { return 0 }
	if in.Low != nil {
		low = c.index(in.Low)
	}
	if in.High != nil {
		high = c.index(in.High)
	}
	if in.Max != nil {
		limit = c.index(in.Max)
	}
	return low, high, limit
}

func (c *compiler) slice(in *ssa.Slice) op {
	d, x, pc := c.slots[in], c.operand(in.X), c.at()
	low, high, limit := c.bounds(in)
	switch u := in.X.Type().Underlying().(type) {
	case *types.Slice:
		size, _ := c.e.types.Size(u.Elem())
		return func(fr *frame) {
			s := *mem.Slot[mem.Slice](fr, x)
			l, h, m := low(fr), s.Len, s.Cap
			if high != nil {
				h = high(fr)
			}
			if limit != nil {
				m = limit(fr)
			}
			*mem.Slot[mem.Slice](fr, d) = sliced(fr, pc, s.Data, size, l, h, m, s.Cap, limit != nil, false)
		}
	case *types.Pointer:
		a := u.Elem().Underlying().(*types.Array)
		size, _ := c.e.types.Size(a.Elem())
		n, fail := int(a.Len()), c.nilFailure()
		if made, ok := in.X.(*ssa.Alloc); ok && made.Comment == "makeslice" && high != nil {
			elem, length := c.e.types.Of(a.Elem()), high
			high = func(fr *frame) int {
				h := length(fr)
				if uint(h) > uint(n) {
					fr.pc = pc
					mem.MakeSlice(elem, h, n)
				}
				return h
			}
		}
		return func(fr *frame) {
			p := *mem.Slot[mem.Ptr](fr, x)
			if p.Nil() {
				fail(fr)
			}
			l, h, m := low(fr), n, n
			if high != nil {
				h = high(fr)
			}
			if limit != nil {
				m = limit(fr)
			}
			*mem.Slot[mem.Slice](fr, d) = sliced(fr, pc, p, size, l, h, m, n, limit != nil, true)
		}
	}
	return func(fr *frame) {
		s := *mem.Slot[string](fr, x)
		l, h := low(fr), len(s)
		if high != nil {
			h = high(fr)
		}
		if uint(h) > uint(len(s)) || uint(l) > uint(h) {
			badString(fr, pc, s, l, h)
		}
		*mem.Slot[string](fr, d) = s[l:h]
	}
}

// sliced evaluates a slice expression, and panics as Go does.
func sliced(
	fr *frame, pc int32, data mem.Ptr, size uintptr, low, high, limit, capacity int, three, ofArray bool,
) mem.Slice {
	if uint(limit) > uint(capacity) || uint(high) > uint(limit) || uint(low) > uint(high) {
		badSlice(fr, pc, low, high, limit, capacity, three, ofArray)
	}
	if limit > low { // if the capacity is 0, it might point past the array
		data = data.Add(uintptr(low) * size)
	}
	return mem.Slice{Data: data, Len: high - low, Cap: limit - low}
}

func (c *compiler) makeSlice(in *ssa.MakeSlice) op {
	d, n, m, pc := c.slots[in], c.index(in.Len), c.index(in.Cap), c.point(in)
	elem := c.e.types.Of(in.Type().Underlying().(*types.Slice).Elem())
	return func(fr *frame) {
		fr.pc = pc
		l, k := n(fr), m(fr)
		fr.reserve(pc, k*int(elem.Size))
		*mem.Slot[mem.Slice](fr, d) = mem.Slice{Data: mem.MakeSlice(elem, l, k), Len: l, Cap: k}
	}
}

func (c *compiler) sliceToArray(in *ssa.SliceToArrayPointer) op {
	d, x, pc := c.slots[in], c.operand(in.X), c.at()
	n := int(in.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Array).Len())
	return func(fr *frame) {
		s := *mem.Slot[mem.Slice](fr, x)
		if s.Len < n {
			fr.pc = pc
			panic(rtype.TooShort(s.Len, n))
		}
		*mem.Slot[mem.Ptr](fr, d) = s.Data
	}
}

// appendSlice compiles append(x, y...).
func (c *compiler) appendSlice(in *ssa.Call, x, y uintptr) op {
	d, t := c.slots[in], in.Type()
	elem := c.e.types.Of(t.Underlying().(*types.Slice).Elem())
	class := c.classOf(t.Underlying().(*types.Slice).Elem())
	size, pc := elem.Size, c.point(in)
	return func(fr *frame) {
		s, more := *mem.Slot[mem.Slice](fr, x), *mem.Slot[mem.Slice](fr, y)
		n := s.Len
		if more.Len == 0 {
			*mem.Slot[mem.Slice](fr, d) = s
			return
		}
		if s.Len += more.Len; s.Len > s.Cap || s.Len < 0 {
			fr.pc = pc
			fr.reserve(pc, s.Len*int(size))
			s = mem.GrowSlice(s.Data, s.Len, s.Cap, more.Len, elem)
		}
		if to := s.Data.Add(uintptr(n) * size); more.Len == 1 {
			class.copy(to, more.Data)
		} else {
			mem.CopySlice(elem, to, more.Len, more.Data, more.Len)
		}
		*mem.Slot[mem.Slice](fr, d) = s
	}
}

// appended returns the values that a call of append lists, and the instructions whose only purpose is to make a
// slice of them; nil for other calls.
func (c *compiler) appended(p *plan, call *ssa.Call) (values []ssa.Value, parts []ssa.Instruction) {
	b, ok := call.Call.Value.(*ssa.Builtin)
	if !ok || b.Name() != "append" {
		return nil, nil
	}
	whole, ok := p.within(call.Call.Args[1]).(*ssa.Slice)
	if !ok {
		return nil, nil
	}
	made, ok := whole.X.(*ssa.Alloc)
	if !ok || made.Comment != "varargs" || c.classOf(call.Type().Underlying().(*types.Slice).Elem()).kind == kindNone {
		return nil, nil
	}
	parts = append(parts, whole, made)
	n := made.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Array).Len()
	values = make([]ssa.Value, n)
	for _, r := range *made.Referrers() {
		switch r := r.(type) {
		case *ssa.DebugRef:
		case *ssa.IndexAddr:
			i, ok := r.Index.(*ssa.Const)
			if !ok || uses(r) != 1 {
				return nil, nil
			}
			store, ok := (*r.Referrers())[0].(*ssa.Store)
			if !ok || store.Addr != ssa.Value(r) || values[i.Int64()] != nil {
				return nil, nil
			}
			values[i.Int64()] = store.Val
			parts = append(parts, r, store)
		default:
			if r != ssa.Instruction(whole) {
				return nil, nil
			}
		}
	}
	for _, in := range parts {
		if _, here := p.position[in]; !here || p.isPart(in) {
			return nil, nil
		}
	}
	if slices.Contains(values, nil) {
		return nil, nil
	}
	return values, parts
}

// appendValues compiles append(x, a, b, c).
func (c *compiler) appendValues(call *ssa.Call, values []ssa.Value) op {
	d, x, t := c.slots[call], c.operand(call.Call.Args[0]), call.Type().Underlying().(*types.Slice).Elem()
	class, elem, pc := c.classOf(t), c.e.types.Of(t), c.point(call)
	from := make([]uintptr, len(values))
	for i, v := range values {
		from[i] = c.operand(v)
	}
	if of := instances[class.kind]; len(from) == 1 && of.append != nil {
		return of.append(d, x, from[0], pc, int(elem.Size))
	}
	return func(fr *frame) {
		s := *mem.Slot[mem.Slice](fr, x)
		n := s.Len
		if s.Len += len(from); s.Len > s.Cap || s.Len < 0 {
			fr.pc = pc
			fr.reserve(pc, s.Len*int(elem.Size))
			s = mem.GrowSlice(s.Data, s.Len, s.Cap, len(from), elem)
		}
		for i, v := range from {
			class.copy(s.Data.Add(uintptr(n+i)*elem.Size), addr(fr, v))
		}
		*mem.Slot[mem.Slice](fr, d) = s
	}
}

//go:noinline
func appendOne[T any](d, x, v uintptr, pc int32, size int) op {
	if d == x { // in place: only the length changes if there is room
		return func(fr *frame) {
			s := mem.Slot[[]T](fr, x)
			if n := len(*s); n < cap(*s) {
				*s = (*s)[:n+1]
				(*s)[n] = *mem.Slot[T](fr, v)
				return
			}
			fr.reserve(pc, len(*s)*size)
			*s = append(*s, *mem.Slot[T](fr, v))
		}
	}
	return func(fr *frame) {
		s := *mem.Slot[[]T](fr, x)
		if len(s) == cap(s) {
			fr.reserve(pc, len(s)*size)
		}
		*mem.Slot[[]T](fr, d) = append(s, *mem.Slot[T](fr, v))
	}
}

// appendString compiles append(x, s...) for a string s.
//
//go:noinline
func (c *compiler) appendString(in *ssa.Call, x, y uintptr) op {
	d, pc := c.slots[in], c.point(in)
	return func(fr *frame) {
		s, more := *mem.Slot[[]byte](fr, x), *mem.Slot[string](fr, y)
		if len(s)+len(more) > cap(s) {
			fr.reserve(pc, len(s)+len(more))
		}
		*mem.Slot[[]byte](fr, d) = append(s, more...)
	}
}

func (c *compiler) copySlice(d uintptr, args []ssa.Value) op {
	x, y := c.operand(args[0]), c.operand(args[1])
	if c.classOf(args[1].Type()).kind == kindString {
		return func(fr *frame) {
			n := copy(*mem.Slot[[]byte](fr, x), *mem.Slot[string](fr, y))
			if d != 0 {
				*mem.Slot[int](fr, d) = n
			}
		}
	}
	elem := c.e.types.Of(args[0].Type().Underlying().(*types.Slice).Elem())
	return func(fr *frame) {
		to, from := mem.Slot[mem.Slice](fr, x), mem.Slot[mem.Slice](fr, y)
		n := mem.CopySlice(elem, to.Data, to.Len, from.Data, from.Len)
		if d != 0 {
			*mem.Slot[int](fr, d) = n
		}
	}
}
