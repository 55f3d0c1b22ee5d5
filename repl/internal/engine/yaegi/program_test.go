package yaegi

import (
	"bytes"
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorlm/rlm/repl/internal/engine"
	"github.com/gorlm/rlm/repl/internal/stdlib"
)

// lockedBuffer is what programs print, also from goroutines.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

var sharedImporter = sync.OnceValues(stdlib.NewImporter)

// checkProgram parses and type-checks a whole program as the front end would hand it over.
func checkProgram(src string) (*engine.Unit, error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "prog.go", src, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	im, err := sharedImporter()
	if err != nil {
		return nil, err
	}
	info := &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Implicits: map[ast.Node]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{}, Instances: map[*ast.Ident]types.Instance{},
		Scopes: map[ast.Node]*types.Scope{},
	}
	var hard error
	conf := types.Config{Importer: im, Error: func(err error) {
		if te, ok := err.(types.Error); ok && !te.Soft && hard == nil {
			hard = err
		}
	}}
	pkg, _ := conf.Check("main", fset, []*ast.File{file}, info)
	if hard != nil {
		return nil, hard
	}
	return &engine.Unit{Cell: 1, Fset: fset, File: file, Pkg: pkg, Info: info, Entry: "main", Source: src}, nil
}

type ran struct {
	out     string
	outcome engine.Outcome
	refused *engine.Refused
	err     error // it does not type-check, or the engine failed
	exit    int
	exited  bool
}

// runProgram runs a program on a new engine.
func runProgram(src string, limit time.Duration) (r ran) {
	u, err := checkProgram(src)
	if err != nil {
		r.err = err
		return r
	}
	var out lockedBuffer
	e, err := New(engine.Host{Stdout: &out, Exit: func(code int) {
		r.exit, r.exited = code, true
		runtime.Goexit()
	}})
	if err != nil {
		return ran{err: err}
	}
	p, err := e.Load(u)
	if err != nil {
		if re, ok := err.(*engine.Refused); ok {
			r.refused = re
		} else {
			r.err = err
		}
		return r
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	r.outcome = e.Run(ctx, p, engine.Conditions{Seed: 1})
	r.out = out.String()
	return r
}

func (r ran) String() string {
	switch {
	case r.err != nil:
		return "error: " + r.err.Error()
	case r.refused != nil:
		return "refused: " + r.refused.Error()
	case r.outcome.Panic != nil:
		return fmt.Sprintf("%s\npanic: %v (%s) at %d:%d %s", r.out, r.outcome.Panic, r.outcome.PanicType, r.outcome.Line, r.outcome.Column, strings.Join(r.outcome.Frames, " < "))
	case r.outcome.Cancelled:
		return r.out + "\ncancelled"
	}
	return r.out
}

func readFile(t testing.TB, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func sprint(v any) string { return fmt.Sprint(v) }
