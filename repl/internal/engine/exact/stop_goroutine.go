package exact

import (
	"fmt"

	"golang.org/x/tools/go/ssa"

	"github.com/gorlm/rlm/internal/answer"
	"github.com/gorlm/rlm/repl/internal/caller"
	"github.com/gorlm/rlm/repl/internal/decide"
	"github.com/gorlm/rlm/repl/internal/unwind"
)

// goroutine is one that runs code of cells.
type goroutine struct {
	run    *run
	stream *decide.Stream
	trace  *trace // of a panic that went through compiled code
	ending bool   // a builtin has ended it
	first  bool   // the one that runs the cell
}

// run is one run of a program.
type run struct {
	failures chan *goroutinePanic // takes the panic of a goroutine
	done     chan struct{}        // closed when the run is to stop
	over     chan struct{}        // closed when nobody takes failures any more
	sentinel *answer.Sentinel
}

// goroutinePanic is a panic that ends a goroutine.
type goroutinePanic struct {
	value any
	trace *trace
	own   bool // of the goroutine that runs the cell, which it has ended without a panic
}

// fails reports whether v, with which a goroutine comes to its boundary, is a panic of the cell: not the sentinel of its run, nor what
// deferred calls panicked with once a builtin had ended the goroutine.
func (g *goroutine) fails(v any) bool { return v != nil && v != any(g.run.sentinel) && !g.ending }

// ends reports whether a panic is the sentinel of the run that a stack's goroutine belongs to.
func (s *stack) ends(v any) bool {
	sentinel, ok := v.(*answer.Sentinel)
	return ok && sentinel == s.member().run.sentinel
}

// goroutine is that of a stack; nil for one that cells did not start.
func (s *stack) goroutine() *goroutine {
	if s.gor == nil {
		s.gor = s.e.calling()
	}
	return s.gor
}

// calling is the calling goroutine of cells, or the one whose compiled code started it; nil outside of cells.
func (e *Engine) calling() *goroutine {
	g, _ := e.goroutines.Load(caller.Self())
	gor, _ := g.(*goroutine)
	return gor
}

// member is the goroutine of a stack; one that compiled code started belongs to the current run.
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

// takeStack is a stack for a callback.
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

// launch starts a goroutine of a cell. Its panic is the cell's.
func (e *Engine) launch(g *goroutine, s *stack, work func()) {
	e.count.Lock()
	e.running++
	e.count.Unlock()
	go e.carry(g, s, work)
}

// carry is the boundary of a goroutine. It takes the sentinel of its own run for an ordinary end.
func (e *Engine) carry(g *goroutine, s *stack, work func()) {
	id := caller.Mark()
	e.goroutines.Store(id, g)
	defer func() {
		if v := recover(); g.fails(v) {
			s.caught()
			select {
			case <-g.run.over: // told with what it printed
				_, _ = fmt.Fprintf(e.host.Stdout, "panic: %v\n", v)
			default:
				select {
				case g.run.failures <- &goroutinePanic{value: v, trace: s.trace}:
				default:
				}
			}
		}
		e.goroutines.Delete(id)
		e.count.Lock() // after the report: when none runs, every panic has been reported
		e.running--
		e.count.Unlock()
	}()
	unwind.Boundary(work)
}

// runningCount is the number of goroutines of cells that have not ended.
func (e *Engine) runningCount() int {
	e.count.Lock()
	defer e.count.Unlock()
	return e.running
}

// order is how maps are ranged over.
func (e *Engine) order() decide.MapOrder {
	return decide.MapOrder{Seed: e.seed.Load(), Follow: e.runningCount() == 0}
}
