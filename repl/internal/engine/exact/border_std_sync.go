package exact

import (
	"sync"

	"github.com/gorlm/rlm/repl/internal/decide"
)

// syncStandIn returns the replacement of a method of package sync that starts goroutines, waits, or visits elements
// in random order; nil for others.
func (e *Engine) syncStandIn(name string) any {
	switch name {
	case "(*sync.WaitGroup).Go":
		return func(wg *sync.WaitGroup, body func()) {
			wg.Add(1)
			e.starter(func() {
				defer wg.Done()
				body()
			})()
		}
	case "(*sync.WaitGroup).Wait":
		return func(wg *sync.WaitGroup) { e.wait(wg.Wait, func() {}) }
	case "(*sync.Mutex).Lock":
		return func(m *sync.Mutex) {
			if !m.TryLock() {
				e.wait(m.Lock, m.Unlock)
			}
		}
	case "(*sync.RWMutex).Lock":
		return func(m *sync.RWMutex) {
			if !m.TryLock() {
				e.wait(m.Lock, m.Unlock)
			}
		}
	case "(*sync.RWMutex).RLock":
		return func(m *sync.RWMutex) {
			if !m.TryRLock() {
				e.wait(m.RLock, m.RUnlock)
			}
		}
	case "(*sync.Cond).Wait":
		return func(c *sync.Cond) { e.wait(c.Wait, func() {}) }
	case "(*sync.Map).Range":
		return func(m *sync.Map, yield func(k, v any) bool) { e.order().RangeSyncMap(m, yield) }
	}
	return nil
}

// wait runs block, which may block forever, on another goroutine. If the caller's run should stop before block
// returns, the caller unwinds, and undo reverts the effect of block once it does return.
func (e *Engine) wait(block, undo func()) {
	done := e.doneOfCaller()
	came := make(chan struct{})
	go func() {
		block()
		select {
		case came <- struct{}{}:
		case <-done:
			undo()
		}
	}()
	select {
	case <-came:
	case <-done:
		e.Unwind()
	}
}

// runOfCaller returns the run that the calling goroutine belongs to.
func (e *Engine) runOfCaller() *run {
	if g := e.calling(); g != nil {
		return g.run
	}
	e.count.Lock()
	defer e.count.Unlock()
	return e.current
}

// doneOfCaller returns a channel that is closed when the run of the calling goroutine should stop.
func (e *Engine) doneOfCaller() <-chan struct{} { return e.runOfCaller().done }

// started returns the stream of the calling goroutine if a cell started that goroutine; nil if it is the one that
// runs the cell.
func (e *Engine) started() *decide.Stream {
	if g := e.calling(); g != nil && !g.first {
		return g.stream
	}
	return nil
}

// drawing returns the stream of the calling goroutine.
func (e *Engine) drawing() *decide.Stream {
	if g := e.calling(); g != nil {
		return g.stream
	}
	e.count.Lock()
	defer e.count.Unlock()
	return e.stream
}

// starter returns a function that starts body on a new goroutine, for compiled code. That goroutine belongs to the
// run of starter's caller.
func (e *Engine) starter(body func()) func() {
	g := &goroutine{run: e.runOfCaller(), stream: e.drawing().Fork()}
	return func() { e.launch(g, e.newStack(g), body) }
}
