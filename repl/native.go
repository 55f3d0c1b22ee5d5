package repl

import (
	"fmt"
	"go/constant"
	"go/token"
	"go/types"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/gorlm/rlm/internal/answer"
	"github.com/gorlm/rlm/internal/cellerror"
	"github.com/gorlm/rlm/repl/internal/check"
	"github.com/gorlm/rlm/repl/internal/value"
)

// builtins lists the functions that cells can call, for the front end.
func (n *Notebook) builtins() ([]check.Builtin, error) {
	out := []check.Builtin{
		{Name: check.ShowName, Type: reflect.TypeOf(n.show), Skip: 1, Sited: true},
		{Name: check.CalledName, Type: reflect.TypeOf(n.countCall)},
		{Name: check.HeldName, Type: reflect.TypeOf(value.Held)},
	}
	seen := map[string]bool{"context": true, "docs": true, "history": true}
	for _, b := range n.cfg.Builtins {
		if !token.IsIdentifier(b.Name) {
			return nil, fmt.Errorf("builtin %q: the name is no Go identifier", b.Name)
		}
		if seen[b.Name] {
			return nil, fmt.Errorf("builtin %s is defined twice", b.Name)
		}
		seen[b.Name] = true
		if b.Fn == nil {
			if b.Source == "" {
				return nil, fmt.Errorf("builtin %s: it has neither a function nor source", b.Name)
			}
			continue
		}
		t := reflect.TypeOf(b.Fn)
		if t.Kind() != reflect.Func {
			return nil, fmt.Errorf("builtin %s: a %s is no function", b.Name, t)
		}
		usage, _, _ := strings.Cut(b.Doc, "\n")
		f := check.Builtin{Name: b.Name, Type: t, Signal: b.Signal, Prints: b.Prints, ByName: b.ByName, Usage: usage}
		if t.NumIn() > 0 && t.In(0) == siteType {
			f.Skip, f.Sited = 1, true
		}
		out = append(out, f)
	}
	return out, nil
}

// values maps the names of the native functions to their implementations.
func (n *Notebook) values() map[string]reflect.Value {
	out := map[string]reflect.Value{
		check.CalledName: reflect.ValueOf(n.countCall), check.HeldName: reflect.ValueOf(value.Held),
	}
	add := func(name string, fn any, counted, byName bool) {
		v := reflect.ValueOf(fn)
		sited := v.Type().NumIn() > 0 && v.Type().In(0) == siteType
		out[name] = n.plainForm(name, v, sited, counted)
		if sited {
			out[name+check.SiteSuffix] = n.sitedForm(name, v, counted, byName)
		}
	}
	add(check.ShowName, n.show, false, false)
	for _, b := range n.cfg.Builtins {
		if b.Fn != nil {
			add(b.Name, b.Fn, !strings.HasPrefix(b.Name, "_"), b.ByName)
		}
	}
	return out
}

// plainForm makes the form of a builtin that cells store or pass on instead of calling it directly.
func (n *Notebook) plainForm(name string, fn reflect.Value, sited, counted bool) reflect.Value {
	t := fn.Type()
	skip := 0
	if sited {
		skip = 1
	}
	in, outs := signature(t, skip)
	return reflect.MakeFunc(reflect.FuncOf(in, outs, t.IsVariadic()), func(args []reflect.Value) []reflect.Value {
		r := n.enter(name, counted)
		if sited {
			site := n.site(r, callSite{}, nil)
			for _, p := range in {
				site.Types = append(site.Types, n.front.TypeOf(p))
			}
			args = append([]reflect.Value{reflect.ValueOf(site)}, args...)
		}
		return invoke(fn, args)
	})
}

// sitedForm makes the form of a builtin that cells call directly: it also takes the number of the call, and the
// local variables that its arguments may name.
func (n *Notebook) sitedForm(name string, fn reflect.Value, counted, byName bool) reflect.Value {
	t := fn.Type()
	params, outs := signature(t, 1)
	in := []reflect.Type{reflect.TypeFor[int]()}
	if byName {
		in = append(in, reflect.TypeFor[[]any]())
	}
	lead := len(in)
	in = append(in, params...)
	return reflect.MakeFunc(reflect.FuncOf(in, outs, t.IsVariadic()), func(args []reflect.Value) []reflect.Value {
		r := n.enter(name, counted)
		var call callSite
		if id := int(args[0].Int()); id < len(n.calls) {
			call = n.calls[id]
		}
		var locals []any
		if byName {
			locals = args[1].Interface().([]any)
		}
		site := n.site(r, call, locals)
		return invoke(fn, append([]reflect.Value{reflect.ValueOf(site)}, args[lead:]...))
	})
}

func signature(t reflect.Type, skip int) (in, out []reflect.Type) {
	for i := skip; i < t.NumIn(); i++ {
		in = append(in, t.In(i))
	}
	for i := range t.NumOut() {
		out = append(out, t.Out(i))
	}
	return in, out
}

func invoke(fn reflect.Value, args []reflect.Value) []reflect.Value {
	if fn.Type().IsVariadic() {
		return fn.CallSlice(args)
	}
	return fn.Call(args)
}

// enter is the first step of every builtin. It unwinds if the cell is over or if the caller is a goroutine that an
// earlier cell left running; otherwise it counts the call.
func (n *Notebook) enter(name string, counted bool) *execution {
	r := n.cell.Load()
	if n.engine.Stale() {
		n.engine.Unwind()
	}
	r.gate()
	if counted {
		r.call(name)
	}
	return r
}

// countCall counts a call of a builtin that is defined by Source.
func (n *Notebook) countCall(name string) { n.enter(name, true) }

// counted returns the source of a builtin, rewritten to count its calls.
func (n *Notebook) counted(b Builtin) string {
	if strings.HasPrefix(b.Name, "_") {
		return b.Source
	}
	return check.CountCalls(b.Source, b.Name)
}

// site describes one call for the builtin.
func (n *Notebook) site(r *execution, call callSite, locals []any) *Site {
	return &Site{
		Line: call.Line, Column: call.Column, Types: call.Types, Text: call.Text, Alone: call.Alone, Context: r.ctx,
		Lookup: func(name string) (any, types.Type, bool) { return n.lookup(call, locals, name) },
		Names:  func() []string { return n.names(call) },
		Vars:   n.Vars,
		Print: func(text string) {
			r.gate()
			_, _ = n.stdout.Write([]byte(text))
		},
		Format:  n.reader.Answer,
		Display: r.display,
		JSON:    n.reader.JSON,
		Final:   func(out answer.FinalOutput) { n.record(r, out) },
		Unwind:  func(kind cellerror.Kind, why string) { r.end(nil, &CellError{Kind: kind, Message: why}) },
		Note:    r.note,
	}
}

// lookup finds a variable as the call sees it: local variables first, then those of the cell, the session and the
// host. It also finds a constant of an earlier cell, unless the constant's type has methods, because these may
// decide how it prints.
func (n *Notebook) lookup(call callSite, locals []any, name string) (any, types.Type, bool) {
	for i, v := range call.Locals {
		if v.Name() == name && i < len(locals) {
			return locals[i], v.Type(), true
		}
	}
	if v := call.names[name]; v != nil {
		value, ok := n.engine.Var(v.Name())
		return value, v.Type(), ok
	}
	if sym := n.front.Lookup(name); sym != nil && sym.Var() {
		value, ok := n.engine.Var(sym.Obj.Name())
		return value, sym.Obj.Type(), ok
	} else if sym != nil {
		if c, ok := sym.Obj.(*types.Const); ok && types.NewMethodSet(c.Type()).Len() == 0 {
			return constantValue(c)
		}
	}
	switch name {
	case "context":
		return n.context, types.Typ[types.String], true
	case "docs":
		return n.docs, n.front.HostType(name), true
	case "history":
		return n.history, n.front.HostType(name), true
	}
	return nil, nil, false
}

// constantValue returns a constant's value and the type to show it with; false if no basic type can hold it.
func constantValue(c *types.Const) (any, types.Type, bool) {
	switch t := types.Default(c.Type()).Underlying().(*types.Basic); {
	case t.Info()&(types.IsString|types.IsBoolean) != 0:
		return constant.Val(c.Val()), types.Typ[t.Kind()], true
	case t.Info()&types.IsUnsigned != 0:
		u, exact := constant.Uint64Val(constant.ToInt(c.Val()))
		return u, types.Typ[types.Uint64], exact
	case t.Info()&types.IsInteger != 0:
		i, exact := constant.Int64Val(constant.ToInt(c.Val()))
		return i, types.Typ[types.Int64], exact
	case t.Kind() == types.Float32:
		f, _ := constant.Float32Val(c.Val())
		return f, types.Typ[types.Float32], !math.IsInf(float64(f), 0)
	case t.Info()&types.IsFloat != 0:
		f, _ := constant.Float64Val(c.Val())
		return f, types.Typ[types.Float64], !math.IsInf(f, 0)
	}
	return nil, nil, false
}

// names lists the variables that a call could mean.
func (n *Notebook) names(call callSite) []string {
	out := append([]string{"context"}, call.Visible...)
	for _, sym := range n.front.Variables() {
		out = append(out, sym.Name)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// after runs the After functions of the builtins at the end of a cell. Each runs on a separate goroutine, which
// unwinds if the function records an answer.
func (n *Notebook) after(r *execution) *CellError {
	for _, b := range n.cfg.Builtins {
		if b.After == nil {
			continue
		}
		var err error
		if p := r.apart(func() { err = b.After(n.site(r, callSite{}, nil)) }); p != nil {
			err = fmt.Errorf("%s: %v", b.Name, p)
		}
		if r.final == nil && err != nil {
			return &CellError{Kind: cellerror.Panic, Message: err.Error()}
		}
		if r.final != nil || r.failed != nil {
			return r.failed
		}
	}
	return nil
}
