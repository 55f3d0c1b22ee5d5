package check

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"

	"github.com/gorlm/rlm/repl/internal/cell"
)

// maxConstant bounds the length of a string constant, in bytes: the type checker computes constants, so a few lines
// that keep doubling a string could fill all memory.
const maxConstant = 16 << 20

// constants estimates how long string constants will be, before the type checker computes them.
type constants struct {
	s    *Session
	c    *cell.Cell
	size map[ast.Expr]int
	open map[ast.Expr]bool
}

// longConstants returns an error for a string constant that is too long to be computed.
func (s *Session) longConstants(c *cell.Cell) *cell.Error {
	k := &constants{s: s, c: c, size: map[ast.Expr]int{}, open: map[ast.Expr]bool{}}
	var failed *cell.Error
	visit := func(n ast.Node) bool {
		if e, ok := n.(*ast.BinaryExpr); ok && failed == nil && k.of(e) > maxConstant {
			failed = c.ErrorAt(e.OpPos, fmt.Sprintf("a string constant is longer than %d MB", maxConstant>>20),
				"build long text at run time, with strings.Repeat or a strings.Builder")
		}
		return failed == nil
	}
	for _, d := range c.File.Decls {
		ast.Inspect(d, visit)
	}
	ast.Inspect(c.Body, visit)
	return failed
}

// of returns an upper bound of the length of a string constant; 0 for anything else.
func (k *constants) of(e ast.Expr) int {
	if n, ok := k.size[e]; ok {
		return n
	}
	if k.open[e] {
		return 0
	}
	k.open[e] = true
	n := min(k.measure(e), 2*maxConstant)
	delete(k.open, e)
	k.size[e] = n
	return n
}

func (k *constants) measure(e ast.Expr) int {
	switch e := e.(type) {
	case *ast.BasicLit:
		if e.Kind == token.STRING {
			return len(e.Value)
		}
	case *ast.ParenExpr:
		return k.of(e.X)
	case *ast.BinaryExpr:
		if e.Op == token.ADD {
			return k.of(e.X) + k.of(e.Y)
		}
	case *ast.CallExpr:
		if len(e.Args) == 1 {
			return k.of(e.Args[0])
		}
	case *ast.Ident:
		return k.named(e)
	}
	return 0
}

// named returns the length of a named constant.
func (k *constants) named(id *ast.Ident) int {
	if id.Obj == nil {
		if c, ok := k.s.objects[id.Name].(*types.Const); ok && c.Val().Kind() == constant.String {
			return len(constant.StringVal(c.Val()))
		}
		return 0
	}
	spec, ok := id.Obj.Decl.(*ast.ValueSpec)
	if !ok || id.Obj.Kind != ast.Con {
		return 0
	}
	longest := 0
	for _, v := range spec.Values {
		longest = max(longest, k.of(v))
	}
	return longest
}
