package check

import (
	"bytes"
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"strings"

	"github.com/gorlm/rlm/internal/kit/startup"
)

var (
	inCall  = startup.Regexp(`in (?:call|argument) to (\w+)\b`)
	returns = startup.Regexp(`^assignment mismatch: .* but (\w+)(?:\(.*\))? returns \d+ values?$`)
	aValue  = startup.Regexp(`(?:^|[ (])(\w+) \(value of type func\(`)
	toValue = startup.Regexp(`^cannot assign to (\w+) `)
)

// usage returns advice if a function of the host is mentioned without a call, or called wrongly.
func (r *reporter) usage(e types.Error, msg string) string {
	if m := toValue().FindStringSubmatch(msg); m != nil && r.builtin(m[1]) != "" {
		return m[1] + " is a builtin function; a variable of that name is declared with " + m[1] + " := …"
	}
	for _, pattern := range []*regexp.Regexp{inCall(), returns()} {
		if m := pattern.FindStringSubmatch(msg); m != nil && r.builtin(m[1]) != "" {
			return "it is called like this: " + r.builtin(m[1])
		}
	}
	name := r.hostFuncAt(e.Pos)
	if m := aValue().FindStringSubmatch(msg); m != nil {
		name = m[1]
	}
	if strings.Contains(msg, "func") && r.builtin(name) != "" {
		return name + " is a builtin function; it is called like this: " + r.builtin(name)
	}
	return ""
}

// hostFuncAt returns the host's function named at a position; empty if there is none.
func (r *reporter) hostFuncAt(pos token.Pos) string {
	name := ""
	ast.Inspect(r.file, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && id.Pos() == pos {
			if host := r.s.hostObjects[id.Name]; host != nil && r.info.Uses[id] == host.obj {
				name = id.Name
			}
		}
		return name == ""
	})
	return name
}

// plainly shortens a message about a builtin function that is used as a value: it removes the function's type, and
// what is needed to range over a function.
func (r *reporter) plainly(msg string) string {
	m := aValue().FindStringSubmatchIndex(msg)
	if m == nil || r.builtin(msg[m[2]:m[3]]) == "" {
		return msg
	}
	start, depth := m[3]+1, 0
	for i := start; i < len(msg); i++ {
		switch msg[i] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				rest, _, _ := strings.Cut(msg[i+1:], ": func must be")
				return msg[:start] + "(a builtin function)" + rest
			}
		}
	}
	return msg
}

// builtin shows how a function of the host is called; empty if the host has no function of that name, or a cell
// declares one.
func (r *reporter) builtin(name string) string {
	host := r.s.hostObjects[name]
	if host == nil || r.s.visible[name] != nil || r.done.objects[name] != nil {
		return ""
	}
	fn, ok := host.obj.(*types.Func)
	switch {
	case !ok:
		return ""
	case host.usage != "":
		return host.usage
	}
	var b bytes.Buffer
	types.WriteSignature(&b, fn.Signature(), func(p *types.Package) string {
		if p == r.s.host {
			return ""
		}
		return p.Name()
	})
	return name + b.String()
}

// callable reports whether a name that no cell declares means a function.
func (r *reporter) callable(name string) bool {
	if host := r.s.hostObjects[name]; host != nil {
		_, ok := host.obj.(*types.Func)
		return ok
	}
	_, ok := types.Universe.Lookup(name).(*types.Builtin)
	return ok
}
