package check

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"github.com/gorlm/rlm/internal/kit/startup"
)

var (
	ofAny    = startup.Regexp(`\btypes? .*\bany\b|on interface|interface type`)
	asserted = startup.Regexp(`^cannot use (\S{1,40}) \(.*\) as (\S+) value in .*: need type assertion$`)
)

// untyped returns advice for an operation that an interface value does not support, but its dynamic type may.
func (r *reporter) untyped(e types.Error, msg string) string {
	if m := asserted().FindStringSubmatch(msg); m != nil {
		return "assert its type: " + m[1] + ".(" + m[2] + ")"
	}
	if !ofAny().MatchString(msg) {
		return ""
	}
	var found string
	ast.Inspect(r.file, func(n ast.Node) bool {
		if found != "" || n == nil || n.Pos() > e.Pos || e.Pos > n.End() {
			return found == ""
		}
		switch n := n.(type) {
		case *ast.IndexExpr:
			if r.empty(n.X) {
				found = r.indexed(n)
			}
		case *ast.SelectorExpr:
			if r.empty(n.X) && n.Sel.Pos() == e.Pos {
				found = "assert the type of the value first: v := x.(T), then v." + n.Sel.Name
			}
		case *ast.RangeStmt:
			if r.empty(n.X) && n.X.Pos() <= e.Pos && e.Pos <= n.X.End() {
				found = "assert the type of the value first: for _, v := range x.([]any), or x.(map[string]any)"
			}
		case *ast.BinaryExpr:
			if (r.empty(n.X) || r.empty(n.Y)) && operation(msg) {
				found = "assert the type of the value first, as in x.(string) or x.(float64); numbers decoded from JSON are float64"
			}
		}
		return true
	})
	return found
}

// empty reports whether an expression is of type any.
func (r *reporter) empty(x ast.Expr) bool {
	t := r.info.TypeOf(x)
	if t == nil {
		return false
	}
	i, ok := t.Underlying().(*types.Interface)
	return ok && i.NumMethods() == 0
}

// operation reports whether a message is about the operands of an operator.
func operation(msg string) bool {
	return strings.Contains(msg, "mismatched types") || strings.Contains(msg, "not defined on")
}

// indexed shows how to index a value of type any.
func (r *reporter) indexed(n *ast.IndexExpr) string {
	as, index := "[]any", "…"
	if b, ok := r.info.TypeOf(n.Index).(*types.Basic); ok && b.Info()&types.IsString != 0 {
		as = "map[string]any"
	}
	switch key := ast.Unparen(n.Index).(type) {
	case *ast.BasicLit:
		index = key.Value
		if key.Kind == token.STRING {
			as = "map[string]any"
		}
	case *ast.Ident:
		index = key.Name
	}
	x := "x"
	if id, ok := ast.Unparen(n.X).(*ast.Ident); ok {
		x = id.Name
	}
	return "a value of type any must be asserted first: " + x + ".(" + as + ")[" + index +
		"]; or decode into a struct with json.Unmarshal"
}
