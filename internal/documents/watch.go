package documents

import (
	"context"
	"sync"
	"time"
)

const (
	lookEvery = 20 * time.Millisecond // how often a worker's use is checked
	// perSecond is how many bytes of text and members extend the time limit by a second: large documents take
	// longer.
	perSecond = 8 << 20
	// unpacking is how many bytes of text each byte of the document counts as in advance, because Office files are
	// compressed.
	unpacking = 8
)

// watchdog ends a conversion that uses too much memory or time. It runs beside the goroutine that reads the
// worker's messages.
type watchdog struct {
	worker *worker
	pool   *Pool
	quit   chan struct{}
	looks  sync.WaitGroup
	tells  sync.WaitGroup // the goroutines that ask the worker to stop

	mu    sync.Mutex
	used  time.Duration // time used before since
	since time.Time     // zero while the worker waits for its host
	bytes int64         // bytes that extend the time limit
	why   string        // reason for killing the worker
	asked bool          // the worker was asked to stop
}

// watching starts a watchdog for a worker that converts a document of size bytes. The caller must call end.
func watching(ctx context.Context, p *Pool, w *worker, size int64) *watchdog {
	h := &watchdog{worker: w, pool: p, quit: make(chan struct{}), since: time.Now(), bytes: unpacking * size}
	h.looks.Go(func() { h.look(ctx) })
	return h
}

// end stops the watchdog and returns its reason for ending the conversion, if any. It kills a worker that was asked
// to stop.
func (h *watchdog) end() (why string) {
	close(h.quit)
	h.looks.Wait()
	if h.asked {
		h.worker.Kill()
		h.tells.Wait()
	}
	return h.why
}

// wait stops the clock while the worker waits for the host; resume starts it again.
func (h *watchdog) wait() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.used += time.Since(h.since)
	h.since = time.Time{}
}

func (h *watchdog) resume() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.since = time.Now()
}

// got counts bytes that the worker delivered.
func (h *watchdog) got(n int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.bytes += int64(n)
}

// took returns how long the worker has worked so far.
func (h *watchdog) took() time.Duration {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.since.IsZero() {
		return h.used
	}
	return h.used + time.Since(h.since)
}

// over returns by how much the time limit is exceeded; negative while there is time left.
func (h *watchdog) over() time.Duration {
	used := h.took()
	h.mu.Lock()
	defer h.mu.Unlock()
	return used - h.pool.options.Timeout - time.Duration(h.bytes/perSecond)*time.Second
}

// kill kills the worker. The first reason wins.
func (h *watchdog) kill(why string) {
	h.mu.Lock()
	if h.why == "" {
		h.why = why
	}
	h.mu.Unlock()
	h.worker.Kill()
}

func (h *watchdog) look(ctx context.Context) {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		select {
		case <-h.quit:
			return
		case <-ctx.Done():
			h.kill(whyCancelled)
			return
		case <-tick.C:
		}
		h.worker.CheckThreads()
		if h.worker.Memory() > h.pool.options.Memory {
			h.kill(whyMemory(h.pool.options.Memory))
			return
		}
		switch over := h.over(); {
		case over > h.pool.grace:
			h.kill(whyTime(h.pool.options.Timeout))
			return
		case over > 0 && !h.asked:
			h.asked = true
			// a worker that does not read blocks only this goroutine, until it is killed
			h.tells.Go(func() { _ = h.worker.Send(opStop, nil, nil, nil) })
		}
	}
}
