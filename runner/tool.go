package runner

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/token"
	"reflect"
	"strings"

	"github.com/gorlm/rlm/repl/builtins"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/sandbox"
)

// tool is a Go function of the embedding program that cells can call.
type tool struct {
	spec     builtins.Spec
	fn       reflect.Value
	ctx      bool // the first parameter is a context
	err      bool // the last result is an error
	root     bool
	children bool
}

// ToolOption changes how a tool is registered.
type ToolOption func(*tool)

// InChildren gives a tool to child runs too. By default only the root has it.
func InChildren() ToolOption { return func(t *tool) { t.children = true } }

// OnlyInChildren gives a tool to child runs and not to the root.
func OnlyInChildren() ToolOption { return func(t *tool) { t.root, t.children = false, true } }

// AsSignal makes a tool a completion signal: a call that succeeds ends the run, and its result, or its first argument if it returns
// nothing, is the answer.
func AsSignal() ToolOption { return func(t *tool) { t.spec.Signal = true } }

// Params names a tool's parameters for the documentation; Go does not keep their names.
func Params(names ...string) ToolOption {
	return func(t *tool) {
		for i, name := range names[:min(len(names), len(t.spec.Params))] {
			_, typ, _ := strings.Cut(t.spec.Params[i], " ")
			t.spec.Params[i] = name + " " + typ
		}
	}
}

// WithTool registers a function under a name that cells call. fn is any func whose parameters and results can be JSON; its first parameter may be a
// context.Context, its last result an error, which the cell gets as a panic it can recover from. Cells see the types: named
// structs are declared in the notebook under their own names. doc says in one line what it does. Tools run in
// this process, outside of the sandbox, from several goroutines.
func WithTool(name, doc string, fn any, opts ...ToolOption) Option {
	return func(c *config) {
		t, err := newTool(name, doc, fn, opts)
		if err != nil {
			c.errs = append(append([]error{}, c.errs...), fmt.Errorf("tool %s: %w", name, err))
			return
		}
		c.tools = append(append([]tool{}, c.tools...), t)
	}
}

var (
	contextType = reflect.TypeFor[context.Context]()
	errorType   = reflect.TypeFor[error]()
)

func newTool(name, doc string, fn any, opts []ToolOption) (tool, error) {
	t := tool{spec: builtins.Spec{Name: name, Impl: implTool}, fn: reflect.ValueOf(fn), root: true}
	if !token.IsIdentifier(name) {
		return t, errors.New("the name is not a Go identifier")
	}
	if t.fn.Kind() != reflect.Func || t.fn.IsNil() {
		return t, fmt.Errorf("a tool is a function, this is %T", fn)
	}
	typ := t.fn.Type()
	var names typeNames
	for i := range typ.NumIn() {
		in := typ.In(i)
		if i == 0 && in == contextType {
			t.ctx = true
			continue
		}
		source, err := names.param(in, typ.IsVariadic() && i == typ.NumIn()-1)
		if err != nil {
			return t, fmt.Errorf("parameter %d: %w", i+1, err)
		}
		t.spec.Params = append(t.spec.Params, fmt.Sprintf("%s %s", paramName(in, len(t.spec.Params)), source))
	}
	for i := range typ.NumOut() {
		if i == typ.NumOut()-1 && typ.Out(i) == errorType {
			t.err = true
			continue
		}
		source, err := names.source(typ.Out(i))
		if err != nil {
			return t, fmt.Errorf("result %d: %w", i+1, err)
		}
		t.spec.Results = append(t.spec.Results, source)
	}
	t.spec.Types = names.declarations()
	for _, opt := range opts {
		opt(&t)
	}
	t.spec.Doc = t.signature() + "\n" + doc
	return t, nil
}

// paramName is a name for a parameter, by its type.
func paramName(t reflect.Type, i int) string {
	switch t.Kind() {
	case reflect.String:
		return fmt.Sprintf("s%d", i+1)
	case reflect.Int, reflect.Int64, reflect.Float64:
		return fmt.Sprintf("n%d", i+1)
	}
	return fmt.Sprintf("v%d", i+1)
}

// signature documents the tool as a cell would see it.
func (t tool) signature() string {
	s := t.spec.Name + "(" + strings.Join(t.spec.Params, ", ") + ")"
	switch len(t.spec.Results) {
	case 0:
	case 1:
		s += " " + t.spec.Results[0]
	default:
		s += " (" + strings.Join(t.spec.Results, ", ") + ")"
	}
	if t.spec.Types != "" {
		s += " // " + strings.Join(strings.Fields(t.spec.Types), " ")
	}
	return s
}

// at reports whether runs at a depth have the tool.
func (t tool) at(depth int) bool {
	if depth == 0 {
		return t.root
	}
	return t.children
}

// tool answers a call of a tool.
func (s *subcall) tool(ctx context.Context) sandbox.Reply {
	for _, t := range s.cfg.tools {
		if t.spec.Name != s.call.Tool || !t.at(s.depth) {
			continue
		}
		if err := s.open(trajectory.SubCallStarted{Impl: implTool, Prompt: trajectory.T(string(s.call.Body))}); err != nil {
			return unwound(err)
		}
		body, err := t.run(ctx, s.call.Body)
		if ctx.Err() != nil {
			return unwound(cause(ctx, ctx.Err()))
		}
		if err != nil {
			return s.close(sandbox.Reply{Error: err.Error()}, trajectory.SubCallEnded{})
		}
		return s.close(sandbox.Reply{Body: body}, trajectory.SubCallEnded{})
	}
	return sandbox.Reply{Error: fmt.Sprintf("there is no tool %q here", s.call.Tool)}
}

// run calls the function with arguments from a JSON array and returns its results as one. A panic of the tool is its failure, not the program's.
func (t tool) run(ctx context.Context, body []byte) (out []byte, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%s panicked: %v", t.spec.Name, p)
		}
	}()
	args, err := t.arguments(ctx, body)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", t.spec.Name, err)
	}
	var results []reflect.Value
	if t.fn.Type().IsVariadic() {
		results = t.fn.CallSlice(args)
	} else {
		results = t.fn.Call(args)
	}
	if t.err {
		last := results[len(results)-1]
		if e, _ := last.Interface().(error); e != nil {
			return nil, fmt.Errorf("%s: %w", t.spec.Name, e)
		}
		results = results[:len(results)-1]
	}
	values := make([]any, len(results))
	for i, v := range results {
		values[i] = v.Interface()
	}
	if out, err = json.Marshal(values); err != nil {
		return nil, fmt.Errorf("%s: its result is no JSON: %w", t.spec.Name, err)
	}
	return out, nil
}

// arguments decodes a JSON array into the parameters. A variadic parameter is one array.
func (t tool) arguments(ctx context.Context, body []byte) ([]reflect.Value, error) {
	var raw []json.RawMessage
	if err := json.Unmarshal(body, &raw); err != nil {
		return nil, fmt.Errorf("the arguments cannot be read: %w", err)
	}
	typ := t.fn.Type()
	var args []reflect.Value
	if t.ctx {
		args = append(args, reflect.ValueOf(ctx))
	}
	for i := len(args); i < typ.NumIn(); i++ {
		v := reflect.New(typ.In(i))
		at := i
		if t.ctx {
			at--
		}
		if at < len(raw) {
			dec := json.NewDecoder(bytes.NewReader(raw[at]))
			if err := dec.Decode(v.Interface()); err != nil {
				return nil, fmt.Errorf("argument %d: %w", at+1, err)
			}
		}
		args = append(args, v.Elem())
	}
	return args, nil
}
