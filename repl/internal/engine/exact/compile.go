package exact

import (
	"fmt"
	"go/constant"
	"go/token"
	"go/types"
	"reflect"

	"github.com/gorlm/rlm/repl/internal/engine/exact/mem"

	"golang.org/x/tools/go/ssa"

	"github.com/gorlm/rlm/repl/internal/engine/exact/rtype"
)

// compiler turns one function into closures.
type compiler struct {
	e      *Engine
	fn     *ssa.Function
	body   *body
	record *rtype.Record
	slots  map[ssa.Value]uintptr
	// tuples maps values that are tuples to the slots of their parts.
	tuples map[ssa.Value][]uintptr
	local  map[*ssa.Alloc]uintptr
	consts map[string]uintptr
	spare  map[*ssa.Phi]uintptr
	blocks []*block
	plans  []*plan
	joined map[ssa.Value]bool // values that were given the slot of a variable or result
	shared map[ssa.Value]bool // values that are already in the slot of another value
	// spilled contains the instructions that write a parameter to a variable that shares the parameter's slot.
	spilled map[*ssa.Store]bool
	pos     token.Pos
	points  []point
	// runsDefers means that an instruction of the function runs its deferred calls.
	runsDefers bool
	// statements are the simple statements of the function's source.
	statements statements
}

func newCompiler(e *Engine, c *code) *compiler {
	e.bodies++
	return &compiler{
		e: e, fn: c.fn, body: &body{id: e.bodies, code: c, synthetic: c.fn.Synthetic != "" && c.fn.Syntax() == nil},
		slots: map[ssa.Value]uintptr{}, tuples: map[ssa.Value][]uintptr{}, local: map[*ssa.Alloc]uintptr{},
		consts: map[string]uintptr{}, joined: map[ssa.Value]bool{}, shared: map[ssa.Value]bool{},
		spilled: map[*ssa.Store]bool{}, spare: map[*ssa.Phi]uintptr{}, statements: statementsOf(c.fn),
	}
}

func (c *compiler) compile() *body {
	fn, b := c.fn, c.body
	if fn.Blocks == nil {
		panic(fmt.Sprintf("the function %s has no body", fn))
	}
	var recv types.Type
	params := fn.Params
	if fn.Signature.Recv() != nil {
		recv = params[0].Type()
	}
	b.call, c.record = c.e.conventionOf(fn.Signature, recv)
	if recv != nil {
		c.slots[params[0]] = b.call.recv.off
		params = params[1:]
	}
	for i, p := range params {
		c.slots[p] = b.call.params[i].off
	}
	for v := range fn.Signature.Results().Variables() {
		b.results = append(b.results, c.e.types.Reflect(v.Type()))
	}
	if len(fn.FreeVars) > 0 {
		b.env = c.e.envOf(b.code)
	}
	for _, v := range fn.FreeVars {
		off := c.record.Add(v.Type())
		c.slots[v] = off
		b.free = append(b.free, slot{off, c.classOf(v.Type())})
	}
	for _, blk := range fn.Blocks {
		c.blocks = append(c.blocks, &block{})
		for _, in := range blk.Instrs {
			c.place(in)
		}
	}
	for _, in := range fn.Blocks[0].Instrs {
		if store, ok := in.(*ssa.Store); ok && c.spilled[store] {
			c.readInPlace(store.Addr.(*ssa.Alloc), store)
		}
	}
	for _, blk := range fn.Blocks {
		c.plans = append(c.plans, c.planBlock(blk))
	}
	for _, blk := range fn.Blocks {
		c.countInPlace(blk)
	}
	for _, blk := range fn.Blocks {
		c.join(blk)
	}
	for _, blk := range fn.Blocks {
		c.share(blk)
	}
	for i, blk := range fn.Blocks {
		c.block(blk, c.blocks[i])
	}
	c.findLive()
	b.entry = c.blocks[0]
	if fn.Recover != nil {
		b.recover, b.defers = c.blocks[fn.Recover.Index], true
	}
	b.layout = c.record.Type()
	return b
}

// place assigns a slot to an instruction's value.
func (c *compiler) place(in ssa.Instruction) {
	switch in := in.(type) {
	case *ssa.Defer:
		c.body.defers = true
		return
	case *ssa.RunDefers:
		c.runsDefers = true
		return
	case *ssa.Extract:
		return
	case *ssa.Range:
		c.slots[in] = c.record.AddCompiled(reflect.TypeFor[*mapRange]())
		return
	case *ssa.Alloc:
		if store := spill(in); store != nil {
			c.spilled[store], c.local[in] = true, c.slots[store.Val]
		} else if !in.Heap {
			c.local[in] = c.record.Add(in.Type().Underlying().(*types.Pointer).Elem())
		}
	case *ssa.Phi:
		c.spare[in] = c.record.Add(in.Type())
	}
	v, ok := in.(ssa.Value)
	if !ok {
		return
	}
	switch t := v.Type().(type) {
	case *types.Tuple:
		offs := make([]uintptr, t.Len())
		for i := range offs {
			if part := t.At(i).Type(); !invalid(part) {
				offs[i] = c.record.Add(part)
			}
		}
		c.tuples[v] = offs
	default:
		if invalid(t) {
			return
		}
		if call, ok := v.(*ssa.Call); ok && isDeferStack(call) {
			c.body.defers = true
			c.slots[v] = c.record.AddCompiled(reflect.TypeFor[mem.Ptr]())
			return
		}
		c.slots[v] = c.record.Add(t)
	}
}

func invalid(t types.Type) bool {
	b, ok := t.(*types.Basic)
	return ok && b.Kind() == types.Invalid
}

func isDeferStack(call *ssa.Call) bool {
	b, ok := call.Call.Value.(*ssa.Builtin)
	return ok && b.Name() == "ssa:deferstack"
}

// at returns the index in body.places of the instruction being compiled.
func (c *compiler) at() int32 {
	n := len(c.body.places)
	if n > 0 && c.body.places[n-1] == c.pos && !c.isPoint(n-1) {
		return int32(n - 1)
	}
	c.body.places = append(c.body.places, c.pos)
	return int32(n)
}

// nilFailure returns the code that runs if the instruction that is being compiled meets a nil pointer.
func (c *compiler) nilFailure() func(fr *frame) {
	pc := c.at()
	return func(fr *frame) {
		fr.pc = pc
		nilPointer()
	}
}

// nilPointer panics as Go does.
func nilPointer() {
	var p *int
	*p = 1
}

// operand returns the slot of a value.
func (c *compiler) operand(v ssa.Value) uintptr {
	switch v := v.(type) {
	case *ssa.Const:
		return c.constant(v)
	case *ssa.Global:
		p := new(mem.Ptr)
		*p = c.e.global(v)
		return c.fixed(fmt.Sprintf("g%p", v), v.Type(), mem.Of(p))
	case *ssa.Function:
		p := new(mem.Ptr)
		*p = c.e.funcValue(v)
		return c.fixed(fmt.Sprintf("f%p", v), v.Type(), mem.Of(p))
	case *ssa.Extract:
		return c.tuples[v.Tuple][v.Index]
	}
	off, ok := c.slots[v]
	if !ok {
		panic(fmt.Sprintf("no slot for %T %s", v, v))
	}
	return off
}

// fixed returns the slot of a constant value; key identifies the value.
func (c *compiler) fixed(key string, t types.Type, value mem.Ptr) uintptr {
	if off, ok := c.consts[key]; ok {
		return off
	}
	off := c.record.Add(t)
	c.consts[key] = off
	if !value.Nil() {
		c.body.constants = append(c.body.constants, fixedSlot{slot{off, c.classOf(t)}, value})
	}
	return off
}

func (c *compiler) constant(v *ssa.Const) uintptr {
	if v.Value == nil {
		return c.fixed("z"+rtype.Key(v.Type()), v.Type(), mem.Ptr{})
	}
	// The space separates int8 2 from int 82.
	return c.fixed("c"+rtype.Key(v.Type())+" "+v.Value.ExactString(), v.Type(), c.e.constantValue(v))
}

// constantValue returns memory that contains a constant.
func (e *Engine) constantValue(v *ssa.Const) mem.Ptr {
	p := reflect.New(e.types.Reflect(v.Type()))
	x := p.Elem()
	switch x.Kind() {
	case reflect.Bool:
		x.SetBool(constant.BoolVal(v.Value))
	case reflect.String:
		if v.Value.Kind() == constant.String {
			x.SetString(constant.StringVal(v.Value))
		} else {
			x.SetString(string(rune(v.Int64())))
		}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		x.SetInt(v.Int64())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		x.SetUint(v.Uint64())
	case reflect.Float32:
		f, _ := constant.Float32Val(v.Value)
		x.SetFloat(float64(f))
	case reflect.Float64:
		x.SetFloat(v.Float64())
	case reflect.Complex64, reflect.Complex128:
		x.SetComplex(v.Complex128())
	default:
		panic(fmt.Sprintf("constant %v of %v", v, x.Type()))
	}
	return mem.In(p)
}
