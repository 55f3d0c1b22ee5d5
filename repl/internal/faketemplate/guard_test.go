package template_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	gotemplate "text/template"

	"github.com/stretchr/testify/require"

	template "github.com/gorlm/rlm/repl/internal/faketemplate"
	"github.com/gorlm/rlm/repl/internal/stdlib"
	"github.com/gorlm/rlm/repl/internal/stdlib/symbols"
)

// unsupported returns an error that holds a reflect.Value.
func unsupported(t *testing.T) *json.UnsupportedValueError {
	_, err := json.Marshal(math.NaN())
	var e *json.UnsupportedValueError
	require.ErrorAs(t, err, &e)
	return e
}

type holder struct {
	Value  any
	Of     map[string]any
	Type   reflect.Type
	Method string
}

func (h holder) Field(name string) any { return h.Of[name] }
func (h *holder) Elem() *holder        { return h }

// No template gets access to memory: not through a receiver, an argument, or a value to print.
func TestTemplatesDoNotReachMemory(t *testing.T) {
	e := unsupported(t)
	data := &holder{
		e,
		map[string]any{"e": e, "es": []any{e}, "t": reflect.TypeFor[holder]()},
		reflect.TypeFor[*holder](), "",
	}
	grab := func(x any) string {
		require.False(t, x != nil && template.Reaches(reflect.TypeOf(x)), "%T", x)
		return fmt.Sprint(x)
	}
	run := func(source string) (out string, err error) {
		parsed := template.Must(template.New("t").Funcs(template.FuncMap{"grab": grab}).Parse(source))
		clone, err := parsed.Clone()
		require.NoError(t, err)
		var first, second bytes.Buffer
		err = parsed.Execute(&first, data)
		require.Equal(t, fmt.Sprint(err), fmt.Sprint(clone.Execute(&second, data)))
		require.Equal(t, first.String(), second.String())
		return first.String(), err
	}
	for _, source := range []string{
		"{{.Value.Value.UnsafePointer}}",
		"{{grab .Value.Value.Pointer}}",
		"{{$v := .Value.Value}}{{$v.Kind}}",
		"{{with .Value.Value}}{{.Kind}}{{end}}",
		"{{.Of.e.Value.Float}}", "{{(index .Of \"e\").Value.Kind}}", "{{range .Of.es}}{{.Value.Kind}}{{end}}",
		"{{define \"x\"}}{{.Kind}}{{end}}{{template \"x\" .Value.Value}}",
		"{{(.Field \"e\").Value.Kind}}",
		"{{(.Elem.Elem.Field \"e\").Value.Kind}}",
		"{{$x := .Field \"e\"}}{{$x.Value.Kind}}",
		"{{block \"b\" .Value}}{{.Value.Kind}}{{end}}",
		"{{with $x := .Value}}{{$x.Value.Kind}}{{end}}",
		"{{range .Of.es}}{{with .Value}}{{.Kind}}{{end}}{{end}}",
		"{{(.Value.Value).Kind}}",
		"{{if (.Value).Value.Kind}}{{end}}",
	} {
		_, err := run(source)
		require.ErrorContains(t, err, "in type float64", source)
		require.NotContains(t, err.Error(), "guard", source)
	}
	for _, source := range []string{
		"{{(.Type.Method 0).Name}}", "{{(.Type.Elem.Field 0).Name}}", "{{range .Type.Elem.Fields}}{{.Name}}{{end}}",
		"{{.Of.t.Method 0 | grab}}",
		"{{.Type.Elem.ChanDir}}",
		"{{range $m := .Type.Methods}}{{$m}}{{end}}",
		"{{grab (.Type.Method 0)}}",
		"{{with .Type.Method 0}}{{.Func.Pointer}}{{end}}", "{{0 | .Type.Method}}",
	} {
		out, err := run(source)
		require.Error(t, err, source)
		require.True(t, strings.Contains(err.Error(), "cells cannot use ") ||
			strings.Contains(err.Error(), "ChanDir"), err)
		require.NotContains(t, err.Error(), "guard", source)
		require.Empty(t, out, source)
	}
	for source, want := range map[string]string{
		"{{.Value.Value}} {{grab .Value.Value}} {{.Value.Value | grab}}": "NaN NaN NaN",
		"{{grab (.Field \"e\").Value}}":                                  "NaN",
		"{{printf \"%v\" .Value.Value}}":                                 "NaN",
		"{{.Type}} {{.Type.Elem.Name}} {{.Type.Kind}}":                   "*template_test.holder holder ptr",
	} {
		out, err := run(source)
		require.NoError(t, err, source)
		require.Equal(t, want, out)
	}
	own := template.New("t")
	own = template.Must(own.Parse("{{.Type.Method 0}}")).Funcs(
		template.FuncMap{"guardʹ0": func(x any) any { return x }})
	require.ErrorContains(t, own.Execute(&bytes.Buffer{}, data), "cells cannot use reflect.Method")
}

// All other templates behave as Go's do, and report the same errors, even if they use the guarded names.
func TestGuardsAreNotSeen(t *testing.T) {
	e := unsupported(t)
	var badType *json.UnmarshalTypeError
	require.ErrorAs(t, json.Unmarshal([]byte(`"x"`), new(int)), &badType)
	data := map[string]any{
		"Value": &holder{"v", map[string]any{"Value": 3, "Field": nil, "k": "z"}, reflect.TypeFor[int](), "m"}, "e": e,
		"bad": badType, "nil": nil,
		"Field": []int{1, 2}, "Method": map[string]int{"Value": 7}, "f": func(n int) map[string]int {
			return map[string]int{"Value": n}
		},
		"none": (*holder)(nil),
	}
	for _, source := range []string{
		"{{.Value.Value}} {{.Value.Of.Value}} {{.Value.Field \"k\"}} {{.Value.Elem.Elem.Value}} {{.Value.Method}}",
		"{{.Value.Value | printf \"%q\"}}",
		"{{range $i, $x := .Field}}{{$i}}{{$x}}{{else}}none{{end}}",
		"{{with .Method.Value}}{{.}}{{else}}x{{end}}",
		"{{(call .f 4).Value}}",
		"{{.Value.Missing}}",
		"{{.Value.Value.Missing}}",
		"{{.Value.Of.Field.Missing}}",
		"{{.Missing.Value.X}}",
		"{{.Value.Field}}",
		"{{.Value.Field 1}}",
		"{{.Value.Field \"k\" 2}}",
		"{{.none.Value}}",
		"{{.nil.Value}}",
		"{{len .Value.Value}} {{len .Field}}",
		"{{.Field.Value}}",
		"{{index .Method.Value 1}}",
		"{{printf \"%d%s\" .Method.Value (.Value.Field \"k\")}}",
		"{{.bad.Value}} {{.bad.Type}} {{.bad.Type.Kind}} {{.bad.Type.Elem}}",
		"{{.e}} {{.e.Str}} {{.e.Error}}",
		"{{.Value.Type}} {{.Value.Type.Name}} {{.Value.Type.Size}}",
		"{{if and .Value.Value .Field}}yes{{end}}",
		"{{(.Value.Elem).Value}} {{((.Value).Elem).Value.X}}",
		"{{$.Value.Value}} {{$v := .Value}}{{$v.Value}} {{$v.Field \"nope\"}}",
		"{{define \"x\"}}{{.Value}}{{.Value.Y}}{{end}}{{template \"x\" .Value}}",
		"{{.Value.Field \"k\" | len}}",
		"{{.Value.Value.X.Value.Y}}",
		"{{\"k\" | .Value.Field | printf \"%s\"}}",
		"{{.Method.Value 1}}",
		"{{.Value.Elem.Method.X}}",
		"{{$.Value.Of.Value.Y}}{{.Value.Type.Field.Z}}",
		"{{.Value.Elem.Value.Elem.Method}}",
		"{{$x := .Value.Of}}{{$x.Value.Method.Z}}",
		"{{len .Value.Of.Value.Q}}",
		"{{.Value.Of.nothing.Method.X}}",
		"{{call .Value.Value}}",
		"{{slice .Value.Value 0 1}}",
		"{{.Value.Field (len .Field)}}",
	} {
		for _, option := range []string{"missingkey=default", "missingkey=error", "missingkey=zero"} {
			var want, got bytes.Buffer
			theirs, wantErr := gotemplate.New("t").Option(option).Parse(source)
			ours, err := template.New("t").Option(option).Parse(source)
			require.Equal(t, fmt.Sprint(wantErr), fmt.Sprint(err), source)
			wantErr = theirs.Execute(&want, data)
			err = ours.Execute(&got, data)
			wantText, text := fmt.Sprint(wantErr), fmt.Sprint(err)
			// Our message has the dynamic type instead of interface {}.
			if before, found := strings.CutSuffix(wantText, "in type interface {}"); found {
				text, _, _ = strings.Cut(text, "in type ")
				wantText = before
			}
			require.Equal(t, wantText, text, source)
			require.Equal(t, want.String(), got.String(), source)
			require.Equal(t, errors.As(wantErr, new(gotemplate.ExecError)), errors.As(err, new(template.ExecError)))
		}
	}
}

// Every path from a value of a package that cells may use to something that reaches memory contains a name that
// templates guard.
func TestGuardsKnowAllNames(t *testing.T) {
	ways := 0
	seen := map[reflect.Type]bool{}
	var walk func(typ reflect.Type, from string)
	check := func(name string, typ reflect.Type, from string) {
		if template.Reaches(typ) {
			ways++
			require.True(t, template.Leads(name), "%s.%s of type %s is not guarded", from, name, typ)
			return
		}
		walk(typ, from+"."+name)
	}
	walk = func(typ reflect.Type, from string) {
		if seen[typ] {
			return
		}
		seen[typ] = true
		for m := range typ.Methods() {
			if !m.IsExported() {
				continue
			}
			for out := range m.Type.Outs() {
				check(m.Name, out, from)
			}
		}
		switch typ.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Chan:
			walk(typ.Elem(), from)
		case reflect.Map:
			walk(typ.Key(), from)
			walk(typ.Elem(), from)
		case reflect.Func:
			for out := range typ.Outs() {
				walk(out, from)
			}
		case reflect.Struct:
			walk(reflect.PointerTo(typ), from)
			for f := range typ.Fields() {
				if f.IsExported() {
					check(f.Name, f.Type, from)
				}
			}
		}
	}
	for _, path := range stdlib.Compiled() {
		for name, v := range symbols.Table(path) {
			walk(v.Type(), path+"."+name)
		}
	}
	walk(reflect.TypeOf(reflect.TypeFor[int]()), "reflect.Type")
	require.Greater(t, ways, 10)
}
