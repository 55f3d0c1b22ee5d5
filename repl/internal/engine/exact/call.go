package exact

import (
	"go/types"

	"github.com/gorlm/rlm/repl/internal/engine/exact/mem"

	"golang.org/x/tools/go/ssa"
)

// argumentCopy is a value that a call copies from one frame to another.
type argumentCopy struct {
	class    class
	from, to uintptr
}

// site is the part of a compiled call that does not depend on the called function.
type site struct {
	args    []argumentCopy
	results []argumentCopy
	pc      int32
}

// siteOf lays out a call; args excludes the receiver.
func (c *compiler) siteOf(call convention, args []ssa.Value, in ssa.Value) site {
	out := site{}
	if call, ok := in.(ssa.Instruction); ok {
		out.pc = c.point(call)
	} else {
		out.pc = c.at()
	}
	for i, a := range args {
		out.args = append(out.args, argumentCopy{call.params[i].class, c.operand(a), call.params[i].off})
	}
	if in == nil {
		return out
	}
	parts, several := c.tuples[in]
	for i, r := range call.results {
		to := uintptr(0)
		if several {
			to = parts[i]
		} else {
			to = c.slots[in]
		}
		out.results = append(out.results, argumentCopy{r.class, r.off, to})
	}
	return out
}

// pass copies the arguments to the frame of the called function.
func (s *site) pass(from, to *frame) {
	for i := range s.args {
		a := &s.args[i]
		if a.class.kind == kind8 {
			*mem.Slot[uint64](to, a.to) = *mem.Slot[uint64](from, a.from)
			continue
		}
		a.class.copy(addr(to, a.to), addr(from, a.from))
	}
}

// fetch copies the results back to the caller's frame.
func (s *site) fetch(from, to *frame) {
	for i := range s.results {
		r := &s.results[i]
		if r.class.kind == kind8 {
			*mem.Slot[uint64](to, r.to) = *mem.Slot[uint64](from, r.from)
			continue
		}
		r.class.copy(addr(to, r.to), addr(from, r.from))
	}
}

func (c *compiler) call(in *ssa.Call) op {
	cc := &in.Call
	if b, ok := cc.Value.(*ssa.Builtin); ok {
		return c.builtin(in, b, cc.Args)
	}
	if cc.IsInvoke() {
		return c.invoke(in)
	}
	fn, ok := cc.Value.(*ssa.Function)
	if !ok {
		return c.callValue(in)
	}
	if f, ok := c.e.compiledFunc(fn); ok {
		return c.callCompiled(in, fn, f)
	}
	if o := c.inPlace(in, fn); o != nil {
		return o
	}
	target := c.e.codeOf(fn)
	s, recv := c.staticSite(target, cc, in)
	if recv != nil {
		s.args = append(s.args, *recv)
	}
	return func(fr *frame) {
		fr.pc = s.pc
		b := target.body.Load()
		if b == nil {
			b = target.ready()
		}
		stack := fr.stack
		nf := stack.enter(b, fr)
		s.pass(fr, nf)
		b.run(nf)
		s.fetch(nf, fr)
		stack.leave(b, nf)
	}
}

// staticSite returns the site of a call of a known function, and how its receiver is passed.
func (c *compiler) staticSite(target *code, cc *ssa.CallCommon, in ssa.Value) (site, *argumentCopy) {
	sig, args := target.fn.Signature, cc.Args
	var recv types.Type
	if sig.Recv() != nil {
		recv, args = cc.Args[0].Type(), cc.Args[1:]
	}
	call, _ := c.e.conventionOf(sig, recv)
	s := c.siteOf(call, args, in)
	if recv == nil {
		return s, nil
	}
	return s, &argumentCopy{call.recv.class, c.operand(cc.Args[0]), call.recv.off}
}

// callValue compiles a call of a function value.
func (c *compiler) callValue(in *ssa.Call) op {
	cc := &in.Call
	x, sig := c.operand(cc.Value), cc.Signature()
	call, _ := c.e.conventionOf(sig, nil)
	s, fail := c.siteOf(call, cc.Args, in), c.nilFailure()
	n := c.reflectCall(cc.Args, in, sig.Variadic())
	t := c.e.types.Reflect(cc.Value.Type())
	pass := n.passing(t)
	return func(fr *frame) {
		p := *mem.Slot[mem.Ptr](fr, x)
		if p.Nil() {
			fail(fr)
		}
		fr.pc = s.pc
		cl := closureOf(p)
		if cl == nil {
			fr.reserve(s.pc, 0)
			if pass != nil {
				pass(fr, p)
				return
			}
			n.run(fr, valueAt(t, addr(fr, x)))
			return
		}
		b := cl.code.body.Load()
		if b == nil {
			b = cl.code.ready()
		}
		stack := fr.stack
		nf := stack.enter(b, fr)
		cl.bind(b, nf)
		s.pass(fr, nf)
		b.run(nf)
		s.fetch(nf, fr)
		stack.leave(b, nf)
	}
}
