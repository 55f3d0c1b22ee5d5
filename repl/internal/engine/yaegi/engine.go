// Package yaegi runs checked cells with the yaegi interpreter. Cells are first lowered (see package lower) to a
// small part of Go that yaegi executes correctly. The package does not use the exact engine, and runs on every Go
// release and processor.
package yaegi

import (
	"context"
	"fmt"
	"go/parser"
	"io"
	"io/fs"
	"reflect"
	"strings"
	"sync"

	"github.com/traefik/yaegi/interp"

	"github.com/gorlm/rlm/repl/internal/caller"
	"github.com/gorlm/rlm/repl/internal/decide"
	"github.com/gorlm/rlm/repl/internal/engine"
	"github.com/gorlm/rlm/repl/internal/engine/yaegi/dyn"
	"github.com/gorlm/rlm/repl/internal/engine/yaegi/lower"
)

// Engine is the state of one session in the interpreter. It implements engine.Engine.
type Engine struct {
	host    engine.Host
	interp  *interp.Interpreter
	run     *dyn.Runtime
	session *lower.Session
	tables  map[string]map[string]reflect.Value
	used    map[string]bool
	sealed  sync.Mutex
	units   int
	broken  bool
	clock   *conditions
}

// New makes an engine. It only loads the interpreter.
func New(host engine.Host) (*Engine, error) {
	e := &Engine{host: host, tables: map[string]map[string]reflect.Value{}, used: map[string]bool{}}
	natives := map[string]reflect.Type{}
	for _, n := range host.Natives {
		if n.Kind == engine.NativeType {
			natives[n.Name] = n.Value.Type().Elem()
		}
	}
	e.run = dyn.NewRuntime(host.Stdout, e.table, func(name string) reflect.Type { return natives[name] })
	e.run.Stdout = e.run.Writer(host.Stdout, e.Unwind)
	e.host.Stdout = e.run.Stdout
	e.run.Arrivals = host.Arrivals
	if e.run.Arrivals == nil {
		e.run.Arrivals = decide.NewArrivals()
	}
	e.run.Arrivals.Alone = func() bool { return true } // cells cannot start goroutines
	e.clock = newConditions(e.run)
	e.session = lower.NewSession(e.run, e.table, host.Natives)
	e.interp = interp.New(interp.Options{
		GoPath: "/nonexistent", SourcecodeFilesystem: noFiles{}, Stdin: strings.NewReader(""), Stdout: e.run.Stdout,
		Stderr: io.Discard,
	})
	if err := e.interp.Use(interp.Exports{"rt/rt": e.run.Natives()}); err != nil {
		return nil, fmt.Errorf("starting the interpreter: %w", err)
	}
	return e, nil
}

// noFiles is a file system without files, so that a cell's import can never read a disk.
type noFiles struct{}

// Open always fails.
func (noFiles) Open(name string) (fs.File, error) {
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}

// table returns the symbols of a package as cells see it.
func (e *Engine) table(path string) map[string]reflect.Value {
	e.sealed.Lock()
	defer e.sealed.Unlock()
	if t, ok := e.tables[path]; ok {
		return t
	}
	t := e.host.Symbols(path)
	e.clock.replace(path, t)
	e.tables[path] = t
	return t
}

// Load lowers and compiles a unit.
func (e *Engine) Load(u *engine.Unit) (p engine.Program, err error) {
	low, err := e.session.Lower(u)
	if err != nil {
		return nil, err
	}
	e.units++
	for _, path := range low.Imports {
		if e.used[path] {
			continue
		}
		e.used[path] = true
		if err := e.interp.Use(interp.Exports{
			lower.PathPrefix + path + "/" + path[strings.LastIndexByte(path, '/')+1:]: e.table(path),
		}); err != nil {
			return nil, fmt.Errorf("handing %s to the interpreter: %w", path, err)
		}
	}
	if len(low.Natives) > 0 {
		if err := e.interp.Use(interp.Exports{low.NativesPath + "/" + low.NativesPath: low.Natives}); err != nil {
			return nil, fmt.Errorf("handing natives to the interpreter: %w", err)
		}
	}
	prog, err := e.compile(low.Source)
	if err != nil {
		e.session.Forget()
		return nil, &engine.RefusedError{
			Construct: "this cell", Why: "the interpreter fails on something in it",
			Instead: "write it as several cells, in smaller steps with plain statements", Err: err,
		}
	}
	return prog, nil
}

// compile turns panics of the interpreter's compiler into errors.
func (e *Engine) compile(source string) (p *interp.Program, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%v", r)
		}
	}()
	file, err := parser.ParseFile(
		e.interp.FileSet(), fmt.Sprintf("unit%d.go", e.units), source, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	return e.interp.CompileAST(file)
}

// Var returns the current value of a package-level variable.
func (e *Engine) Var(name string) (any, bool) {
	return e.run.Var(name)
}

// Unwind panics with the sentinel of the current run.
func (e *Engine) Unwind() { e.run.Unwind() }

// Stale returns false: cells cannot start goroutines, so none can belong to an earlier run.
func (e *Engine) Stale() bool { return false }

// Run runs a loaded unit.
func (e *Engine) Run(ctx context.Context, p engine.Program, c engine.Conditions) engine.Outcome {
	e.clock.set(c)
	e.run.Decide(c.Seed)
	e.run.Begin(c.Sentinel)
	if c.Began != nil {
		c.Began()
	}
	defer context.AfterFunc(ctx, e.run.Stop)()
	ended := make(chan error, 1)
	go func() {
		caller.Mark()
		_, err := e.interp.ExecuteWithContext(ctx, p.(*interp.Program))
		ended <- err
	}()
	return e.outcome(ctx, <-ended)
}
