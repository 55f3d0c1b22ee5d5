package exact

import (
	"context"
	"errors"
	"fmt"
	"go/token"
	"go/types"
	"reflect"
	"sync"
	"sync/atomic"
	"weak"

	"github.com/gorlm/rlm/repl/internal/engine/exact/mem"

	"golang.org/x/tools/go/ssa"

	"github.com/gorlm/rlm/repl/internal/caller"
	"github.com/gorlm/rlm/repl/internal/decide"
	"github.com/gorlm/rlm/repl/internal/engine"
	"github.com/gorlm/rlm/repl/internal/engine/exact/rtype"
	"github.com/gorlm/rlm/repl/internal/unwind"
)

// Engine is the state of one session. It implements engine.Engine.
type Engine struct {
	host    engine.Host
	natives map[string]engine.Native
	fset    *token.FileSet

	// mu guards state that loading and compiling change.
	mu       sync.Mutex
	types    *rtype.Builder
	prog     *ssa.Program
	made     map[*types.Package]bool // packages that prog contains
	tables   map[string]map[string]reflect.Value
	codes    map[*ssa.Function]*code
	named    map[string]*code
	compiled map[*ssa.Function]reflect.Value
	loose    []weak.Pointer[code] // code of function literals from cells that have ended
	globals  map[*ssa.Global]mem.Ptr
	vars     map[string]variable
	bodies   int
	newest   *types.Package // the last unit's package
	entry    string
	ended    []*program
	sources  *sources
	generics map[types.Object]*generic
	declared map[string]bool                  // names of package-level types that cells declare
	locals   map[*types.TypeName][]types.Type // type arguments of the generic functions that declare types

	// count guards state that goroutines share.
	count   sync.Mutex
	running int
	current *run
	stream  *decide.Stream
	stacks  []*stack

	goroutines sync.Map // caller.Self() → *goroutine
	unwinding  unwind.Goroutines
	seed       atomic.Uint64
	stopping   atomic.Int32  // number of runs that should stop
	cycles     atomic.Uint64 // garbage collections so far
	broken     bool
	room       uintptr // bytes of Go's stack that may be used
	clock      decide.Clock
	chance     decide.Chance
	timers     decide.Timers
	waiting    map[string]any // replacements of functions that read the clock or wait, by full name
}

// variable is a package-level variable.
type variable struct {
	at  mem.Ptr
	typ *mem.Type
}

// New makes an engine. It does not compile anything.
func New(host engine.Host) (*Engine, error) {
	if err := rtype.Check(); err != nil {
		return nil, err
	}
	e := &Engine{
		host: host, natives: map[string]engine.Native{}, types: rtype.NewBuilder(), made: map[*types.Package]bool{},
		tables: map[string]map[string]reflect.Value{}, codes: map[*ssa.Function]*code{}, named: map[string]*code{},
		compiled: map[*ssa.Function]reflect.Value{}, globals: map[*ssa.Global]mem.Ptr{},
		vars: map[string]variable{}, sources: newSources(), generics: map[types.Object]*generic{},
		declared: map[string]bool{}, locals: map[*types.TypeName][]types.Type{}, room: roomOf(),
	}
	for _, n := range host.Natives {
		e.natives[n.Name] = n
	}
	if e.host.Arrivals == nil {
		e.host.Arrivals = decide.NewArrivals()
	}
	e.host.Stdout = e.unwinding.Writer(host.Stdout, e.Unwind)
	e.host.Arrivals.Alone = func() bool { return e.runningCount() == 0 }
	e.types.Compiled, e.types.Method, e.types.Local = e.compiledType, e.nativeMethod, e.localArgs
	e.chance.Stream = e.started
	e.timers = decide.Timers{
		Arrivals: e.host.Arrivals, Clock: &e.clock, Stream: e.drawing, Starter: e.starter,
		Done: e.doneOfCaller, Unwind: e.Unwind,
	}
	e.waiting = e.timers.Functions()
	e.countCycles()
	e.begin(engine.Conditions{})
	return e, nil
}

// begin makes the run to which new goroutines belong from now on.
func (e *Engine) begin(c engine.Conditions) *run {
	r := &run{
		failures: make(chan *goroutinePanic, 1), done: make(chan struct{}), over: make(chan struct{}),
		sentinel: c.Sentinel,
	}
	e.unwinding.Reset()
	e.seed.Store(uint64(c.Seed))
	e.clock.Set(c.Now)
	e.chance.Seed(c.Seed)
	e.count.Lock()
	defer e.count.Unlock()
	e.current, e.stream = r, decide.NewStream(c.Seed)
	return r
}

// program is a loaded unit.
type program struct {
	pkg   *ssa.Package
	cell  int
	entry string
}

// Load builds a unit. Functions are compiled when they are first called.
func (e *Engine) Load(u *engine.Unit) (p engine.Program, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = refusal(r)
		}
	}()
	e.mu.Lock()
	defer e.mu.Unlock()
	e.release()
	pkg := e.build(u)
	for _, v := range u.Vars {
		e.variable(v.Name(), v.Type())
	}
	return &program{pkg, u.Cell, u.Entry}, nil
}

// refusal turns a panic of the builder or the compiler into an error that suggests other code.
func refusal(v any) error {
	err, ok := v.(error)
	if !ok {
		err = fmt.Errorf("%v", v)
	}
	if refused := (*engine.RefusedError)(nil); errors.As(err, &refused) {
		return refused
	}
	why := "the engine fails on something in it"
	for _, known := range []error{rtype.ErrStubs, rtype.ErrLarge} {
		if errors.Is(err, known) {
			why = known.Error()
		}
	}
	return &engine.RefusedError{
		Construct: "this cell", Why: why, Instead: "write it as several cells, in smaller steps", Err: err,
	}
}

// Run runs a loaded unit.
func (e *Engine) Run(ctx context.Context, p engine.Program, c engine.Conditions) engine.Outcome {
	prog := p.(*program)
	r := e.begin(c)
	if c.Began != nil {
		c.Began()
	}
	e.entry = prog.entry
	g := &goroutine{run: r, stream: e.stream, first: true}
	s := e.newStack(g)
	ended := make(chan *goroutinePanic, 1)
	go e.enterCell(g, s, prog, ended)
	out := e.await(ctx, r, prog, ended)
	close(r.over)
	if out.Sound {
		e.ended = append(e.ended, prog)
	}
	return out
}

// enterCell is the boundary of the goroutine that runs a cell.
func (e *Engine) enterCell(g *goroutine, s *stack, prog *program, ended chan<- *goroutinePanic) {
	id := caller.Mark()
	e.goroutines.Store(id, g)
	defer func() {
		var out *goroutinePanic
		if v := recover(); g.fails(v) {
			s.caught()
			out = &goroutinePanic{value: v, trace: s.trace}
		}
		e.goroutines.Delete(id)
		ended <- out
	}()
	unwind.Boundary(func() { e.runCell(s, prog) })
}

func (e *Engine) runCell(s *stack, prog *program) {
	for _, name := range []string{"init", prog.entry} {
		if fn := prog.pkg.Func(name); name != "" && fn != nil {
			b := e.lockedCode(fn).ready()
			fr := s.enter(b, nil)
			b.run(fr)
			s.leave(b, fr)
		}
	}
}

func (e *Engine) lockedCode(fn *ssa.Function) *code {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.codeOf(fn)
}

// Var returns the current value of a package-level variable.
func (e *Engine) Var(name string) (any, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	v, ok := e.vars[name]
	if !ok {
		return nil, false
	}
	return mem.Value(v.typ.Reflect(), v.at).Interface(), true
}

// variable returns the memory of a package-level variable, which is kept as long as the session.
func (e *Engine) variable(name string, t types.Type) mem.Ptr {
	if v, ok := e.vars[name]; ok {
		v.typ = e.types.Of(t) // the type may have gained methods
		e.vars[name] = v
		return v.at
	}
	v := variable{typ: e.types.Of(t)}
	v.at = mem.New(v.typ)
	e.vars[name] = v
	return v.at
}

// Stale reports whether an earlier run started the calling goroutine.
func (e *Engine) Stale() bool {
	g := e.calling()
	e.count.Lock()
	defer e.count.Unlock()
	return g != nil && g.run != e.current
}
