package yaegi

import (
	"reflect"
	"strings"

	"github.com/gorlm/rlm/repl/internal/decide"
	"github.com/gorlm/rlm/repl/internal/engine"
	"github.com/gorlm/rlm/repl/internal/engine/yaegi/dyn"
)

// conditions provides the clock and the random numbers of the running cell. Its functions replace those of time,
// context, math/rand and math/rand/v2, so that a cell can be repeated.
type conditions struct {
	clock  decide.Clock
	chance decide.Chance
	// functions contains replacements for functions that read the clock or wait, by full name.
	functions map[string]any
}

func newConditions(run *dyn.Runtime) *conditions {
	c := &conditions{}
	run.Clock = &c.clock
	c.chance.Stream = func() *decide.Stream { return nil } // the goroutine that runs the cell is the only one
	c.functions = run.Functions()
	c.set(engine.Conditions{})
	return c
}

func (c *conditions) set(f engine.Conditions) {
	c.clock.Set(f.Now)
	c.chance.Seed(f.Seed)
}

// replace puts the functions that use this clock and these random numbers into a package's table.
func (c *conditions) replace(path string, table map[string]reflect.Value) {
	for full, f := range c.functions {
		if name, ok := strings.CutPrefix(full, path+"."); ok {
			table[name] = reflect.ValueOf(f)
		}
	}
	for name := range table {
		if f := c.chance.Function(path, name); f.IsValid() {
			table[name] = f
		}
	}
}
