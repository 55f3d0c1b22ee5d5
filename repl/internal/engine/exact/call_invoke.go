package exact

import (
	"go/types"
	"reflect"
	"sync"
	"sync/atomic"

	"github.com/gorlm/rlm/repl/internal/engine/exact/mem"

	"golang.org/x/tools/go/ssa"
)

// method is the method that a call through an interface resolves to for one type.
type method struct {
	tab  *mem.Itab
	code *code // nil for a compiled method
	recv slot
	typ  *mem.Type
	// index is the number of a compiled method in its type's table.
	index int
}

// methodOf finds the method of the value in an interface.
func (e *Engine) methodOf(tab *mem.Itab, pkg *types.Package, name string) *method {
	e.mu.Lock()
	defer e.mu.Unlock()
	m := &method{tab: tab, typ: tab.Type}
	if t := e.types.GoType(tab.Type); t != nil {
		if fn := e.methodFunc(t, pkg, name); !isCompiled(fn) {
			e.interpreted(m, fn)
			return m
		}
	}
	rm, ok := tab.Type.Reflect().MethodByName(name)
	if !ok {
		panic("no method " + name + " of " + tab.Type.Reflect().String())
	}
	m.index = rm.Index
	return m
}

// interpreted fills m with the method implemented by fn.
func (e *Engine) interpreted(m *method, fn *ssa.Function) {
	m.code = e.codeOf(fn)
	sig := m.code.fn.Signature
	call, _ := e.conventionOf(sig, sig.Recv().Type())
	m.recv = call.recv
}

// methodFunc returns the function of a method of a type, including promoted ones.
func (e *Engine) methodFunc(t types.Type, pkg *types.Package, name string) *ssa.Function {
	set := types.NewMethodSet(t)
	sel := set.Lookup(pkg, name)
	if sel == nil {
		for s := range set.Methods() {
			if s.Obj().Name() == name {
				sel = s
			}
		}
	}
	return e.prog.MethodValue(sel)
}

// set copies the receiver into a frame of the method.
func (m *method) set(fr *frame, data mem.Ptr) {
	m.typ.Load(addr(fr, m.recv.off), data)
}

// bound returns a compiled method value.
func (m *method) bound(data mem.Ptr) reflect.Value { return m.value(data).Method(m.index) }

// value returns the receiver as a reflect.Value, given an interface's data word.
func (m *method) value(data mem.Ptr) reflect.Value {
	var v any
	*mem.View[mem.Words](&v) = mem.Words{Tab: mem.Of(m.typ), Data: data}
	return reflect.ValueOf(v)
}

// invocation is a call site of an interface method. It caches the method for the type of the last call.
type invocation struct {
	e    *Engine
	pkg  *types.Package
	name string
	last atomic.Pointer[method]
}

func (i *invocation) of(tab *mem.Itab) *method {
	if m := i.last.Load(); m != nil && m.tab == tab {
		return m
	}
	m := i.e.methodOf(tab, i.pkg, i.name)
	i.last.Store(m)
	return m
}

func (c *compiler) invoke(in *ssa.Call) op {
	cc := &in.Call
	x, fail := c.operand(cc.Value), c.nilFailure()
	call, _ := c.e.conventionOf(cc.Signature(), nil)
	s, n := c.siteOf(call, cc.Args, in), c.reflectCall(cc.Args, in, cc.Signature().Variadic())
	place := &invocation{e: c.e, pkg: cc.Method.Pkg(), name: cc.Method.Name()}
	pass, index := c.passingMethod(cc, x, n)
	reads := c.readsReceiver(cc)
	return func(fr *frame) {
		w := *mem.Slot[mem.Words](fr, x)
		if w.Tab.Nil() || reads && w.Data.Nil() {
			fail(fr)
		}
		fr.pc = s.pc
		m := place.of(mem.As[mem.Itab](w.Tab))
		if m.code == nil {
			fr.reserve(s.pc, 0)
			if pass != nil {
				pass(fr, m.tab.Method(index))
				return
			}
			n.run(fr, m.bound(w.Data))
			return
		}
		b := m.code.body.Load()
		if b == nil {
			b = m.code.ready()
		}
		stack := fr.stack
		nf := stack.enter(b, fr)
		m.set(nf, w.Data)
		s.pass(fr, nf)
		b.run(nf)
		s.fetch(nf, fr)
		stack.leave(b, nf)
	}
}

// readsReceiver reports whether the interface is seen to contain a pointer whose method has a value receiver. The
// compiler calls such a method directly, so a nil pointer causes the usual panic; a call through the interface
// would panic with a message that names the method.
func (c *compiler) readsReceiver(cc *ssa.CallCommon) bool {
	t := seenIn(cc.Value)
	if t == nil {
		return false
	}
	if _, ok := t.Underlying().(*types.Pointer); !ok {
		return false
	}
	sel := types.NewMethodSet(t).Lookup(cc.Method.Pkg(), cc.Method.Name())
	if sel == nil {
		return false
	}
	_, pointer := sel.Obj().(*types.Func).Signature().Recv().Type().Underlying().(*types.Pointer)
	return !pointer
}

// seenIn returns the type of the value in an interface if the same function stores the value there; nil if it is
// unknown.
func seenIn(v ssa.Value) types.Type {
	switch v := v.(type) {
	case *ssa.MakeInterface:
		return v.X.Type()
	case *ssa.ChangeInterface:
		return seenIn(v.X)
	case *ssa.TypeAssert:
		return seenIn(v.X)
	case *ssa.Extract:
		if a, ok := v.Tuple.(*ssa.TypeAssert); ok && v.Index == 0 {
			return seenIn(a.X)
		}
	case *ssa.Phi:
		var one types.Type
		for _, e := range v.Edges {
			if made, ok := e.(*ssa.MakeInterface); ok && (one == nil || types.Identical(one, made.X.Type())) {
				one = made.X.Type()
			} else if k, ok := e.(*ssa.Const); !ok || k.Value != nil { // a nil interface contains no value
				return nil
			}
		}
		return one
	}
	return nil
}

// nativeMethod makes the function that compiled code calls for a method of t.
func (e *Engine) nativeMethod(t types.Type, sel *types.Selection, typ reflect.Type) reflect.Value {
	known := sync.OnceValues(func() (*method, reflect.Value) { return e.nativeFunc(t, sel) })
	return reflect.MakeFunc(typ, func(args []reflect.Value) []reflect.Value {
		m, f := known()
		if f.IsValid() {
			args[0] = m.value(mem.In(args[0]))
			return f.Call(args)
		}
		return e.callback(m.code.ready(), func(b *body, fr *frame) {
			m.set(fr, mem.In(args[0]))
			setParams(b, fr, args[1:])
		})
	})
}

// nativeFunc finds a method of a type that this session made. Methods of atomic.Pointer[T] are compiled functions,
// which take the receiver as the first argument.
func (e *Engine) nativeFunc(t types.Type, sel *types.Selection) (*method, reflect.Value) {
	e.mu.Lock()
	defer e.mu.Unlock()
	m := &method{typ: e.types.Of(t)}
	fn := e.methodFunc(t, sel.Obj().Pkg(), sel.Obj().Name())
	if f, ok := e.compiledFunc(fn); ok {
		return m, f
	}
	e.interpreted(m, fn)
	return m, reflect.Value{}
}
