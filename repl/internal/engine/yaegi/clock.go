package yaegi

import (
	"errors"
	"math/rand"
	randv2 "math/rand/v2"
	"reflect"
	"sync"
	"syscall"
	"time"

	"github.com/gorlm/rlm/repl/internal/engine"
	"github.com/gorlm/rlm/repl/internal/engine/yaegi/dyn"
)

// conditions are the clock and the random numbers of the running cell: they stand in for the top-level functions of time,
// math/rand and math/rand/v2, so that a cell can be repeated.
type conditions struct {
	mu  sync.Mutex
	now func() time.Time
	v1  *rand.Rand
	v2  *randv2.Rand
	// run has what differs by goroutine, and the functions that wait.
	run *dyn.Runtime
}

func newConditions(run *dyn.Runtime) *conditions {
	c := &conditions{run: run}
	run.Now = c.clock
	c.set(engine.Conditions{})
	return c
}

func (c *conditions) set(f engine.Conditions) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = f.Now
	if c.now == nil {
		c.now = time.Now
	}
	c.v1 = rand.New(&lockedSource{src: rand.NewSource(f.Seed).(rand.Source64)})
	c.v2 = randv2.New(&lockedSourceV2{src: randv2.NewPCG(uint64(f.Seed), 0x9e3779b97f4a7c15)})
}

// lockedSource makes a source safe for the goroutines of a cell.
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

func (c *conditions) clock() time.Time {
	c.mu.Lock()
	now := c.now
	c.mu.Unlock()
	return now()
}

func (c *conditions) one() *rand.Rand {
	if s := c.run.Current(); s != nil {
		return rand.New(s)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.v1
}

func (c *conditions) two() *randv2.Rand {
	if s := c.run.Current(); s != nil {
		return randv2.New(s)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.v2
}

// replace puts the functions of this clock and these random numbers into a package's table.
func (c *conditions) replace(path string, table map[string]reflect.Value) {
	var with map[string]any
	switch path {
	case "time":
		with = map[string]any{
			"Now":          c.clock,
			"Since":        func(t time.Time) time.Duration { return c.clock().Sub(t) },
			"Until":        func(t time.Time) time.Duration { return t.Sub(c.clock()) },
			"LoadLocation": loadLocation,
			"Sleep":        c.run.Sleep, "After": c.run.After, "Tick": c.run.Tick,
			"NewTimer": c.run.NewTimer, "NewTicker": c.run.NewTicker,
		}
	case "context":
		with = map[string]any{
			"WithTimeout": c.run.WithTimeout, "WithDeadline": c.run.WithDeadline,
			"WithTimeoutCause": c.run.WithTimeoutCause, "WithDeadlineCause": c.run.WithDeadlineCause,
		}
	case "math/rand":
		c.methods(table, func() reflect.Value { return reflect.ValueOf(c.one()) })
	case "math/rand/v2":
		c.methods(table, func() reflect.Value { return reflect.ValueOf(c.two()) })
	}
	for name, f := range with {
		table[name] = reflect.ValueOf(f)
	}
}

// methods makes top-level functions out of the methods of the cell's generator.
func (c *conditions) methods(table map[string]reflect.Value, generator func() reflect.Value) {
	t := generator().Type()
	for i := range t.NumMethod() {
		name := t.Method(i).Name
		f, ok := table[name]
		if !ok || f.Kind() != reflect.Func {
			continue
		}
		variadic := f.Type().IsVariadic()
		table[name] = reflect.MakeFunc(f.Type(), func(args []reflect.Value) []reflect.Value {
			if variadic {
				return generator().Method(i).CallSlice(args)
			}
			return generator().Method(i).Call(args)
		})
	}
}

// loadLocation is time.LoadLocation with the error of a machine that lets it look for files and has none.
func loadLocation(name string) (*time.Location, error) {
	l, err := time.LoadLocation(name)
	if _, refused := errors.AsType[syscall.Errno](err); refused {
		err = errors.New("unknown time zone " + name)
	}
	return l, err
}
