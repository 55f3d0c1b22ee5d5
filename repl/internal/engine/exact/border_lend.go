package exact

import (
	"cmp"
	"go/types"
	"reflect"
	"sort"

	"github.com/gorlm/rlm/repl/internal/engine/exact/mem"

	"golang.org/x/tools/go/ssa"
)

// borrowers lists functions that call their argument only until they return, on the same goroutine, and do not keep
// it. So one frame can be lent to the argument for all its calls.
var borrowers = map[string]bool{
	"sort.Slice": true, "sort.SliceStable": true, "sort.SliceIsSorted": true, "sort.Search": true, "sort.Find": true,
	"strings.Map": true, "strings.IndexFunc": true, "strings.LastIndexFunc": true,
	"strings.ContainsFunc": true, "strings.FieldsFunc": true,
	"strings.TrimFunc": true, "strings.TrimLeftFunc": true, "strings.TrimRightFunc": true,
	"bytes.Map": true, "bytes.IndexFunc": true, "bytes.LastIndexFunc": true,
	"bytes.ContainsFunc": true, "bytes.FieldsFunc": true,
	"bytes.TrimFunc": true, "bytes.TrimLeftFunc": true, "bytes.TrimRightFunc": true,
}

// lenders contains, for the types that are called most often, functions that make a compiled function of an
// interpreted one that already has a frame.
var lenders = map[reflect.Type]func(b *body, fr *frame) reflect.Value{
	reflect.TypeFor[func(int, int) bool](): func(b *body, fr *frame) reflect.Value {
		x, y, r, run := b.call.params[0].off, b.call.params[1].off, b.call.results[0].off, b.first()
		return reflect.ValueOf(func(i, j int) bool {
			*mem.Slot[int](fr, x), *mem.Slot[int](fr, y) = i, j
			for next := run(fr); next != nil; {
				next = next.run(fr)
			}
			return *mem.Slot[bool](fr, r)
		})
	},
	reflect.TypeFor[func(int) bool](): func(b *body, fr *frame) reflect.Value {
		return reflect.ValueOf(lent[int, bool](b, fr))
	},
	reflect.TypeFor[func(int) int](): func(b *body, fr *frame) reflect.Value {
		return reflect.ValueOf(lent[int, int](b, fr))
	},
	reflect.TypeFor[func(rune) bool](): func(b *body, fr *frame) reflect.Value {
		return reflect.ValueOf(lent[rune, bool](b, fr))
	},
	reflect.TypeFor[func(rune) rune](): func(b *body, fr *frame) reflect.Value {
		return reflect.ValueOf(lent[rune, rune](b, fr))
	},
}

//go:noinline
func lent[P, R any](b *body, fr *frame) func(P) R {
	x, r := b.call.params[0].off, b.call.results[0].off
	return func(p P) R {
		*mem.Slot[P](fr, x) = p
		b.run(fr)
		return *mem.Slot[R](fr, r)
	}
}

// lend compiles a call of a compiled function to which a frame can be lent for one of its arguments, an interpreted
// function. It returns nil for other calls.
func (c *compiler) lend(in *ssa.Call, fn *ssa.Function, f reflect.Value) op {
	obj, ok := fn.Object().(*types.Func)
	if !ok || !borrowers[obj.FullName()] {
		return nil
	}
	n, pc := c.reflectCall(in.Call.Args, in, fn.Signature.Variadic()), c.point(in)
	for i, a := range n.args {
		lender := lenders[a.typ]
		if lender == nil {
			continue
		}
		return func(fr *frame) {
			fr.pc = pc
			fr.reserve(pc, 0)
			p := *mem.Slot[mem.Ptr](fr, a.off)
			if p.Nil() || closureOf(p) == nil {
				n.run(fr, f)
				return
			}
			cl, s := closureOf(p), fr.stack
			b := cl.code.ready()
			nf := s.enter(b, fr)
			cl.bind(b, nf)
			nf.lent = true
			args := n.values(fr, false)
			function, end := watchLent(lender(b, nf), nf)
			args[i] = function
			for j, r := range n.do(f, args) {
				valueAt(n.results[j].typ, addr(fr, n.results[j].off)).Set(r)
			}
			end()
			nf.lent = false
			s.leave(b, nf)
		}
	}
	return nil
}

// inPlace compiles calls of generic sorting functions so that Go's own compiled code sorts, with the same
// comparisons in the same order. It returns nil for other functions.
func (c *compiler) inPlace(in *ssa.Call, fn *ssa.Function) op {
	run := sort.Sort
	switch genericName(fn) {
	case "cmp.Compare":
		return c.compare(c.slots[in], c.operand(in.Call.Args[0]), c.operand(in.Call.Args[1]), in.Call.Args[0].Type())
	case "slices.SortFunc":
	case "slices.SortStableFunc":
		run = sort.Stable
	default:
		return nil
	}
	x, f, pc := c.operand(in.Call.Args[0]), c.operand(in.Call.Args[1]), c.point(in)
	elem := in.Call.Args[0].Type().Underlying().(*types.Slice).Elem()
	class, t := c.classOf(elem), c.e.types.Of(elem)
	target := c.e.codeOf(fn)
	st, _ := c.staticSite(target, &in.Call, in)
	return func(fr *frame) {
		fr.pc = pc
		p, s := *mem.Slot[mem.Ptr](fr, f), fr.stack
		if p.Nil() || closureOf(p) == nil { // a compiled function makes the comparisons
			b := target.ready()
			nf := s.enter(b, fr)
			st.pass(fr, nf)
			b.run(nf)
			s.leave(b, nf)
			return
		}
		cl := closureOf(p)
		b := cl.code.ready()
		nf := s.enter(b, fr)
		cl.bind(b, nf)
		nf.lent = true
		call := &b.call
		run(&sorter{
			Slice: *mem.Slot[mem.Slice](fr, x), class: class, typ: t, spare: mem.New(t), run: b.first(), frame: nf,
			result: call.results[0].off,
			first:  b.partsOf(0, nf), second: b.partsOf(1, nf),
		})
		nf.lent = false
		s.leave(b, nf)
	}
}

// genericName returns the full name of the generic function of which fn is an instance; empty for others.
func genericName(fn *ssa.Function) string {
	if origin := fn.Origin(); origin != nil && origin.Object() != nil {
		return origin.Object().(*types.Func).FullName()
	}
	return ""
}

// compare compiles cmp.Compare for the types that are compared most often; it returns nil for others.
func (c *compiler) compare(d, x, y uintptr, t types.Type) op {
	switch c.kindOf(t) {
	case reflect.Int:
		return comparing[int](d, x, y)
	case reflect.Float64:
		return comparing[float64](d, x, y)
	case reflect.String:
		return comparing[string](d, x, y)
	}
	return nil
}

//go:noinline
func comparing[T cmp.Ordered](d, x, y uintptr) op {
	return func(fr *frame) { *mem.Slot[int](fr, d) = cmp.Compare(*mem.Slot[T](fr, x), *mem.Slot[T](fr, y)) }
}

// sorter sorts a slice of any type with an interpreted comparison.
type sorter struct {
	mem.Slice
	class         class
	typ           *mem.Type
	spare         mem.Ptr
	run           func(fr *frame) *block
	frame         *frame
	result        uintptr
	first, second []part
}

// part is a part of an element that a comparison reads, and the address in the comparison's frame that the part is
// copied to.
type part struct {
	class class
	off   uintptr
	to    mem.Ptr
}

// partsOf returns the parts of parameter i that a function reads.
func (b *body) partsOf(i int, fr *frame) []part {
	param := b.call.params[i]
	if b.reads == nil || b.reads[i] == nil {
		return []part{{param.class, 0, addr(fr, param.off)}}
	}
	var out []part
	for _, r := range b.reads[i] {
		out = append(out, part{r.class, r.off, addr(fr, param.off+r.off)})
	}
	return out
}

func (s *sorter) at(i int) mem.Ptr { return s.Data.Add(uintptr(i) * s.typ.Size) }

// Len returns the slice's length.
func (s *sorter) Len() int { return s.Slice.Len }

// Less calls the comparison.
func (s *sorter) Less(i, j int) bool {
	give(s.first, s.at(i))
	give(s.second, s.at(j))
	for next := s.run(s.frame); next != nil; {
		next = next.run(s.frame)
	}
	return *mem.Slot[int](s.frame, s.result) < 0
}

// give copies the parts of an element to the frame of the comparison.
func give(parts []part, elem mem.Ptr) {
	for k := range parts {
		p := &parts[k]
		if p.class.kind == kind8 {
			*mem.As[uint64](p.to) = *mem.At[uint64](elem, p.off)
			continue
		}
		p.class.copy(p.to, elem.Add(p.off))
	}
}

// Swap swaps two elements.
func (s *sorter) Swap(i, j int) {
	s.class.copy(s.spare, s.at(i))
	s.class.copy(s.at(i), s.at(j))
	s.class.copy(s.at(j), s.spare)
}
