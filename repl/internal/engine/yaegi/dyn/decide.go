package dyn

import (
	"reflect"
	"sync/atomic"

	"github.com/gorlm/rlm/repl/internal/decide"
)

// cellChoices is the seed of the running cell and the random stream made from it.
type cellChoices struct {
	seed atomic.Uint64
	main atomic.Pointer[decide.Stream]
}

// Decide sets the seed of the next cell.
func (r *Runtime) Decide(seed int64) {
	r.seed.Store(uint64(seed))
	r.main.Store(decide.NewStream(seed))
}

func (r *Runtime) order() decide.MapOrder { return decide.MapOrder{Seed: r.seed.Load(), Follow: true} }

// Keys returns the keys of a map as a slice, in the order that the seed determines.
func (r *Runtime) Keys(m any) any { return r.order().Keys(reflect.ValueOf(m)).Interface() }
