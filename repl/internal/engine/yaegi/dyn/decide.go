package dyn

import (
	"reflect"
	"sync"
	"sync/atomic"

	"github.com/gorlm/rlm/repl/internal/caller"
	"github.com/gorlm/rlm/repl/internal/decide"
)

// decided is what the seed of the running cell decides.
type decided struct {
	seed atomic.Uint64
	main atomic.Pointer[decide.Stream] // of the goroutine that runs the cell
}

// Decide gives the session the seed of the next cell.
func (r *Runtime) Decide(seed int64) {
	r.seed.Store(uint64(seed))
	r.main.Store(decide.NewStream(seed))
}

func (r *Runtime) order() decide.Order {
	return decide.Order{Seed: r.seed.Load(), Follow: r.Running() == 0}
}

// Keys lists the keys of a map in the order of the seed, as a slice.
func (r *Runtime) Keys(m any) any { return r.order().Keys(reflect.ValueOf(m)).Interface() }

// Current is the stream of the calling goroutine if a cell has started it; nil for the goroutine that runs the cell.
func (r *Runtime) Current() *decide.Stream {
	r.count.Lock()
	defer r.count.Unlock()
	if len(r.started) == 0 {
		return nil
	}
	if g := r.started[caller.Self()]; g != nil {
		return g.stream
	}
	return nil
}

// stream is where the calling goroutine draws.
func (r *Runtime) stream() *decide.Stream {
	if s := r.Current(); s != nil {
		return s
	}
	return r.main.Load()
}

// SyncMapRange is the method Range of a sync.Map, in the order of the seed.
func (r *Runtime) SyncMapRange(m *sync.Map, yield func(k, v any) bool) {
	r.order().RangeSyncMap(m, yield)
}
