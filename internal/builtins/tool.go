package builtins

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/types"
	"reflect"
	"strings"

	"github.com/gorlm/rlm/internal/answer"
	"github.com/gorlm/rlm/internal/builtins/internal/typed"
	"github.com/gorlm/rlm/repl"
)

// tool makes a host tool: Go source with the types that the host gave. It calls a hidden function that sends the
// arguments to the host as a JSON list and receives the results as another. An error in the last place is the
// tool's error if the tool returns errors, and a panic if it does not.
func (m *factory) tool(s Spec, b repl.Builtin) ([]repl.Builtin, error) {
	signature, err := parseSignature(s)
	if err != nil {
		return nil, err
	}
	hidden := "_call_" + s.Name
	b.Source = signature.source(s, hidden)
	return []repl.Builtin{{Name: hidden, Fn: m.callTool(s)}, b}, nil
}

// signature holds the types of a tool's parameters and results.
type signature struct {
	params   []param
	results  []string // without a final error
	hasError bool
}

type param struct{ name, typ string }

// parseSignature parses the types of a spec. Parameters without a name get one.
func parseSignature(s Spec) (signature, error) {
	var sig signature
	for i, text := range s.Params {
		p, err := parseParam(text, i)
		if err != nil {
			return sig, fmt.Errorf("parameter %q: %w", text, err)
		}
		sig.params = append(sig.params, p)
	}
	for i, text := range s.Results {
		if _, err := parser.ParseExpr(text); err != nil {
			return sig, fmt.Errorf("result %q is not a Go type: %w", text, err)
		}
		if text == "error" && i == len(s.Results)-1 {
			sig.hasError = true
			continue
		}
		sig.results = append(sig.results, text)
	}
	return sig, nil
}

// parseParam parses "name type" or "type".
func parseParam(text string, i int) (param, error) {
	expr, err := parser.ParseExpr("func(" + text + ")")
	if err != nil {
		return param{}, errors.New("it is neither a Go type nor a name and a Go type")
	}
	list := expr.(*ast.FuncType).Params.List
	if len(list) != 1 || len(list[0].Names) > 1 {
		return param{}, errors.New("it has to be one parameter")
	}
	if len(list[0].Names) == 0 {
		return param{fmt.Sprintf("arg%d", i+1), strings.TrimSpace(text)}, nil
	}
	name := list[0].Names[0].Name
	return param{name, strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(text), name))}, nil
}

// source declares the tool as cells see it.
func (sig signature) source(s Spec, hidden string) string {
	var params, args, fields, returns []string
	for _, p := range sig.params {
		params = append(params, p.name+" "+p.typ)
		args = append(args, p.name)
	}
	for i, r := range sig.results {
		fields = append(fields, fmt.Sprintf("R%d %s", i, r))
		returns = append(returns, fmt.Sprintf("out_.R%d", i))
	}
	results := sig.results
	var b strings.Builder
	if s.Types != "" {
		b.WriteString(s.Types + "\n")
	}
	fail := "panic(err_)"
	if sig.hasError {
		results = append(results[:len(results):len(results)], "error")
		fail = "return " + strings.Join(append(returns[:len(returns):len(returns)], "err_"), ", ")
		returns = append(returns, "nil")
	}
	fmt.Fprintf(&b, "func %s(%s) (%s) {\n", s.Name, strings.Join(params, ", "), strings.Join(results, ", "))
	fmt.Fprintf(&b, "\tvar out_ struct{ %s }\n", strings.Join(fields, "; "))
	fmt.Fprintf(&b, "\tif err_ := %s(%s); err_ != nil {\n\t\t%s\n\t}\n", hidden,
		strings.Join(append([]string{"&out_"}, args...), ", "), fail)
	if len(returns) > 0 {
		fmt.Fprintf(&b, "\treturn %s\n", strings.Join(returns, ", "))
	}
	b.WriteString("}\n")
	return b.String()
}

// callTool is the hidden function below a tool: it fills the fields of the struct that out points to.
func (m *factory) callTool(s Spec) any {
	return func(site *repl.Site, out any, args ...any) error {
		body, err := encodeArgs(site, args)
		if err != nil {
			return failed(s.Name, "%w", err)
		}
		reply, err := m.host.Call(site.Context, Call{Impl: ImplTool, Tool: s.Name, Body: body})
		if err != nil {
			if errors.Is(err, ErrUnwind) || site.Context.Err() != nil {
				unwind(site, err)
			}
			return failed(s.Name, "%w", err)
		}
		results, err := decodeResults(site, reply, out)
		if err != nil {
			return failed(s.Name, "the tool's results cannot be used: %w", err)
		}
		if s.Signal {
			m.finishWithTool(site, s.Name, results, args)
		}
		return nil
	}
}

// encodeArgs renders the arguments as a JSON list, by their static types.
func encodeArgs(site *repl.Site, args []any) ([]byte, error) {
	list := make([]json.RawMessage, len(args))
	for i, arg := range args {
		t := typeOf(site, i+1)
		if t == nil {
			return nil, errors.New("the types of the arguments are not known here")
		}
		raw, err := typed.Encode(reflect.ValueOf(arg), t)
		if err != nil {
			return nil, fmt.Errorf("argument %d: %w", i+1, err)
		}
		list[i] = raw
	}
	return json.Marshal(list)
}

// result is one result of a tool, with its static type.
type result struct {
	value any
	typ   types.Type
}

// ResultNote is the host's remark on a tool's results. It follows them in their list, and the cell gets it as a
// note.
type ResultNote struct {
	Note string `json:"note"`
}

// decodeResults fills the fields of *out, in order, from a JSON list.
func decodeResults(site *repl.Site, reply []byte, out any) ([]result, error) {
	pointer, ok := typeOf(site, 0).(*types.Pointer)
	if !ok {
		return nil, errors.New("the types of the results are not known here")
	}
	fields := pointer.Elem().Underlying().(*types.Struct)
	var list []json.RawMessage
	if fields.NumFields() > 0 {
		if err := json.Unmarshal(reply, &list); err != nil {
			return nil, err
		}
	}
	if n := fields.NumFields(); n > 0 && len(list) == n+1 {
		var said ResultNote
		if json.Unmarshal(list[n], &said) == nil && said.Note != "" {
			site.Note(said.Note)
			list = list[:n]
		}
	}
	if len(list) != fields.NumFields() {
		return nil, fmt.Errorf("there are %d, and %d were promised", len(list), fields.NumFields())
	}
	target := reflect.ValueOf(out).Elem()
	var results []result
	for i, raw := range list {
		if err := typed.Unmarshal(raw, fields.Field(i).Type(), target.Field(i)); err != nil {
			return nil, err
		}
		results = append(results, result{target.Field(i).Interface(), fields.Field(i).Type()})
	}
	return results, nil
}

// finishWithTool ends the run with the results of a completion tool, or with its arguments if it has no results.
func (m *factory) finishWithTool(site *repl.Site, name string, results []result, args []any) {
	if len(results) == 0 {
		for i, arg := range args {
			results = append(results, result{arg, typeOf(site, i+1)})
		}
	}
	texts := make([]string, len(results))
	for i, r := range results {
		texts[i] = site.Format(r.value, r.typ)
	}
	site.Final(answer.FinalOutput{Type: answer.Direct, Answer: strings.Join(texts, "\n"), Signal: name})
}
