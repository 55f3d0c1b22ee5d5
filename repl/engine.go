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

// Engine names what runs the cells of a notebook. Both engines give the same values.
type Engine string

// The engines.
const (
	// Yaegi is the interpreter in which notebooks begin. It runs wherever Go does, and refuses what it would run wrongly.
	Yaegi Engine = "yaegi"
	// Exact runs all of Go, and is fast where a cell computes for long. It knows one Go release and some processors: see Check.
	Exact Engine = "exact"
)

// makers make the engines. It is never changed.
var makers = map[Engine]func(engine.Host) (engine.Engine, error){
	Yaegi: func(h engine.Host) (engine.Engine, error) { return yaegi.New(h) },
	Exact: func(h engine.Host) (engine.Engine, error) { return exact.New(h) },
}

// Available lists the engines that work in this program.
func Available() []Engine {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(makers)), func(e Engine) bool { return e.Check() != nil })
}

// Check reports why the engine does not work in this program; nil if it does.
func (e Engine) Check() error {
	switch e {
	case Yaegi:
		return nil
	case Exact:
		return exact.Check()
	}
	return fmt.Errorf("there is no engine %q", e)
}

// makeEngine makes the engine of a notebook; yaegi if none is named.
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

// Computes reports whether, in a dump of the stacks of all goroutines of a process, one runs interpreted code of yaegi. The
// first stack is that of the caller.
func (*Notebook) Computes(stacks []byte) bool {
	for i, stack := range bytes.Split(stacks, []byte("\n\n")) {
		head, frames, _ := bytes.Cut(stack, []byte("\n"))
		if i > 0 && (bytes.Contains(head, []byte("[running")) || bytes.Contains(head, []byte("[runnable"))) && interpreted(frames) {
			return true
		}
	}
	return false
}

// interpreted reports whether the innermost function that is not the runtime's is the interpreter's.
func interpreted(frames []byte) bool {
	for line := range bytes.Lines(frames) {
		switch {
		case line[0] == '\t':
		case bytes.HasPrefix(line, []byte("runtime.")), bytes.HasPrefix(line, []byte("reflect.")), bytes.HasPrefix(line, []byte("internal/")):
		default:
			return bytes.HasPrefix(line, []byte("github.com/traefik/yaegi/interp.")) ||
				bytes.HasPrefix(line, []byte("github.com/gorlm/rlm/repl/internal/engine/yaegi"))
		}
	}
	return false
}
