package tool

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"strings"

	"github.com/gorlm/rlm/internal/builtins"
	"github.com/gorlm/rlm/internal/kit/text"
	"github.com/gorlm/rlm/runner/internal/schema"
)

// Outside is a tool of another program as declared in a notebook. It is plain data and stored in the log, so that
// cells that call it compile even without the program.
type Outside struct {
	Server     string        `json:"server"`
	Tool       string        `json:"tool"` // the server's name for the tool
	Spec       builtins.Spec `json:"spec"`
	Fields     []string      `json:"fields,omitempty"` // the property that each parameter fills; empty: all others
	Text       bool          `json:"text,omitempty"`   // the tool's result is text
	Repeatable bool          `json:"repeatable,omitempty"`
	Refused    bool          `json:"refused,omitempty"` // calls are refused; there is no documentation
}

// ForeignTool is a server's description of one of its tools. None of it is trusted.
type ForeignTool struct {
	Server, Tool, Doc string
	Note              string // the host's remark about the tool
	Refused           bool   // calls of it are refused
	Input, Output     json.RawMessage
	Repeatable        bool
}

// Bounds of what one tool may add to a notebook and a prompt.
const (
	mostTypes = 8000 // bytes of declarations
	mostDoc   = 1500 // bytes of the tool's description
)

// Declare gives a foreign tool a name and Go types. taken holds the identifiers that are in use, and gets those of
// the tool. A schema that no Go type can express becomes a map or any.
func Declare(f ForeignTool, taken map[string]bool) Outside {
	o := Outside{Server: f.Server, Tool: f.Tool, Repeatable: f.Repeatable}
	o.Spec = builtins.Spec{Name: nameOf(f, taken), Impl: builtins.ImplTool}
	Reserve(taken, o.Spec.Name)
	prefix := typePrefix(o.Spec.Name)
	input, output := o.input(f, prefix, taken), o.output(f, prefix, taken)
	Reserve(taken, typesIn(o.Spec.Types)...)
	if !o.compiles() || len(o.Spec.Types) > mostTypes {
		o.Spec.Types = ""
		if input {
			o.Spec.Params, o.Fields = []string{"arguments map[string]any"}, []string{""}
		}
		if output {
			o.Spec.Results = []string{"any"}
		}
	}
	o.Document(f)
	return o
}

// Document writes the tool's documentation for a model. There is none if calls of the tool are refused.
func (o *Outside) Document(f ForeignTool) {
	o.Refused, o.Spec.Doc = f.Refused, ""
	if !f.Refused {
		o.Spec.Doc = o.document(f)
	}
}

// input declares the parameters. It reports whether there are any.
func (o *Outside) input(f ForeignTool, prefix string, taken map[string]bool) bool {
	s, err := schema.Foreign(string(f.Input))
	if err != nil {
		o.Spec.Params, o.Fields = []string{"arguments map[string]any"}, []string{""}
		return true
	}
	fn := s.Params(prefix, taken)
	o.Spec.Params, o.Fields, o.Spec.Types = fn.Params, fn.Fields, fn.Types
	return len(fn.Params) > 0
}

// output declares the result, which is text if there is no schema.
func (o *Outside) output(f ForeignTool, prefix string, taken map[string]bool) bool {
	if len(f.Output) == 0 {
		o.Text, o.Spec.Results = true, []string{"string"}
		return false
	}
	s, err := schema.Foreign(string(f.Output))
	if err != nil {
		o.Spec.Results = []string{"any"}
		return true
	}
	fn := s.Value(prefix, taken)
	o.Spec.Results = []string{fn.Result}
	o.Spec.Types = strings.TrimSpace(o.Spec.Types + "\n" + fn.Types)
	return true
}

// compiles reports whether the declarations and the signature are valid Go.
func (o *Outside) compiles() bool {
	source := fmt.Sprintf("package p\n%s\nfunc _(%s) (%s) { panic(0) }\n", o.Spec.Types,
		strings.Join(o.Spec.Params, ", "), strings.Join(o.Spec.Results, ", "))
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "tool.go", source, 0)
	if err != nil {
		return false
	}
	_, err = new(types.Config).Check("p", fset, []*ast.File{file}, nil)
	return err == nil
}

// document returns the documentation of the tool as a model sees it: the signature, the server, the types, and the
// server's description, quoted.
func (o *Outside) document(f ForeignTool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s(%s) %s\n", o.Spec.Name, strings.Join(o.Spec.Params, ", "), strings.Join(o.Spec.Results, ", "))
	fmt.Fprintf(&b, "The tool %s of the MCP server %s.", text.Line(f.Tool, 130), text.Line(f.Server, 60))
	if f.Note != "" {
		b.WriteString(" " + f.Note)
	}
	if words := text.Line(f.Doc, mostDoc); words != "" {
		fmt.Fprintf(&b, " Its words: %q", words)
	}
	for line := range strings.Lines(o.Spec.Types) {
		if code, tag, ok := strings.Cut(line, " `json:"); ok {
			_, comment, _ := strings.Cut(tag, "`")
			line = code + comment
		}
		b.WriteString("\n" + strings.TrimSpace(line))
	}
	return defanged.Replace(b.String())
}

// defanged replaces parts of a server's text that would have a meaning in the documentation of builtins.
var defanged = strings.NewReplacer("{{", "{ {", "}}", "} }", "[COMPLETION SIGNAL]", "(completion signal)")

// Arguments converts the list of arguments of a call to the tool's argument object.
func (o *Outside) Arguments(body []byte) (json.RawMessage, error) {
	var list []json.RawMessage
	if err := json.Unmarshal(body, &list); err != nil {
		return nil, fmt.Errorf("the arguments cannot be read: %w", err)
	}
	if len(list) != len(o.Fields) {
		return nil, fmt.Errorf("the tool takes %d arguments, and there are %d", len(o.Fields), len(list))
	}
	args := map[string]json.RawMessage{}
	for i, field := range o.Fields {
		if field != "" {
			args[field] = list[i]
			continue
		}
		if err := spread(list[i], strings.Contains(o.Spec.Params[i], " ..."), args); err != nil {
			return nil, err
		}
	}
	return json.Marshal(args)
}

// Check checks arguments against the schema of a tool's input, and returns them in the form to send.
func Check(input, args json.RawMessage) (json.RawMessage, error) {
	s, err := schema.Foreign(string(input))
	if err != nil {
		return args, nil // without a usable schema anything is allowed
	}
	out, err := s.Arguments(args)
	if err != nil {
		return nil, fmt.Errorf("the arguments are not what the tool takes: %w", err)
	}
	return out, nil
}

// spread adds the properties of an object to the arguments; options are a list of at most one object.
func spread(raw json.RawMessage, variadic bool, args map[string]json.RawMessage) error {
	if variadic {
		var options []json.RawMessage
		if err := json.Unmarshal(raw, &options); err != nil {
			return fmt.Errorf("the options cannot be read: %w", err)
		}
		switch len(options) {
		case 0:
			return nil
		case 1:
			raw = options[0]
		default:
			return errors.New("give all options in one value")
		}
	}
	if err := json.Unmarshal(raw, &args); err != nil {
		return fmt.Errorf("the arguments cannot be read: %w", err)
	}
	return nil
}

// ReserveSpec marks the identifiers of a builtin.
func ReserveSpec(taken map[string]bool, s builtins.Spec) {
	Reserve(taken, s.Name)
	Reserve(taken, typesIn(s.Types)...)
}
