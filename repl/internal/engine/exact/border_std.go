package exact

import (
	"fmt"
	"go/types"
	"io"
	"iter"
	"reflect"

	"golang.org/x/tools/go/ssa"

	"github.com/gorlm/rlm/repl/internal/engine"
	"github.com/gorlm/rlm/repl/internal/engine/exact/skim"
	"github.com/gorlm/rlm/repl/internal/unwind"
)

// standIn returns the replacement of a compiled function that is slow, or that would affect or observe anything
// outside the cell (output, the clock, the seed, the scheduler).
func (e *Engine) standIn(fn *ssa.Function, obj *types.Func) (reflect.Value, bool) {
	if obj.Pkg().Path() == engine.HostPath {
		return e.natives[obj.Name()].Value, true
	}
	out := e.host.Stdout
	var f any
	switch obj.FullName() {
	case "fmt.Print":
		f = func(a ...any) (int, error) { return fmt.Fprint(out, a...) }
	case "fmt.Println":
		f = func(a ...any) (int, error) { return fmt.Fprintln(out, a...) }
	case "fmt.Printf":
		f = func(format string, a ...any) (int, error) { return fmt.Fprintf(out, format, a...) }
	case "(*regexp.Regexp).FindAllString":
		f = skim.FindAllString
	case "(*regexp.Regexp).FindAllStringIndex":
		f = skim.FindAllStringIndex
	case "(*regexp.Regexp).FindAllStringSubmatch":
		f = skim.FindAllStringSubmatch
	case "(*regexp.Regexp).FindAllStringSubmatchIndex":
		f = skim.FindAllStringSubmatchIndex
	case "maps.clone":
		f = cloneMap
	case "iter.pull":
		f = pull
	case "fmt.Scan", "fmt.Scanln":
		f = func(...any) (int, error) { return 0, io.EOF }
	case "fmt.Scanf":
		f = func(string, ...any) (int, error) { return 0, io.EOF }
	default:
		if f = e.waiting[obj.FullName()]; f == nil {
			f = e.syncStandIn(obj.FullName())
		}
		if f == nil {
			v := e.chance.Function(obj.Pkg().Path(), obj.Name())
			if !v.IsValid() || obj.Signature().Recv() != nil {
				v = e.atomicStandIn(fn, obj)
			}
			return v, v.IsValid()
		}
	}
	return reflect.ValueOf(f), true
}

// cloneMap replaces the part of maps.Clone that the runtime implements.
func cloneMap(m any) any {
	v := reflect.ValueOf(m)
	out := reflect.MakeMapWithSize(v.Type(), v.Len())
	for it := v.MapRange(); it.Next(); {
		out.SetMapIndex(it.Key(), it.Value())
	}
	return out.Interface()
}

// pull replaces the part of iter.Pull that the runtime implements. It passes panics of the iterator to the caller
// of next or stop.
func pull(run func(yield func() bool)) (next func() bool, stop func()) {
	n, stop := iter.Pull(func(yield func(struct{}) bool) {
		unwind.Boundary(func() {
			run(func() bool { return yield(struct{}{}) })
		})
	})
	return func() bool {
		_, ok := n()
		return ok
	}, stop
}
