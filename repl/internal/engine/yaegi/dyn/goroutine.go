package dyn

import (
	"sync"
	"unsafe"

	"github.com/gorlm/rlm/repl/internal/caller"
	"github.com/gorlm/rlm/repl/internal/decide"
)

// goroutines are those that cells have started.
type goroutines struct {
	count   sync.Mutex
	running int
	report  chan any                      // takes the panic of a goroutine of the current run
	started map[unsafe.Pointer]*goroutine // by caller.Self
}

// goroutine is one that a cell has started.
type goroutine struct {
	report chan any // of its run
	stream *decide.Stream
}

// Stale reports whether the calling goroutine was started by an earlier run than the current one.
func (r *Runtime) Stale() bool {
	r.count.Lock()
	defer r.count.Unlock()
	if len(r.started) == 0 {
		return false
	}
	g, ok := r.started[caller.Self()]
	return ok && g.report != r.report
}

// Go starts a goroutine of a cell. Its panic becomes the cell's.
func (r *Runtime) Go(body func()) { r.launch(r.next(), body) }

// next is what a goroutine gets that the calling one starts.
func (r *Runtime) next() *goroutine {
	stream := r.stream().Fork()
	r.count.Lock()
	defer r.count.Unlock()
	return &goroutine{r.report, stream}
}

// starter starts a goroutine for compiled code; it belongs to the run of the one who makes the starter.
func (r *Runtime) starter(body func()) func() {
	g := r.next()
	return func() { r.launch(g, body) }
}

// WaitGroupGo is the method Go of a WaitGroup.
func (r *Runtime) WaitGroupGo(wg *sync.WaitGroup, body func()) {
	wg.Add(1)
	r.Go(func() {
		defer wg.Done()
		body()
	})
}

// launch starts a goroutine that tells a run of its panic.
func (r *Runtime) launch(g *goroutine, body func()) {
	r.count.Lock()
	r.running++
	r.count.Unlock()
	go r.carry(g, body)
}

// carry is the boundary of a goroutine of a cell.
func (r *Runtime) carry(g *goroutine, body func()) {
	id := caller.Mark()
	r.count.Lock()
	if r.started != nil {
		r.started[id] = g
	}
	r.count.Unlock()
	defer func() {
		if v := recover(); v != nil {
			select {
			case g.report <- v:
			default:
			}
		}
		r.count.Lock() // after the report: when none runs, every panic has been reported
		r.running--
		delete(r.started, id)
		r.count.Unlock()
	}()
	body()
}

// Running is the number of goroutines of cells that have not ended.
func (r *Runtime) Running() int {
	r.count.Lock()
	defer r.count.Unlock()
	return r.running
}

// Begin begins a run: goroutines that are started from now on belong to it, and report a panic on the channel.
func (r *Runtime) Begin() <-chan any {
	r.count.Lock()
	defer r.count.Unlock()
	r.report = make(chan any, 1)
	r.kept.Store(nil)
	if r.started == nil {
		r.started = map[unsafe.Pointer]*goroutine{}
	}
	return r.report
}
