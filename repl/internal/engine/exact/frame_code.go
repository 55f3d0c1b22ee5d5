package exact

import (
	"fmt"
	"go/token"
	"go/types"
	"reflect"
	"sync/atomic"

	"github.com/gorlm/rlm/repl/internal/engine/exact/mem"

	"golang.org/x/tools/go/ssa"

	"github.com/gorlm/rlm/repl/internal/engine/exact/rtype"
)

// op runs one instruction.
type op func(fr *frame)

// block is a basic block. run returns the next one; nil ends the call.
type block struct{ run func(fr *frame) *block }

// code is a function of a cell. It stays the same when a later cell declares the function again: only its body
// changes.
type code struct {
	e *Engine
	// fn is nil once a literal's source is no longer needed; settled is then the name of the function that contains
	// the literal. lasting means that the source will always be needed.
	fn      *ssa.Function
	settled string
	lasting bool
	body    atomic.Pointer[body]
	// value is the function value, for functions that capture nothing.
	value *closure
	env   *env // layout of the function's closures; nil until one is made
}

// body is a compiled function.
type body struct {
	id        int
	code      *code
	layout    *mem.Type
	entry     *block
	recover   *block // where a call continues after a recovered panic, to return the results
	defers    bool
	synthetic bool
	call      convention
	reads     [][]slot // parts of each parameter that are read, if they are known and few
	results   []reflect.Type
	free      []slot
	env       *env // layout of the closures whose captured values are copied to the slots in free
	constants []fixedSlot
	places    []token.Pos
	held      []slot         // slots that may point to memory
	lives     map[int32]live // slots in held that are read later, by place
}

// slot is a place in a frame.
type slot struct {
	off   uintptr
	class class
}

// fixedSlot is a slot that holds a constant.
type fixedSlot struct {
	slot
	value mem.Ptr
}

// convention describes where a call's results and arguments are in the frame of the called function. It depends
// only on the signature, so callers need not know the function.
type convention struct {
	results, params []slot
	recv            slot
}

// conventionOf lays out the beginning of a frame: results, parameters, the receiver (nil for none).
func (e *Engine) conventionOf(sig *types.Signature, recv types.Type) (convention, *rtype.Record) {
	var out convention
	r := e.types.NewRecord(reflect.TypeFor[frame]())
	for v := range sig.Results().Variables() {
		out.results = append(out.results, slot{r.Add(v.Type()), e.classOf(v.Type())})
	}
	for v := range sig.Params().Variables() {
		out.params = append(out.params, slot{r.Add(v.Type()), e.classOf(v.Type())})
	}
	if recv != nil {
		out.recv = slot{r.Add(recv), e.classOf(recv)}
	}
	return out, r
}

// ready returns the body of a function, and compiles it on the first call.
func (c *code) ready() *body {
	if b := c.body.Load(); b != nil {
		return b
	}
	return c.e.compile(c)
}

// compile makes the body of a function. If go/ssa or this package cannot do that, the cell panics.
func (e *Engine) compile(c *code) *body {
	e.mu.Lock()
	defer e.mu.Unlock()
	if b := c.body.Load(); b != nil {
		return b
	}
	e.noteLocals(c.fn)
	b := newCompiler(e, c).compile()
	c.body.Store(b)
	return b
}

// run runs the body of a frame to its end.
func (b *body) run(fr *frame) {
	if b.defers {
		if runDeferring(b, fr) {
			fr.stack.again = true
			panic(fr.failed.value)
		}
		return
	}
	for next := b.entry; next != nil; {
		next = next.run(fr)
	}
}

// first returns the code of a body's first block, for callers that call it often and run the other blocks
// themselves.
func (b *body) first() func(fr *frame) *block {
	if b.defers {
		return func(fr *frame) *block { b.run(fr); return nil }
	}
	return b.entry.run
}

// codeOf returns the code of a function. Functions that cells declare are found by name, so that a call reaches the
// latest declaration; any other function has separate code.
func (e *Engine) codeOf(fn *ssa.Function) *code {
	if c := e.codes[fn]; c != nil {
		return c
	}
	key := nameOf(fn)
	if key != "" {
		if c := e.named[key]; c != nil {
			e.codes[fn] = c
			return c
		}
	}
	c := &code{e: e, fn: fn}
	e.codes[fn] = c
	if key != "" {
		e.named[key] = c
	}
	return c
}

// nameOf returns the name that a cell's function has in the session; empty for literals, wrappers and instances.
func nameOf(fn *ssa.Function) string {
	obj, ok := fn.Object().(*types.Func)
	if !ok || fn.Synthetic != "" && fn.Blocks != nil || fn.Parent() != nil || len(fn.TypeArgs()) > 0 ||
		obj.Pkg() == nil || obj.Pkg().Path() != "main" {
		return ""
	}
	recv := obj.Signature().Recv()
	switch {
	case recv == nil && obj.Name() == "init": // a program may have several init functions
		return ""
	case recv == nil:
		return obj.Name()
	}
	return fmt.Sprintf("(%s).%s", rtype.Key(recv.Type()), obj.Name())
}

// again makes every function be compiled again on its next call, because its types have new versions.
func (e *Engine) again() {
	for _, c := range e.codes {
		c.body.Store(nil)
	}
	for _, c := range e.named {
		c.body.Store(nil)
	}
	for _, w := range e.loose {
		if c := w.Value(); c != nil && c.fn != nil {
			c.body.Store(nil)
		}
	}
}

// define makes fn the current meaning of its name.
func (e *Engine) define(fn *ssa.Function) {
	key := nameOf(fn)
	if key == "" || fn.Syntax() == nil {
		return
	}
	c := e.named[key]
	if c == nil {
		c = &code{e: e}
		e.named[key] = c
	}
	c.fn, c.env = fn, nil
	c.body.Store(nil)
	e.codes[fn] = c
}
