package exact

import (
	"fmt"

	"golang.org/x/tools/go/ssa"

	"github.com/gorlm/rlm/internal/answer"
	"github.com/gorlm/rlm/repl/internal/caller"
	"github.com/gorlm/rlm/repl/internal/decide"
	"github.com/gorlm/rlm/repl/internal/unwind"
)

// goroutine is a goroutine that runs code of cells.
type goroutine struct {
	run    *run
	stream *decide.Stream
	trace  *trace // trace of a panic that passed through compiled code
	ending bool   // a builtin has ended the goroutine
	first  bool   // the goroutine runs the cell
}

// run is one run of a loaded unit.
type run struct {
	failures chan *goroutinePanic // receives the panic that ended a goroutine
	done     chan struct{}        // closed when the run should stop
	over     chan struct{}        // closed when nothing receives from failures any more
	sentinel *answer.Sentinel
}

// goroutinePanic is a panic that ends a goroutine.
type goroutinePanic struct {
	value any
	trace *trace
	own   bool // the goroutine runs the cell, and exited without a Go panic
}

// fails reports whether v, recovered at a goroutine's boundary, makes the cell fail: it is not the sentinel of the
// goroutine's run, nor the panic of a deferred call after a builtin had ended the goroutine.
func (g *goroutine) fails(v any) bool { return v != nil && v != any(g.run.sentinel) && !g.ending }

// ends reports whether a panic value is the sentinel of the run that the stack's goroutine belongs to.
func (s *stack) ends(v any) bool {
	sentinel, ok := v.(*answer.Sentinel)
	return ok && sentinel == s.member().run.sentinel
}

// goroutine returns the goroutine of a stack; nil if cells did not start it.
func (s *stack) goroutine() *goroutine {
	if s.gor == nil {
		s.gor = s.e.calling()
	}
	return s.gor
}

// calling returns the calling goroutine or, if compiled code started it, the goroutine of a cell that ran this
// code; nil outside of cells.
func (e *Engine) calling() *goroutine {
	g, _ := e.goroutines.Load(caller.Self())
	gor, _ := g.(*goroutine)
	return gor
}

// member returns the goroutine of a stack. If cells did not start that goroutine, it counts as one of the current
// run.
func (s *stack) member() *goroutine {
	if g := s.goroutine(); g != nil {
		return g
	}
	s.e.count.Lock()
	defer s.e.count.Unlock()
	s.gor = &goroutine{run: s.e.current, stream: s.e.stream}
	return s.gor
}

func (e *Engine) newStack(g *goroutine) *stack { return &stack{e: e, gor: g} }

// takeStack returns a stack for a callback.
func (e *Engine) takeStack() *stack {
	e.measureCallback()
	e.count.Lock()
	defer e.count.Unlock()
	if n := len(e.stacks); n > 0 {
		s := e.stacks[n-1]
		e.stacks = e.stacks[:n-1]
		return s
	}
	return e.newStack(nil)
}

func (e *Engine) giveStack(s *stack) {
	s.gor = nil
	e.count.Lock()
	defer e.count.Unlock()
	if len(e.stacks) < 16 {
		e.stacks = append(e.stacks, s)
	}
}

func (c *compiler) goStatement(in *ssa.Go) op {
	prepare, pc := c.prepare(&in.Call), c.at()
	return func(fr *frame) {
		fr.pc = pc
		parent := fr.stack.member()
		g := &goroutine{run: parent.run, stream: parent.stream.Fork()}
		s := fr.stack.e.newStack(g)
		call := prepare(fr, s)
		fr.stack.e.launch(g, s, func() { call(nil) })
	}
}

// launch starts a goroutine of a cell. If it panics, the cell fails.
func (e *Engine) launch(g *goroutine, s *stack, work func()) {
	e.count.Lock()
	e.running++
	e.count.Unlock()
	go e.carry(g, s, work)
}

// carry is the boundary of a goroutine: the sentinel of the goroutine's own run ends it normally.
func (e *Engine) carry(g *goroutine, s *stack, work func()) {
	id := caller.Mark()
	e.goroutines.Store(id, g)
	defer func() {
		if v := recover(); g.fails(v) {
			s.caught()
			select {
			case <-g.run.over: // nobody else reports the panic, because the run is over
				_, _ = fmt.Fprintf(e.host.Stdout, "panic: %v\n", v)
			default:
				select {
				case g.run.failures <- &goroutinePanic{value: v, trace: s.trace}:
				default:
				}
			}
		}
		e.goroutines.Delete(id)
		e.count.Lock() // after the report, so that every panic is reported before the count reaches 0
		e.running--
		e.count.Unlock()
	}()
	unwind.Boundary(work)
}

// runningCount returns the number of goroutines of cells that have not ended.
func (e *Engine) runningCount() int {
	e.count.Lock()
	defer e.count.Unlock()
	return e.running
}

// order returns the order in which maps are ranged over.
func (e *Engine) order() decide.MapOrder {
	return decide.MapOrder{Seed: e.seed.Load(), Follow: e.runningCount() == 0}
}
