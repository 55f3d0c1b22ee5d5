package template

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"text/template/parse"

	text "github.com/gorlm/rlm/repl/internal/gotemplate"

	"github.com/gorlm/rlm/internal/kit/startup"
	"github.com/gorlm/rlm/repl/internal/cell"
)

// A template finds fields and methods by their names, so no type check can keep it from a reflect.Value, whose
// methods give access to memory. So the result of every field and method whose name may yield such a type (see
// leads) passes through a guard: .Value.Elem becomes (guard .Value | guard).Elem. A guard returns its argument
// unchanged, except for a reflect.Value: templates unwrap it before they pass it to a function, so the guard
// returns the value inside it.

// guardName is the prefix of the names of guards. Each position has its own guard.
const guardName = "guard" + cell.Mark

// guardPosition describes one guard's position.
type guardPosition struct {
	next string // name of the field that follows; empty if there is none
	// For messages: the text of the operand, and the prefix of a message about whatever the guard receives.
	text, part string
}

func (p guardPosition) guard(v reflect.Value) (reflect.Value, error) {
	switch {
	case !v.IsValid():
	case reaches(v.Type()):
		return v, fmt.Errorf("cells cannot use %s: it has access to memory; hand the template its text", v.Type())
	case p.next != "" && v.Kind() == reflect.Interface && v.IsNil(): // templates would report a missing key instead
		return v, fmt.Errorf("nil pointer evaluating %s.%s", v.Type(), p.next)
	}
	return v, nil
}

var rtype = reflect.TypeOf(reflect.TypeFor[int]())

// reaches reports whether a type gives access to memory: it is, or is composed of, a type of reflect or unsafe
// other than those that only describe types.
func reaches(t reflect.Type) bool {
	switch {
	case t == rtype || t == reflect.TypeFor[reflect.Type]() || t == reflect.TypeFor[reflect.Kind]():
		return false
	case t.PkgPath() == "reflect" || t.Kind() == reflect.UnsafePointer:
		return true
	case t.PkgPath() != "" && t.PkgPath() != "iter":
		return false
	}
	switch t.Kind() {
	case reflect.Map:
		return reaches(t.Key()) || reaches(t.Elem())
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Chan:
		return reaches(t.Elem())
	case reflect.Func:
		for in := range t.Ins() {
			if reaches(in) {
				return true
			}
		}
		for out := range t.Outs() {
			if reaches(out) {
				return true
			}
		}
	}
	return false
}

// leads contains the names of fields and methods that yield values with access to memory, in the types of all
// values that cells can get.
var leads = sync.OnceValue(func() map[string]bool {
	out := map[string]bool{}
	for _, t := range []reflect.Type{rtype, reflect.TypeFor[*json.UnsupportedValueError]()} {
		for m := range t.Methods() {
			out[m.Name] = out[m.Name] || reaches(reflect.FuncOf(nil, outs(m.Type), false))
		}
		for f := range t.Elem().Fields() {
			out[f.Name] = out[f.Name] || f.IsExported() && reaches(f.Type)
		}
	}
	return out
})

func outs(t reflect.Type) (list []reflect.Type) {
	for out := range t.Outs() {
		list = append(list, out)
	}
	return list
}

// guarded adds guards to all trees of a template's set that have no guards yet.
func (s *set) guarded(t *text.Template) {
	s.mu.Lock()
	defer s.mu.Unlock()
	known := len(s.places)
	for _, one := range append(t.Templates(), t) {
		if one.Tree != nil && one.Root != nil && !s.trees[one.Tree] {
			s.trees[one.Tree] = true
			s.list(&tree{one.Name(), one.Tree}, one.Root)
		}
	}
	t.Funcs(s.guards(known))
}

// guards returns the guard functions that the set's trees call, starting at position from.
func (s *set) guards(from int) text.FuncMap {
	out := text.FuncMap{}
	for i, p := range s.places[from:] {
		out[guardName+strconv.Itoa(from+i)] = p.guard
	}
	return out
}

// tree is a template that is being guarded.
type tree struct {
	name string
	*parse.Tree
}

// head returns the beginning of messages about a node.
func (t *tree) head(n parse.Node) string {
	location, context := t.ErrorContext(n)
	return fmt.Sprintf("template: %s: executing %q at <%s>", location, t.name, context)
}

func (s *set) list(t *tree, n *parse.ListNode) {
	if n == nil {
		return
	}
	for _, n := range n.Nodes {
		switch n := n.(type) {
		case *parse.ActionNode:
			s.pipe(t, n.Pipe)
		case *parse.TemplateNode:
			s.pipe(t, n.Pipe)
		case *parse.IfNode:
			s.branch(t, &n.BranchNode)
		case *parse.RangeNode:
			s.branch(t, &n.BranchNode)
		case *parse.WithNode:
			s.branch(t, &n.BranchNode)
		}
	}
}

func (s *set) branch(t *tree, n *parse.BranchNode) {
	s.pipe(t, n.Pipe)
	s.list(t, n.List)
	s.list(t, n.ElseList)
}

func (s *set) pipe(t *tree, n *parse.PipeNode) {
	if n == nil {
		return
	}
	var cmds []*parse.CommandNode
	for _, cmd := range n.Cmds {
		cmds = append(cmds, cmd)
		for i, arg := range cmd.Args {
			at := guardPosition{text: arg.String()}
			guarded, last := s.operand(t, arg)
			switch {
			case !leads()[last]:
			case i == 0:
				cmds = append(cmds, s.guard(arg.Position(), at))
			default:
				guarded = s.inner(guarded, at, false)
			}
			cmd.Args[i] = guarded
		}
	}
	n.Cmds = cmds
}

// guard returns a call of a guard, at the end of a pipeline or with an argument.
func (s *set) guard(pos parse.Pos, at guardPosition, args ...parse.Node) *parse.CommandNode {
	name := parse.NewIdentifier(guardName + strconv.Itoa(len(s.places))).SetPos(pos)
	s.places = append(s.places, at)
	return &parse.CommandNode{NodeType: parse.NodeCommand, Pos: pos, Args: append([]parse.Node{name}, args...)}
}

// inner returns (guard n). If messages about the next field should name the whole operand, it returns (guard n |
// guard), because messages name whatever was evaluated last.
func (s *set) inner(n parse.Node, at guardPosition, named bool) *parse.PipeNode {
	cmds := []*parse.CommandNode{s.guard(n.Position(), at, n)}
	if named {
		cmds = append(cmds, s.guard(n.Position(), at))
	}
	return &parse.PipeNode{NodeType: parse.NodePipe, Pos: n.Position(), Cmds: cmds}
}

// operand returns an operand without its last field and with guards after all other fields, and the name of the
// last field.
func (s *set) operand(t *tree, n parse.Node) (out parse.Node, last string) {
	text := n.String()
	var fields []string
	var upTo func(i int) parse.Node // the operand with its first i fields
	switch n := n.(type) {
	case *parse.PipeNode:
		s.pipe(t, n)
	case *parse.ChainNode:
		n.Node, _ = s.operand(t, n.Node)
		fields, upTo = n.Field, func(i int) parse.Node { c := *n; c.Field = n.Field[:i]; return &c }
	case *parse.FieldNode:
		fields, upTo = n.Ident, func(i int) parse.Node { c := *n; c.Ident = n.Ident[:i]; return &c }
	case *parse.VariableNode:
		fields, upTo = n.Ident[1:], func(i int) parse.Node { c := *n; c.Ident = n.Ident[:i+1]; return &c }
	}
	_, chain := n.(*parse.ChainNode)
	out, begun := n, 0
	behind := func(end int) parse.Node {
		if begun == 0 {
			return upTo(end)
		}
		return &parse.ChainNode{NodeType: parse.NodeChain, Pos: n.Position(), Node: out, Field: fields[begun:end]}
	}
	for i, name := range fields {
		switch {
		case i == len(fields)-1:
			return behind(i + 1), name
		case leads()[name]:
			part := behind(i + 1)
			out, begun = s.inner(part, guardPosition{fields[i+1], text, t.head(part)}, !chain), i+1
		}
	}
	return n, ""
}

var guardCall = startup.Regexp(`(\()?` + guardName + `\d+ | \| ` + guardName + `\d+`)

// plainly rewrites an execution error to read as it would without guards.
func (s *set) plainly(err error) error {
	var failed text.ExecError
	if !errors.As(err, &failed) {
		return err
	}
	msg := failed.Err.Error()
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, p := range s.places {
		if name := guardName + strconv.Itoa(i); strings.Contains(msg, "<"+name) {
			named := regexp.MustCompile("<" + name + `( .*?)?>:( error calling ` + name + ":)?")
			msg = named.ReplaceAllLiteralString(msg, "<"+p.text+">:")
		}
		if rest, ok := strings.CutPrefix(msg, p.part); ok && p.part != "" {
			msg = p.part[:strings.LastIndexByte(p.part, '<')+1] + p.text + ">" + rest
		}
	}
	for {
		at := guardCall().FindStringSubmatchIndex(msg)
		switch {
		case at == nil && msg == failed.Err.Error():
			return err
		case at == nil:
			return text.ExecError{Name: failed.Name, Err: plainError{msg, failed.Err}}
		}
		after := msg[at[1]:]
		if at[2] < at[3] {
			after = unclosed(after)
		}
		msg = msg[:at[0]] + after
	}
}

// unclosed removes the first closing parenthesis that has no opening one.
func unclosed(s string) string {
	open := 0
	for i := range s {
		switch s[i] {
		case '(':
			open++
		case ')':
			if open == 0 {
				return s[:i] + s[i+1:]
			}
			open--
		}
	}
	return s
}

// plainError is an error with another text.
type plainError struct {
	text string
	err  error
}

func (e plainError) Error() string { return e.text }

// Unwrap returns the original error.
func (e plainError) Unwrap() error { return e.err }
