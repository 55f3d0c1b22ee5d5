package sandbox

import "sync/atomic"

// workerUsage is the pool's record of a worker in use, also called the worker's lease.
type workerUsage struct {
	parent  *workerUsage // the usage of the session whose call started this one; nil at the root
	memory  atomic.Int64 // bytes, when last measured
	running atomic.Bool  // whether a cell runs
	calls   atomic.Int64 // host calls in flight
	waiting atomic.Int64 // how many of the calls wait for a worker of this pool
}

// depth is the number of sessions above this one.
func (l *workerUsage) depth() int {
	n := 0
	for p := l.parent; p != nil; p = p.parent {
		n++
	}
	return n
}

// leaseKey is the context key of the calling session's lease.
type leaseKey struct{}

func (w *Workers) leaseOf(p *process) *workerUsage {
	w.mu.Lock()
	defer w.mu.Unlock()
	if l := w.live[p]; l != nil {
		return l
	}
	return new(workerUsage) // the pool was closed while the session was in use
}

// inherit gives a worker the lease of a worker that is gone, including the pending calls and whatever they started.
func (w *Workers) inherit(p *process, l *workerUsage) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.live[p] != nil {
		w.live[p] = l
	}
}

// tooMuch stores a worker's memory and reports whether to kill the worker: all workers together use too much, and
// it is the largest one that runs a cell.
func (w *Workers) tooMuch(l *workerUsage, bytes int64) bool {
	l.memory.Store(bytes)
	w.mu.Lock()
	defer w.mu.Unlock()
	sum, largest := int64(0), bytes
	for _, other := range w.live {
		m := other.memory.Load()
		sum += m
		if other.running.Load() {
			largest = max(largest, m)
		}
	}
	return sum > w.memory && bytes >= largest
}

// stuck reports whether no worker will be released: none is being started, and every call waits for a worker, or
// for a child whose calls are stuck in the same way. The caller holds mu.
func (w *Workers) stuck() bool {
	if w.queue > 0 {
		return false
	}
	children := make(map[*workerUsage][]*workerUsage)
	for _, l := range w.live {
		children[l.parent] = append(children[l.parent], l)
	}
	var blocked func(l *workerUsage) bool
	blocked = func(l *workerUsage) bool {
		waiting := l.waiting.Load()
		for _, child := range children[l] {
			if blocked(child) {
				waiting++
			}
		}
		return waiting > 0 && waiting >= l.calls.Load()
	}
	for _, l := range w.live {
		if !blocked(l) {
			return false
		}
	}
	return true
}
