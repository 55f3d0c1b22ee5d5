package enginetest

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"strings"
	"time"

	"github.com/gorlm/rlm/internal/answer"
	"github.com/gorlm/rlm/repl/internal/engine"
)

// CheckProgram parses and type-checks a whole program into a unit, as the front end would.
func CheckProgram(src string) (*engine.Unit, error) {
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
		Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{},
		Uses:      map[*ast.Ident]types.Object{},
		Implicits: map[ast.Node]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{},
		Instances: map[*ast.Ident]types.Instance{},
		Scopes:    map[ast.Node]*types.Scope{},
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

// Ran is the result of a program.
type Ran struct {
	// Out is the program's output.
	Out     string
	Outcome engine.Outcome
	// Refused is set if the engine refused the program.
	Refused *engine.RefusedError
	// Err is a type error, or a failure of the engine.
	Err error
	// Exit is the code of os.Exit, 0 if it was not called.
	Exit int
}

// RunProgram runs a program on a new engine.
func RunProgram(make Maker, src string, limit time.Duration) Ran {
	return runProgram(make, src, limit, time.Now)
}

// runProgram is RunProgram for a program whose clock is now.
func runProgram(make Maker, src string, limit time.Duration, now func() time.Time) (r Ran) {
	u, err := CheckProgram(src)
	if err != nil {
		r.Err = err
		return r
	}
	var out Output
	var e engine.Engine
	e, err = make(engine.Host{Stdout: &out, Grace: engine.Grace, Exit: func(code int) {
		r.Exit = code
		e.Unwind()
	}})
	if err != nil {
		return Ran{Err: err}
	}
	p, err := e.Load(u)
	if err != nil {
		if refused, ok := err.(*engine.RefusedError); ok {
			r.Refused = refused
		} else {
			r.Err = err
		}
		return r
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	r.Outcome = e.Run(ctx, p, engine.Conditions{Seed: 1, Now: now, Sentinel: &answer.Sentinel{}})
	r.Out = out.String()
	return r
}

func (r Ran) String() string {
	o := r.Outcome
	switch {
	case r.Err != nil:
		return "error: " + r.Err.Error()
	case r.Refused != nil:
		return "refused: " + r.Refused.Error()
	case o.Panic != nil:
		return fmt.Sprintf("%s\npanic: %v (%s) at %d:%d %s", r.Out, o.Panic, o.PanicType, o.Line, o.Column,
			strings.Join(o.Frames, " < "))
	case o.Cancelled:
		return r.Out + "\ncancelled"
	}
	return r.Out
}
