package exact

import (
	"go/types"
	"reflect"

	"github.com/gorlm/rlm/repl/internal/engine/exact/mem"

	"golang.org/x/tools/go/ssa"

	"github.com/gorlm/rlm/repl/internal/engine/exact/rtype"
)

// closure is the value of an interpreted function; in memory, the captured values follow it.
type closure struct {
	rtype.Func
	code *code
}

// env is the layout of the captured values in a function's closures.
type env struct {
	offs   []uintptr
	types  []types.Type
	layout *mem.Type
	begin  rtype.Func
}

// envOf returns the layout of a function's closures.
func (e *Engine) envOf(c *code) *env {
	if c.env != nil {
		return c.env
	}
	out := &env{begin: rtype.FuncOf(e.types.Of(c.fn.Signature), e.calledBack, direct)}
	r := e.types.NewRecord(reflect.TypeFor[closure]())
	for _, v := range c.fn.FreeVars {
		out.offs, out.types = append(out.offs, r.Add(v.Type())), append(out.types, v.Type())
	}
	out.layout = r.Type()
	c.env = out
	return out
}

// make makes a closure; the caller sets the captured values.
func (v *env) make(c *code) *closure {
	cl := mem.As[closure](mem.New(v.layout))
	cl.Func, cl.code = v.begin, c
	cl.Init()
	return cl
}

// closureOf returns the interpreted function behind a function value; nil if it is compiled.
func closureOf(p mem.Ptr) *closure {
	if direct.IsFunc(p) {
		return mem.As[closure](p)
	}
	return nil
}

// bind copies the captured values of a closure to a frame of its function.
func (cl *closure) bind(b *body, fr *frame) {
	for i := range b.free {
		f := &b.free[i]
		f.class.copy(addr(fr, f.off), mem.Of(cl).Add(b.env.offs[i]))
	}
}

func (c *compiler) makeClosure(in *ssa.MakeClosure) op {
	fn := in.Fn.(*ssa.Function)
	d, target := c.slots[in], c.e.codeOf(fn)
	v := c.e.envOf(target)
	from := make([]slot, len(in.Bindings))
	for i, b := range in.Bindings {
		from[i] = slot{c.operand(b), c.classOf(b.Type())}
	}
	return func(fr *frame) {
		cl := v.make(target)
		for i := range from {
			from[i].class.copy(mem.Of(cl).Add(v.offs[i]), addr(fr, from[i].off))
		}
		*mem.Slot[mem.Ptr](fr, d) = mem.Of(cl)
	}
}

// funcValue returns the function value of a function that captures nothing.
func (e *Engine) funcValue(fn *ssa.Function) mem.Ptr {
	if f, ok := e.compiledFunc(fn); ok {
		return mem.FuncOf(f)
	}
	c := e.codeOf(fn)
	if c.value == nil {
		c.value = e.envOf(c).make(c)
	}
	return mem.Of(c.value)
}
