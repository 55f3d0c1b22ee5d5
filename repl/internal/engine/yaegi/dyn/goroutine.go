package dyn

import (
	"reflect"
	"sync"
	"unsafe"

	"github.com/gorlm/rlm/repl/internal/caller"
	"github.com/gorlm/rlm/repl/internal/decide"
)

// goroutines are those that cells have started.
type goroutines struct {
	count   sync.Mutex
	running int
	current cellRun
	started map[unsafe.Pointer]*goroutine // by caller.Self
}

// goroutine is one that a cell has started.
type goroutine struct {
	cellRun
	stream *decide.Stream
}

// cellRun is one run of a cell as its goroutines know it.
type cellRun struct {
	report   chan *Panic // takes the panic of a goroutine
	sentinel any         // what a builtin panics with that ends the cell
}

// Stale reports whether the calling goroutine was started by an earlier run than the current one.
func (r *Runtime) Stale() bool {
	r.count.Lock()
	defer r.count.Unlock()
	if len(r.started) == 0 {
		return false
	}
	g, ok := r.started[caller.Self()]
	return ok && g.report != r.current.report
}

// CellSentinel is the sentinel of the run that the calling goroutine belongs to.
func (r *Runtime) CellSentinel() any {
	r.count.Lock()
	defer r.count.Unlock()
	if len(r.started) > 0 {
		if g, ok := r.started[caller.Self()]; ok {
			return g.sentinel
		}
	}
	return r.current.sentinel
}

// Sentinel reports whether a panic's value is the sentinel of the run that the calling goroutine belongs to. That of an
// earlier run, which sync.OnceFunc may have kept, is not.
func (r *Runtime) Sentinel(v any) bool {
	r.count.Lock()
	t := reflect.TypeOf(r.current.sentinel)
	r.count.Unlock()
	return t != nil && reflect.TypeOf(v) == t && v == r.CellSentinel()
}

// Go starts a goroutine of a cell. Its panic becomes the cell's.
func (r *Runtime) Go(site int, body func()) {
	r.launch(r.next(), site, body)
}

// next is what a goroutine gets that the calling one starts.
func (r *Runtime) next() *goroutine {
	stream := r.stream().Fork()
	r.count.Lock()
	defer r.count.Unlock()
	return &goroutine{r.current, stream}
}

// starter starts a goroutine for compiled code; it belongs to the run of the one who makes the starter.
func (r *Runtime) starter(body func()) func() {
	g := r.next()
	return func() { r.launch(g, 0, body) }
}

// WaitGroupGo is the method Go of a WaitGroup.
func (r *Runtime) WaitGroupGo(wg *sync.WaitGroup, body func()) {
	wg.Add(1)
	r.Go(0, func() {
		defer wg.Done()
		body()
	})
}

// launch starts a goroutine that tells a run of its panic.
func (r *Runtime) launch(g *goroutine, site int, body func()) {
	r.count.Lock()
	r.running++
	r.count.Unlock()
	go r.carry(g, site, body)
}

// carry is the boundary of a goroutine of a cell.
func (r *Runtime) carry(g *goroutine, site int, body func()) {
	id := caller.Mark()
	r.count.Lock()
	if r.started != nil {
		r.started[id] = g
	}
	r.count.Unlock()
	defer func() {
		if v := recover(); v != nil && !r.Sentinel(v) {
			p := r.Translate(v)
			if p == nil {
				p = &Panic{Value: v, Site: site, Broken: true}
			}
			select {
			case g.report <- p:
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
func (r *Runtime) Begin(sentinel any) <-chan *Panic {
	r.count.Lock()
	defer r.count.Unlock()
	r.current = cellRun{make(chan *Panic, 1), sentinel}
	if r.started == nil {
		r.started = map[unsafe.Pointer]*goroutine{}
	}
	return r.current.report
}
