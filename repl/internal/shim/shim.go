// Package shim runs hoisted files with plain yaegi until the engine proper is there.
package shim

import (
	"bytes"
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/types"
	"io"
	"reflect"
	"testing/fstest"

	"github.com/traefik/yaegi/interp"
	"github.com/traefik/yaegi/stdlib"

	"github.com/gorlm/rlm/repl/internal/fakelog"
	"github.com/gorlm/rlm/repl/internal/fakeos"
	"github.com/gorlm/rlm/repl/internal/front"
)

type engine struct {
	i     *interp.Interpreter
	names map[string]string
	n     int
}

// New makes an engine.
func New(host front.Host) (front.Engine, error) {
	e := &engine{names: map[string]string{}}
	e.i = interp.New(interp.Options{Stdout: host.Stdout, Stderr: io.Discard, GoPath: "/nonexistent", SourcecodeFilesystem: fstest.MapFS{}})
	syms := interp.Exports{}
	for k, v := range stdlib.Symbols {
		syms[k] = v
	}
	syms["os/os"] = fakeos.Symbols(host.Stdout, host.Exit)
	syms["log/log"] = fakelog.Symbols(host.Stdout, host.Exit)
	table := map[string]reflect.Value{}
	for k, n := range host.Natives {
		name := fmt.Sprintf("N%d", k)
		e.names[n.Name] = "rlm." + name
		v := n.Value
		if n.Kind == front.NativeVar {
			v = v.Elem()
		}
		table[name] = v
	}
	syms["rlm/rlm"] = table
	if err := e.i.Use(syms); err != nil {
		return nil, err
	}
	return e, nil
}

type program struct {
	p     *interp.Program
	entry string
}

func (e *engine) Load(u *front.Unit) (out front.Program, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = &front.Refused{Construct: "this", Why: fmt.Sprint(r)}
		}
	}()
	ast.Inspect(u.File, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			if o := u.Info.Uses[id]; o != nil && o.Pkg() != nil && o.Pkg().Path() == front.HostPath {
				if f, ok := o.(*types.Func); ok && f.Signature().Recv() != nil {
					return true
				}
				if v, ok := o.(*types.Var); ok && v.IsField() {
					return true
				}
				id.Name = e.names[id.Name]
			}
		}
		return true
	})
	var b bytes.Buffer
	if err := printer.Fprint(&b, u.Fset, u.File); err != nil {
		return nil, err
	}
	src := bytes.Replace(b.Bytes(), []byte("package main\n"), []byte("package main\nimport \"rlm\"\n"), 1)
	e.n++
	f, err := parser.ParseFile(e.i.FileSet(), fmt.Sprintf("u%d.go", e.n), src, 0)
	if err != nil {
		return nil, err
	}
	p, err := e.i.CompileAST(f)
	if err != nil {
		return nil, &front.Refused{Construct: "this", Why: err.Error() + "\n" + string(src)}
	}
	return program{p, u.Entry}, nil
}

func (e *engine) Run(ctx context.Context, p front.Program, c front.Conditions) (out front.Outcome) {
	out.Sound = true
	pr := p.(program)
	done := make(chan struct{})
	go func() {
		defer close(done)
		if _, err := e.i.ExecuteWithContext(ctx, pr.p); err != nil {
			set(&out, err)
			return
		}
		if pr.entry != "" {
			if _, err := e.i.EvalWithContext(ctx, pr.entry+"()"); err != nil {
				set(&out, err)
			}
		}
	}()
	select {
	case <-done:
	case <-ctx.Done():
		out.Cancelled, out.Sound = true, false
	}
	return out
}

func set(out *front.Outcome, err error) {
	if p, ok := err.(interp.Panic); ok {
		out.Panic = p.Value
		if v, ok := p.Value.(reflect.Value); ok {
			out.Panic = v.Interface()
		}
		return
	}
	out.Panic = err.Error()
}

func (e *engine) Var(name string) (any, bool) {
	v, ok := e.i.Globals()[name]
	if !ok || !v.IsValid() {
		return nil, false
	}
	return v.Interface(), true
}
