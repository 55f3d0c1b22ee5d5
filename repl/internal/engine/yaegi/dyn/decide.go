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

	keys sync.Mutex
	nans map[uintptr][]any // by list of keys: values of keys that are not equal to themselves, still to be visited
}

// Decide gives the session the seed of the next cell.
func (r *Runtime) Decide(seed int64) {
	r.seed.Store(uint64(seed))
	r.main.Store(decide.NewStream(seed))
	r.forgetKeys()
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

func (r *Runtime) forgetKeys() {
	r.keys.Lock()
	defer r.keys.Unlock()
	clear(r.nans)
}

// NaN reports whether a key is not equal to itself, so that the map cannot be asked for it.
func (r *Runtime) NaN(keys any, i int) bool {
	k := reflect.ValueOf(keys).Index(i)
	return k.Comparable() && !k.Equal(k)
}

// OfNaN is the value of a key that is not equal to itself. Such values can only be listed, in an order that
// changes, so that they are listed once for each list of keys.
func (r *Runtime) OfNaN(m, keys any) any {
	r.keys.Lock()
	defer r.keys.Unlock()
	at := reflect.ValueOf(keys).Pointer()
	values, ok := r.nans[at]
	if !ok {
		for it := reflect.ValueOf(m).MapRange(); it.Next(); {
			if k := it.Key(); k.Comparable() && !k.Equal(k) {
				values = append(values, it.Value().Interface())
			}
		}
	}
	if len(values) == 0 { // it was cleared
		return reflect.Zero(reflect.TypeOf(m).Elem()).Interface()
	}
	if r.nans == nil {
		r.nans = map[uintptr][]any{}
	}
	r.nans[at] = values[1:]
	return values[0]
}
