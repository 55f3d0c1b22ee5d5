package repl

import (
	"bytes"
	"fmt"
	"maps"
	"slices"

	"github.com/gorlm/rlm/repl/internal/engine"
	"github.com/gorlm/rlm/repl/internal/engine/exact"
	"github.com/gorlm/rlm/repl/internal/engine/yaegi"
)

// Engine names an engine that runs the cells of a notebook. All engines compute the same values.
type Engine string

// The engines.
const (
	// Yaegi is the interpreter that new notebooks start with. It runs wherever Go does, and refuses code that it
	// would run wrongly.
	Yaegi Engine = "yaegi"
	// Exact runs all of Go, and is fast in cells that compute for long. It supports only one Go release and some
	// processors: see Check.
	Exact Engine = "exact"
)

// makers contains the constructor of each engine. It is never changed.
var makers = map[Engine]func(engine.Host) (engine.Engine, error){
	Yaegi: func(h engine.Host) (engine.Engine, error) { return yaegi.New(h) },
	Exact: func(h engine.Host) (engine.Engine, error) { return exact.New(h) },
}

// Available lists the engines that work in this program, sorted by name.
func Available() []Engine {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(makers)), func(e Engine) bool { return e.Check() != nil })
}

// Check reports why the engine does not work in this program. It returns nil if the engine works.
func (e Engine) Check() error {
	switch e {
	case Yaegi:
		return nil
	case Exact:
		return exact.Check()
	}
	return fmt.Errorf("there is no engine %q", e)
}

// makeEngine makes an engine of the given name, or yaegi if the name is empty.
func makeEngine(name Engine, h engine.Host) (engine.Engine, error) {
	if name == "" {
		name = Yaegi
	}
	maker, ok := makers[name]
	if !ok {
		return nil, fmt.Errorf("there is no engine %q here: use one of %v", name, Available())
	}
	return maker(h)
}

// Computes reports whether some goroutine is running code that yaegi interprets. stacks is a dump of all stacks of
// the process; the first one, the caller's, is skipped.
func (*Notebook) Computes(stacks []byte) bool {
	for i, stack := range bytes.Split(stacks, []byte("\n\n")) {
		head, frames, _ := bytes.Cut(stack, []byte("\n"))
		if i > 0 && (bytes.Contains(head, []byte("[running")) || bytes.Contains(head, []byte("[runnable"))) &&
			interpreted(frames) {
			return true
		}
	}
	return false
}

// interpreted reports whether the innermost function outside of the Go runtime belongs to the interpreter.
func interpreted(frames []byte) bool {
	for line := range bytes.Lines(frames) {
		switch {
		case line[0] == '\t':
		case bytes.HasPrefix(line, []byte("runtime.")), bytes.HasPrefix(line, []byte("reflect.")),
			bytes.HasPrefix(line, []byte("internal/")):
		default:
			return bytes.HasPrefix(line, []byte("github.com/traefik/yaegi/interp.")) ||
				bytes.HasPrefix(line, []byte("github.com/gorlm/rlm/repl/internal/engine/yaegi"))
		}
	}
	return false
}
