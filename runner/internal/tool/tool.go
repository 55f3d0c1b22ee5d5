// Package tool makes Go functions of the embedding program callable from cells.
package tool

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"go/token"
	"reflect"
	"strings"

	"github.com/gorlm/rlm/internal/builtins"
	"github.com/gorlm/rlm/internal/kit/callback"
	"github.com/gorlm/rlm/runner/internal/gotype"
)

// Tool is a Go function of the embedding program that cells can call.
type Tool struct {
	Spec       builtins.Spec
	Root       bool // available in the root
	Children   bool // available in child runs
	Repeatable bool // a call that may have taken effect can be repeated

	fn    reflect.Value
	named []string // parameter names from Params
	ctx   bool     // the first parameter is a context
	err   bool     // the last result is an error
}

var (
	contextType = reflect.TypeFor[context.Context]()
	errorType   = reflect.TypeFor[error]()
)

// New makes a tool of a function. The error reports a name or a type that makes no sense.
func New(name, doc string, fn any, opts ...func(*Tool)) (Tool, error) {
	t := Tool{Spec: builtins.Spec{Name: name, Impl: builtins.ImplTool}, fn: reflect.ValueOf(fn), Root: true}
	if err := checkName(name); err != nil {
		return t, err
	}
	if t.fn.Kind() != reflect.Func || t.fn.IsNil() {
		return t, fmt.Errorf("a tool is a function, this is %T", fn)
	}
	typ := t.fn.Type()
	reader := gotype.Reader{Reads: true, Taken: map[string]bool{name: true}}
	for i := range typ.NumIn() {
		in := typ.In(i)
		if i == 0 && in == contextType {
			t.ctx = true
			continue
		}
		of, err := read(&reader, in)
		if err != nil {
			return t, fmt.Errorf("parameter %d: %w", i+1, err)
		}
		t.Spec.Params = append(t.Spec.Params,
			paramName(in, len(t.Spec.Params))+" "+source(of, typ.IsVariadic() && i == typ.NumIn()-1))
	}
	reader.Reads = false
	for i := range typ.NumOut() {
		if typ.Out(i) == errorType {
			if t.err = i == typ.NumOut()-1; t.err {
				continue
			}
			return t, fmt.Errorf("result %d: an error can only be the last result", i+1)
		}
		of, err := read(&reader, typ.Out(i))
		if err != nil {
			return t, fmt.Errorf("result %d: %w", i+1, err)
		}
		t.Spec.Results = append(t.Spec.Results, source(of, false))
	}
	t.Spec.Types = declarations(reader.Named)
	for _, opt := range opts {
		opt(&t)
	}
	if len(t.named) > len(t.Spec.Params) {
		return t, fmt.Errorf("%d names for %d parameters", len(t.named), len(t.Spec.Params))
	}
	seen := map[string]bool{"": true, "_": true}
	for _, p := range t.named {
		if !token.IsIdentifier(p) || seen[p] {
			return t, fmt.Errorf("a parameter cannot have the name %q", p)
		}
		seen[p] = true
	}
	t.Spec.Doc = t.signature()
	for _, named := range reader.Named {
		if meaning := constants(named); meaning != "" {
			t.Spec.Doc += "; " + named.Declared + " is " + meaning
		}
	}
	t.Spec.Doc += "\n" + doc
	return t, nil
}

// read describes the type of a parameter or a result.
func read(r *gotype.Reader, t reflect.Type) (*gotype.Type, error) {
	of, err := r.Read(t, "")
	if err == nil && of.Hollow() {
		err = &gotype.Unfit{Type: t, Why: "it has no exported field"}
	}
	return of, err
}

// paramName derives a parameter's name from its type.
func paramName(t reflect.Type, i int) string {
	switch t.Kind() {
	case reflect.String:
		return fmt.Sprintf("s%d", i+1)
	case reflect.Int, reflect.Int64, reflect.Float64:
		return fmt.Sprintf("n%d", i+1)
	}
	return fmt.Sprintf("v%d", i+1)
}

// signature documents the tool as cells see it.
func (t Tool) signature() string {
	s := t.Spec.Name + "(" + strings.Join(t.Spec.Params, ", ") + ")"
	switch len(t.Spec.Results) {
	case 0:
	case 1:
		s += " " + t.Spec.Results[0]
	default:
		s += " (" + strings.Join(t.Spec.Results, ", ") + ")"
	}
	if t.Spec.Types != "" {
		s += " // " + strings.Join(strings.Fields(t.Spec.Types), " ")
	}
	return s
}

// At reports whether runs at a depth have the tool.
func (t Tool) At(depth int) bool {
	if depth == 0 {
		return t.Root
	}
	return t.Children
}

// NameParams replaces the names of the first parameters, since Go does not keep parameter names.
func (t *Tool) NameParams(names []string) {
	t.named = names
	for i, name := range names[:min(len(names), len(t.Spec.Params))] {
		_, typ, _ := strings.Cut(t.Spec.Params[i], " ")
		t.Spec.Params[i] = name + " " + typ
	}
}

// Call calls the function with the arguments in a JSON array and returns its results as another array.
func (t Tool) Call(ctx context.Context, body []byte) ([]byte, error) {
	return callback.Call(ctx, "the tool", func() ([]byte, error) { return t.call(ctx, body) })
}

// call runs code of the embedding program: the function, and JSON methods of its types.
func (t Tool) call(ctx context.Context, body []byte) ([]byte, error) {
	args, err := t.arguments(ctx, body)
	if err != nil {
		return nil, err
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
			return nil, e
		}
		results = results[:len(results)-1]
	}
	values := make([]any, len(results))
	for i, v := range results {
		p := reflect.New(v.Type()) // so that JSON methods with a pointer receiver are used
		p.Elem().Set(v)
		values[i] = p.Interface()
	}
	out, err := json.Marshal(values)
	if err != nil {
		return nil, fmt.Errorf("its result is not JSON: %w", err)
	}
	return out, nil
}

// arguments decodes a JSON array into parameters. A variadic parameter is one array.
func (t Tool) arguments(ctx context.Context, body []byte) ([]reflect.Value, error) {
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
