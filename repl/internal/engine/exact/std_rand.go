package exact

import (
	"math/rand"
	randv2 "math/rand/v2"
	"reflect"
	"strings"
	"sync"
)

// chance are the generators of the goroutine that runs the cell; others draw from their own stream.
type chance struct {
	mu sync.Mutex
	v1 *rand.Rand
	v2 *randv2.Rand
}

// seeded begins a run's random numbers. They are those of the other engine.
func (c *chance) seeded(seed int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.v1 = rand.New(&lockedSource{src: rand.NewSource(seed).(rand.Source64)})
	c.v2 = randv2.New(&lockedSourceV2{src: randv2.NewPCG(uint64(seed), 0x9e3779b97f4a7c15)})
}

// lockedSource makes a source safe for compiled goroutines that have no stream.
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

// one is the generator of math/rand for the calling goroutine.
func (e *Engine) one() *rand.Rand {
	if g := e.calling(); g != nil && !g.first {
		return rand.New(g.stream)
	}
	e.chance.mu.Lock()
	defer e.chance.mu.Unlock()
	return e.chance.v1
}

// two is that of math/rand/v2.
func (e *Engine) two() *randv2.Rand {
	if g := e.calling(); g != nil && !g.first {
		return randv2.New(g.stream)
	}
	e.chance.mu.Lock()
	defer e.chance.mu.Unlock()
	return e.chance.v2
}

// randStandIn makes a top-level function of a generator's method; the zero Value for others.
func (e *Engine) randStandIn(name string) reflect.Value {
	generator := func() reflect.Value { return reflect.ValueOf(e.one()) }
	method, ok := strings.CutPrefix(name, "math/rand.")
	if !ok {
		generator = func() reflect.Value { return reflect.ValueOf(e.two()) }
		if method, ok = strings.CutPrefix(name, "math/rand/v2."); !ok {
			return reflect.Value{}
		}
	}
	m := generator().MethodByName(method)
	if !m.IsValid() {
		return reflect.Value{}
	}
	switch m.Interface().(type) { // those that are called most, without reflection
	case func() float64:
		return reflect.ValueOf(func() float64 { return generator().MethodByName(method).Interface().(func() float64)() })
	case func(int) int:
		return reflect.ValueOf(func(n int) int { return generator().MethodByName(method).Interface().(func(int) int)(n) })
	}
	return reflect.MakeFunc(m.Type(), func(args []reflect.Value) []reflect.Value {
		return generator().MethodByName(method).Call(args)
	})
}
