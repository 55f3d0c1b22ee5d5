package decide

import (
	"math/rand"
	randv2 "math/rand/v2"
	"reflect"
	"sync"
)

// Chance is the source of the top-level functions of math/rand and math/rand/v2. The goroutine that runs the cell
// has generators with the cell's seed; any other goroutine draws from its own stream. Chance is safe for concurrent
// use once it is seeded.
type Chance struct {
	// Stream returns the calling goroutine's stream; nil for the one that runs the cell.
	Stream func() *Stream

	mu sync.Mutex
	v1 *rand.Rand
	v2 *randv2.Rand
}

// Seed seeds the generators at the start of a cell.
func (c *Chance) Seed(seed int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.v1 = rand.New(&lockedSource{src: rand.NewSource(seed).(rand.Source64)})
	c.v2 = randv2.New(&lockedSourceV2{src: randv2.NewPCG(uint64(seed), 0x9e3779b97f4a7c15)})
}

// lockedSource is a source with a lock, so that it is safe for the goroutines of a cell.
type lockedSource struct {
	mu  sync.Mutex
	src rand.Source64
}

func (s *lockedSource) Int63() int64    { s.mu.Lock(); defer s.mu.Unlock(); return s.src.Int63() }
func (s *lockedSource) Uint64() uint64  { s.mu.Lock(); defer s.mu.Unlock(); return s.src.Uint64() }
func (s *lockedSource) Seed(seed int64) { s.mu.Lock(); defer s.mu.Unlock(); s.src.Seed(seed) }

type lockedSourceV2 struct {
	mu  sync.Mutex
	src randv2.Source
}

func (s *lockedSourceV2) Uint64() uint64 { s.mu.Lock(); defer s.mu.Unlock(); return s.src.Uint64() }

// one returns the calling goroutine's generator of math/rand.
func (c *Chance) one() *rand.Rand {
	if s := c.Stream(); s != nil {
		return rand.New(s)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.v1
}

// two returns the calling goroutine's generator of math/rand/v2.
func (c *Chance) two() *randv2.Rand {
	if s := c.Stream(); s != nil {
		return randv2.New(s)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.v2
}

// Function returns a top-level function of math/rand or math/rand/v2; the zero Value for any other name.
func (c *Chance) Function(path, name string) reflect.Value {
	switch path {
	case "math/rand":
		return ofGenerator(name, c.one)
	case "math/rand/v2":
		return ofGenerator(name, c.two)
	}
	return reflect.Value{}
}

// ofGenerator turns a generator's method into a top-level function; the zero Value if there is no such method.
func ofGenerator[G any](name string, generator func() *G) reflect.Value {
	m, ok := reflect.TypeFor[*G]().MethodByName(name)
	if !ok {
		return reflect.Value{}
	}
	switch f := m.Func.Interface().(type) { // the most frequently called functions, without reflection
	case func(*G) float64:
		return reflect.ValueOf(func() float64 { return f(generator()) })
	case func(*G, int) int:
		return reflect.ValueOf(func(n int) int { return f(generator(), n) })
	}
	bound := reflect.New(reflect.TypeFor[G]()).Method(m.Index)
	return reflect.MakeFunc(bound.Type(), func(args []reflect.Value) []reflect.Value {
		return reflect.ValueOf(generator()).Method(m.Index).Call(args)
	})
}
