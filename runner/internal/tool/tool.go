// Package tool makes Go functions of the embedding program callable by cells.
package tool

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
)

// Tool is a Go function of the embedding program that cells can call.
type Tool struct {
	Spec       builtins.Spec
	Root       bool // the root has it
	Children   bool // child runs have it
	Repeatable bool // a call that may have taken effect can be made once more

	fn  reflect.Value
	ctx bool // the first parameter is a context
	err bool // the last result is an error
}

var (
	contextType = reflect.TypeFor[context.Context]()
	errorType   = reflect.TypeFor[error]()
)

// New makes a tool of a function. The error says what in the name or the types makes no sense.
func New(name, doc string, fn any, opts ...func(*Tool)) (Tool, error) {
	t := Tool{Spec: builtins.Spec{Name: name, Impl: builtins.ImplTool}, fn: reflect.ValueOf(fn), Root: true}
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
		t.Spec.Params = append(t.Spec.Params, fmt.Sprintf("%s %s", paramName(in, len(t.Spec.Params)), source))
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
		t.Spec.Results = append(t.Spec.Results, source)
	}
	t.Spec.Types = names.declarations()
	for _, opt := range opts {
		opt(&t)
	}
	t.Spec.Doc = t.signature() + "\n" + doc
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

// NameParams replaces the names of the first parameters; Go does not keep them.
func (t *Tool) NameParams(names []string) {
	for i, name := range names[:min(len(names), len(t.Spec.Params))] {
		_, typ, _ := strings.Cut(t.Spec.Params[i], " ")
		t.Spec.Params[i] = name + " " + typ
	}
}

// Call calls the function with arguments from a JSON array and returns its results as one. A panic of the tool is its failure, not the program's.
func (t Tool) Call(ctx context.Context, body []byte) (out []byte, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("it panicked: %v", p)
		}
	}()
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
		values[i] = v.Interface()
	}
	if out, err = json.Marshal(values); err != nil {
		return nil, fmt.Errorf("its result is not JSON: %w", err)
	}
	return out, nil
}

// arguments decodes a JSON array into the parameters. A variadic parameter is one array.
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
