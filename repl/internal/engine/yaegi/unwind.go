package yaegi

import (
	"reflect"
	"runtime"
	"strings"

	"github.com/traefik/yaegi/interp"

	"github.com/gorlm/rlm/repl/internal/engine/yaegi/dyn"
)

// deepest is how many frames of compiled code, of which an interpreted call takes several, are left by a panic. The
// interpreter recovers and panics again in each of its calls, which takes time that is quadratic in their number.
const deepest = 1000

// Unwind ends the calling goroutine's part in its run.
func (e *Engine) Unwind() {
	if sentinel := e.run.CellSentinel(); sentinel != nil && panicArrives() {
		panic(sentinel)
	}
	runtime.Goexit()
}

var (
	interpreter = reflect.TypeFor[interp.Interpreter]().PkgPath() + "."
	runtimeRoom = reflect.TypeFor[dyn.Runtime]().PkgPath() + "."
	engineRoom  = reflect.TypeFor[Engine]().PkgPath() + "."
	module, _   = strings.CutSuffix(reflect.TypeFor[Engine]().PkgPath(), "repl/internal/engine/yaegi")
)

// boundaries are the functions that catch the sentinel.
var boundaries = []string{interpreter + "(*Interpreter).Execute", runtimeRoom + "(*Runtime).carry"}

// transparent are the packages that let a panic of a function they call pass, and transparentFuncs the functions of those
// that do not always.
var transparent = map[string]bool{
	"runtime": true, "reflect": true, "sort": true, "slices": true, "maps": true, "iter": true, "sync": true, "strings": true,
	"bytes": true, "unicode": true, "regexp": true, "bufio": true, "io": true, "container/heap": true, "errors": true,
}

// panicArrives reports whether a panic of the caller comes to a boundary, and soon: everything below is the interpreter,
// the engine and the builtins, or compiled code that lets panics pass.
func panicArrives() bool {
	pcs := make([]uintptr, deepest)
	n := runtime.Callers(2, pcs)
	if n == deepest {
		return false
	}
	for frames := runtime.CallersFrames(pcs[:n]); ; {
		frame, more := frames.Next()
		if isBoundary(frame.Function) {
			return true
		}
		if !more || !passes(frame.Function) {
			return false
		}
	}
}

func isBoundary(function string) bool {
	for _, b := range boundaries {
		if function == b {
			return true
		}
	}
	return false
}

// passes reports whether a function lets a panic through that a function it calls panics with.
func passes(function string) bool {
	switch {
	case strings.HasPrefix(function, interpreter):
		return true
	case strings.HasPrefix(function, runtimeRoom):
		return true
	case strings.HasPrefix(function, engineRoom+"(*Engine)"):
		return strings.HasPrefix(function, engineRoom+"(*Engine).Unwind")
	case strings.HasPrefix(function, module):
		room := strings.TrimPrefix(function, module)
		return strings.HasPrefix(room, "repl") && !strings.HasPrefix(room, "repl/internal/value.")
	}
	dot := strings.LastIndexByte(function, '/') + 1
	name, _, _ := strings.Cut(function[dot:], ".")
	return transparent[function[:dot]+name]
}
