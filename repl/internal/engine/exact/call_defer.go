package exact

import (
	"reflect"

	"github.com/gorlm/rlm/repl/internal/engine/exact/mem"

	"golang.org/x/tools/go/ssa"
)

// deferredCall is a call that a frame has deferred.
type deferredCall struct {
	next *deferredCall
	call preparedCall
}

// preparedCall makes a call whose function and arguments are already evaluated; caller is the frame that makes it.
type preparedCall func(caller *frame)

// failure is the panic that makes a frame run its deferred calls.
type failure struct {
	value any
	ends  bool // the value is the sentinel of the cell, which nothing recovers or replaces
}

// fail records a panic that has reached a frame.
func (fr *frame) fail(v any) {
	ends := fr.stack.ends(v)
	if ends {
		fr.stack.e.unwinding.Catch()
	}
	if fr.failed == nil || !fr.failed.ends {
		fr.failed = &failure{v, ends}
	}
}

// pass records that the frame panics again, if the panic is the cell's sentinel.
func (fr *frame) pass() {
	if fr.failed.ends {
		fr.stack.e.unwinding.Pass()
	}
}

// runDeferring runs a body that defers calls. It reports whether the call continues to panic, with the value in
// fr.failed. Then the caller panics again once the Go frames of this call are gone, so that the time that a panic
// takes is linear in the depth of the stack.
func runDeferring(b *body, fr *frame) (again bool) {
	s, depth, normal := fr.stack, fr.stack.depth, false
	fr.defers, fr.failed = nil, nil
	defer func() {
		if normal {
			return
		}
		v := recover()
		if v != nil {
			s.caught()
			fr.fail(v)
		}
		s.depth, s.top = depth, fr
		fr.runAll()
		if v == nil { // runtime.Goexit, which cannot be stopped
			return
		}
		if fr.failed != nil {
			fr.pass()
			again = true
			return
		}
		for next := b.recover; next != nil; {
			next = next.run(fr)
		}
	}()
	for next := b.entry; next != nil; {
		next = next.run(fr)
	}
	normal = true
	return false
}

// runDefers runs the deferred calls of a function that returns, and panics if one of these calls did.
func (fr *frame) runDefers() {
	fr.runAll()
	if fr.failed != nil {
		fr.pass()
		fr.stack.again = true
		panic(fr.failed.value)
	}
}

// runAll runs all deferred calls. Afterwards, fr.failed is the panic that has not been recovered, if any.
func (fr *frame) runAll() {
	for fr.defers != nil {
		d := fr.defers
		fr.defers = d.next
		fr.runOne(d)
	}
}

func (fr *frame) runOne(d *deferredCall) {
	s, depth, ended := fr.stack, fr.stack.depth, false
	defer func() {
		if ended {
			return
		}
		v := recover()
		if v == nil { // runtime.Goexit: only the deferred calls of this goroutine still run
			s.depth, s.top = depth, fr
			fr.failed = nil
			fr.runAll()
			return
		}
		s.caught()
		s.depth, s.top = depth, fr
		fr.fail(v)
	}()
	d.call(fr)
	ended = true
}

// recovered implements recover(): it recovers the panic of the frame that runs this one as a deferred call, and
// returns its value.
func (fr *frame) recovered() any {
	caller := fr.caller
	for caller != nil && caller.synth {
		caller = caller.caller
	}
	if caller == nil || caller.failed == nil || caller.failed.ends {
		return nil
	}
	v := caller.failed.value
	caller.failed = nil
	fr.stack.forget()
	return v
}

func (c *compiler) deferStatement(in *ssa.Defer) op {
	prepare := c.prepare(&in.Call)
	if in.DeferStack == nil {
		return func(fr *frame) { fr.defers = &deferredCall{fr.defers, prepare(fr, fr.stack)} }
	}
	on := c.operand(in.DeferStack)
	return func(fr *frame) {
		f := *mem.Slot[*frame](fr, on)
		f.defers = &deferredCall{f.defers, prepare(fr, fr.stack)}
	}
}

// prepare compiles the evaluation of a call's function and arguments, for a call that is made later, on stack s.
func (c *compiler) prepare(cc *ssa.CallCommon) func(fr *frame, s *stack) preparedCall {
	if b, ok := cc.Value.(*ssa.Builtin); ok {
		return c.prepareBuiltin(b, cc)
	}
	if cc.IsInvoke() {
		return c.prepareInvoke(cc)
	}
	if fn, ok := cc.Value.(*ssa.Function); ok {
		if f, ok := c.e.compiledFunc(fn); ok {
			n := c.reflectCall(cc.Args, nil, fn.Signature.Variadic())
			return func(fr *frame, _ *stack) preparedCall {
				args := n.values(fr, true)
				return func(*frame) { n.do(f, args) }
			}
		}
		target := c.e.codeOf(fn)
		s, recv := c.staticSite(target, cc, nil)
		if recv != nil {
			s.args = append(s.args, *recv)
		}
		return func(fr *frame, st *stack) preparedCall {
			b := target.ready()
			nf := st.take(b)
			s.pass(fr, nf)
			return later(b, nf)
		}
	}
	x, t, fail := c.operand(cc.Value), c.e.types.Reflect(cc.Value.Type()), c.nilFailure()
	call, _ := c.e.conventionOf(cc.Signature(), nil)
	s, n := c.siteOf(call, cc.Args, nil), c.reflectCall(cc.Args, nil, cc.Signature().Variadic())
	return func(fr *frame, st *stack) preparedCall {
		p := *mem.Slot[mem.Ptr](fr, x)
		if p.Nil() {
			if st != fr.stack {
				fail(fr)
			}
			return func(*frame) { nilPointer() }
		}
		cl := closureOf(p)
		if cl == nil {
			f := reflect.New(t).Elem()
			f.Set(valueAt(t, addr(fr, x)))
			args := n.values(fr, true)
			return func(*frame) { n.do(f, args) }
		}
		b := cl.code.ready()
		nf := st.take(b)
		cl.bind(b, nf)
		s.pass(fr, nf)
		return later(b, nf)
	}
}

// later returns a call of the function whose frame already contains its arguments.
func later(b *body, nf *frame) preparedCall {
	nf.next = nil // the frame may wait for long, and should not keep others alive
	return func(caller *frame) {
		s := nf.stack
		if s.depth++; s.depth&(between-1) == 0 {
			s.measure()
		}
		nf.caller, s.top = caller, nf
		b.run(nf)
		s.leave(b, nf)
	}
}

func (c *compiler) prepareBuiltin(b *ssa.Builtin, cc *ssa.CallCommon) func(fr *frame, s *stack) preparedCall {
	if b.Name() == "recover" {
		return func(*frame, *stack) preparedCall {
			return func(caller *frame) { // recovers as if the deferring function called recover itself at its end
				if caller != nil && caller.failed == nil {
					caller.recovered()
				}
			}
		}
	}
	run, n := c.e.builtinFunc(b.Name()), c.reflectCall(cc.Args, nil, false)
	return func(fr *frame, _ *stack) preparedCall {
		args := n.values(fr, true)
		return func(*frame) { run(args) }
	}
}

func (c *compiler) prepareInvoke(cc *ssa.CallCommon) func(fr *frame, s *stack) preparedCall {
	x, fail := c.operand(cc.Value), c.nilFailure()
	call, _ := c.e.conventionOf(cc.Signature(), nil)
	s, n := c.siteOf(call, cc.Args, nil), c.reflectCall(cc.Args, nil, cc.Signature().Variadic())
	place := &invocation{e: c.e, pkg: cc.Method.Pkg(), name: cc.Method.Name()}
	reads := c.readsReceiver(cc)
	return func(fr *frame, st *stack) preparedCall {
		w := *mem.Slot[mem.Words](fr, x)
		if w.Tab.Nil() {
			fail(fr)
		}
		if reads && w.Data.Nil() {
			return func(*frame) { nilPointer() }
		}
		m := place.of(mem.As[mem.Itab](w.Tab))
		if m.code == nil {
			f, args := m.bound(w.Data), n.values(fr, true)
			return func(*frame) { n.do(f, args) }
		}
		b := m.code.ready()
		nf := st.take(b)
		m.set(nf, w.Data)
		s.pass(fr, nf)
		return later(b, nf)
	}
}
