package documents

import (
	"context"
	"sync"
	"time"
)

const (
	lookEvery = 20 * time.Millisecond // at what a worker uses
	// perSecond is how many bytes of text and members buy a second more: large documents and archives take longer
	// than small ones.
	perSecond = 8 << 20
	// unpacking is as how many bytes of text a byte of the document counts, before any text is there: Office files
	// are compressed.
	unpacking = 8
)

// watchdog ends a conversion that uses too much. It runs beside the one that reads what the worker says.
type watchdog struct {
	worker *worker
	pool   *Pool
	quit   chan struct{}
	looks  sync.WaitGroup
	tells  sync.WaitGroup // the worker to stop

	mu    sync.Mutex
	used  time.Duration // until since
	since time.Time     // zero while the worker waits for its host
	bytes int64         // that buy time
	why   string        // it was ended
	asked bool          // it was told to stop
}

// watching begins to watch a worker that converts a document of size bytes. end must be called.
func watching(ctx context.Context, p *Pool, w *worker, size int64) *watchdog {
	h := &watchdog{worker: w, pool: p, quit: make(chan struct{}), since: time.Now(), bytes: unpacking * size}
	h.looks.Go(func() { h.look(ctx) })
	return h
}

// end ends the watch and says why it ended the conversion, if it did. A worker that was told to stop is killed.
func (h *watchdog) end() (why string) {
	close(h.quit)
	h.looks.Wait()
	if h.asked {
		h.worker.Kill()
		h.tells.Wait()
	}
	return h.why
}

// wait stops the clock while the host keeps the worker waiting; resume lets it go on.
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

// took is how long the worker has worked so far.
func (h *watchdog) took() time.Duration {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.since.IsZero() {
		return h.used
	}
	return h.used + time.Since(h.since)
}

// over says that the time is up, and by how much.
func (h *watchdog) over() time.Duration {
	used := h.took()
	h.mu.Lock()
	defer h.mu.Unlock()
	return used - h.pool.options.Timeout - time.Duration(h.bytes/perSecond)*time.Second
}

// kill ends the worker. The first reason counts.
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
			// one that does not read holds up this alone, until it is killed
			h.tells.Go(func() { _ = h.worker.Send(opStop, nil, nil, nil) })
		}
	}
}
