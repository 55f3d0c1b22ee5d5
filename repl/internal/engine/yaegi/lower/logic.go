package lower

import (
	"fmt"
	"go/ast"
	"go/token"
	"strings"
)

// logic lowers x && y or x || y. The interpreter sometimes evaluates nested ones wrongly, so it never receives any.
// They become if statements before the statement. If anything else must be evaluated first, or if no statement can
// come before it, the if statements are in a function literal.
func (f *fn) logic(e *ast.BinaryExpr) string {
	if f.root {
		return f.logicStatements(e)
	}
	saved := f.out
	f.out = strings.Builder{}
	t := f.logicStatements(e)
	text := strings.TrimSpace(f.out.String())
	f.out = saved
	return fmt.Sprintf("func() bool {\n%s\nreturn %s }()", text, t)
}

// logicStatements writes the if statements and returns the variable with the result.
func (f *fn) logicStatements(e *ast.BinaryExpr) string {
	t := f.fresh("b")
	f.root = true
	f.emit("%s := %s", t, f.value(e.X))
	f.emit("if %s == %v {", t, e.Op == token.LAND)
	f.root = true
	f.emit("%s = %s", t, f.value(e.Y))
	f.emit("}")
	f.root = false
	return t
}
