package check

import (
	"go/ast"
	"go/parser"
	"go/types"
	"maps"
	"slices"
	"strings"

	"github.com/gorlm/rlm/repl/internal/cell"
	"github.com/gorlm/rlm/repl/internal/engine"
)

// Suggestion is a name that may be used at some point in the next cell.
type Suggestion struct {
	Name   string
	Kind   string // variable, builtin, function, type, constant, package, field, method
	Detail string // the type or signature; a package's path
}

// Suggest lists, in order, what may follow an operand and a dot; for the empty operand, every name with a
// meaning in the next cell.
func (s *Session) Suggest(operand string) []Suggestion {
	if operand != "" {
		var out []Suggestion
		for _, obj := range s.members(operand) {
			out = append(out, suggestion(obj.Name(), obj))
		}
		return out
	}
	found := map[string]Suggestion{}
	for name, path := range s.packageNames() {
		found[name] = Suggestion{name, "package", path}
	}
	for name, host := range s.hostObjects {
		found[name] = suggestion(name, host.obj)
		if sug := found[name]; sug.Kind == "function" {
			sug.Kind = "builtin"
			found[name] = sug
		}
	}
	for name, sym := range s.visible {
		if sym != nil {
			found[name] = suggestion(name, sym.Obj)
		}
	}
	maps.DeleteFunc(found, func(name string, _ Suggestion) bool {
		return strings.HasPrefix(name, "_") || strings.Contains(name, cell.Mark)
	})
	return slices.SortedFunc(maps.Values(found), func(a, b Suggestion) int { return strings.Compare(a.Name, b.Name) })
}

// Signature returns the signature of the function that an expression calls; nil if it is not a function.
func (s *Session) Signature(called string) *types.Signature {
	expr, err := parser.ParseExpr(called)
	if err != nil {
		return nil
	}
	if sel, ok := expr.(*ast.SelectorExpr); ok {
		if id, ok := sel.X.(*ast.Ident); ok {
			if pkg := s.packageOf(id.Name); pkg != nil {
				obj := pkg.Scope().Lookup(sel.Sel.Name)
				if obj == nil || !obj.Exported() {
					return nil
				}
				sig, _ := obj.Type().Underlying().(*types.Signature)
				return sig
			}
		}
	}
	t := s.typeOf(expr, s.scope(expr))
	if t == nil {
		return nil
	}
	sig, _ := t.Underlying().(*types.Signature)
	return sig
}

func suggestion(name string, obj types.Object) Suggestion {
	out := Suggestion{Name: name, Detail: TypeText(obj.Type())}
	switch obj := obj.(type) {
	case *types.TypeName:
		out.Kind, out.Detail = "type", TypeText(obj.Type().Underlying())
	case *types.Const:
		out.Kind, out.Detail = "constant", out.Detail+" = "+obj.Val().String()
	case *types.Func:
		out.Kind = "function"
		if obj.Signature().Recv() != nil {
			out.Kind = "method"
		}
	case *types.Var:
		out.Kind = "variable"
		if obj.IsField() {
			out.Kind = "field"
		}
	default:
		out.Kind = "variable"
	}
	return out
}

// longestType bounds the text of a type, in bytes.
const longestType = 300

// TypeText returns a type as a cell would write it, truncated if it is long.
func TypeText(t types.Type) string {
	text := types.TypeString(t, func(p *types.Package) string {
		if p.Path() == engine.HostPath || p.Name() == "main" {
			return ""
		}
		return p.Name()
	})
	text = cell.Display(text)
	if len(text) > longestType {
		text = strings.ToValidUTF8(text[:longestType], "") + "…"
	}
	return text
}
