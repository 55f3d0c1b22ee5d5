package lower

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/gorlm/rlm/repl/internal/cell"
	"github.com/gorlm/rlm/repl/internal/engine/yaegi/dyn"
)

// If a statement reads a value and calls a function that changes it, Go leaves open which happens first. The
// compiler mostly reads after all calls, the interpreter goes from left to right. So a statement is refused if, to
// the left of a call that may change it, it reads a shared variable, an element, or a value behind a pointer.
const openOrder = "Go leaves open which comes first, and the interpreter's order is not the compiler's"

// checkOrder checks the expressions of a statement, but not those of nested statements.
func (f *fn) checkOrder(s ast.Stmt) {
	if f.std || s == nil {
		return
	}
	o := &evaluation{fn: f, stmt: s}
	switch s := s.(type) {
	case *ast.AssignStmt:
		for _, l := range s.Lhs {
			if written(f, l, s.Tok) {
				o.places = append(o.places, ast.Unparen(l))
			}
		}
	case *ast.TypeSwitchStmt:
		f.checkOrder(s.Assign)
	case *ast.SwitchStmt:
		for _, c := range s.Body.List {
			for _, e := range c.(*ast.CaseClause).List {
				ast.Inspect(e, o.look)
			}
		}
	}
	ast.Inspect(s, o.look)
}

// written reports whether an assignment to a place either does not read the place or, like the compiler, reads it
// after all calls.
func written(f *fn, place ast.Expr, tok token.Token) bool {
	switch {
	case tok == token.ASSIGN || tok == token.DEFINE:
		return true
	case isIdent(place) || tok == token.QUO_ASSIGN || tok == token.REM_ASSIGN:
		return false
	}
	return f.simplePlace(place)
}

// evaluation walks a statement's expressions from left to right.
type evaluation struct {
	*fn
	stmt   ast.Stmt
	places []ast.Expr // places that the statement only writes, or that it reads after all calls
	reads  []ast.Expr // reads so far that a call may change
	callee ast.Expr   // the function of the current call
}

func (o *evaluation) look(n ast.Node) bool {
	switch n := n.(type) {
	case ast.Stmt:
		return n == o.stmt
	case *ast.FuncLit:
		return false
	case *ast.CallExpr:
		o.call(n)
		return false
	case *ast.Ident:
		if _, ok := o.info.Uses[n].(*types.Var); ok {
			o.read(n)
		}
	case *ast.SelectorExpr:
		s := o.info.Selections[n]
		if s != nil && (s.Kind() == types.FieldVal ||
			s.Kind() == types.MethodVal && n != o.callee && s.Indirect() && !wantsPointer(s)) {
			o.read(n)
		}
		if s != nil && (lent(o.info, n) == nil || !isIdent(n.X)) {
			ast.Inspect(n.X, o.look)
		}
		return false
	case *ast.IndexExpr:
		if t := o.info.TypeOf(n.X).Underlying(); !isFunc(t) && basicOf(t) == nil { // a string's bytes cannot change
			o.read(n)
		}
	case *ast.StarExpr:
		o.read(n)
	}
	return true
}

// call visits a call. A function gets its arguments before it runs, so calls further right cannot change them. This
// does not hold for conversions and builtins.
func (o *evaluation) call(n *ast.CallExpr) {
	if changes(o.info, n) {
		o.crossed(n)
	}
	before := len(o.reads)
	o.callee = ast.Unparen(n.Fun)
	for _, e := range append([]ast.Expr{n.Fun}, n.Args...) {
		ast.Inspect(e, o.look)
	}
	if !o.info.Types[n.Fun].IsType() && !o.info.Types[n.Fun].IsBuiltin() {
		o.reads = o.reads[:before]
	}
	if isNamed(n.Fun, "len") && isMap(o.under(n.Args[0])) || textOfElements(o.info, n) {
		o.reads = append(o.reads, n)
	}
}

// textOfElements reports whether a call converts a slice to a string.
func textOfElements(info *types.Info, n *ast.CallExpr) bool {
	if !info.Types[n.Fun].IsType() || basicOf(info.TypeOf(n.Fun).Underlying()) == nil {
		return false
	}
	_, slice := info.TypeOf(n.Args[0]).Underlying().(*types.Slice)
	return slice
}

// read records an expression that reads memory outside of variables, a shared variable, or a variable that a later
// cell may share.
func (o *evaluation) read(e ast.Expr) {
	if slices.Contains(o.places, e) || o.info.Types[e].IsType() {
		return
	}
	if v := root(o.info, e); v == nil || o.shared[variableKey(v)] || isGlobal(v) && !o.entry {
		o.reads = append(o.reads, e)
	}
}

// crossed checks the reads to the left of a call that may change what they read. If a function reads a variable
// that is not shared, crossed records that, because a later cell may share the variable and run the function again.
func (o *evaluation) crossed(call *ast.CallExpr) {
	for _, e := range o.reads {
		if e.Pos() <= call.Pos() && call.End() <= e.End() {
			continue // e is read after the call
		}
		v := root(o.info, e)
		if v == nil || o.shared[variableKey(v)] {
			refuse(e.Pos(), "a value that is read beside a call that may change it", openOrder,
				"put "+nameOf(e)+" into a variable first")
		}
		remember(o.unit, o.trusted, variableKey(v), true)
	}
}

// changes reports whether a call may change the caller's memory. That is so if it runs a function of a cell, or
// compiled code that receives such a function, an address or a byte slice.
func changes(info *types.Info, call *ast.CallExpr) bool {
	if info.Types[call.Fun].IsType() {
		return false
	}
	if id, ok := ast.Unparen(call.Fun).(*ast.Ident); ok && info.Types[call.Fun].IsBuiltin() {
		return id.Name == "delete" || id.Name == "clear" || id.Name == "copy" || id.Name == "append"
	}
	o := calleeFunc(info, call.Fun)
	switch {
	case o == nil, dyn.UserPackage(o.Pkg()), lent(info, ast.Unparen(call.Fun)) != nil:
		return true
	case o.Pkg() == nil: // the method Error of an error
		return false
	}
	if slices.Contains(writers, o.Pkg().Path()) {
		return true
	}
	reader := o.Pkg().Path() == "bytes" && o.Signature().Recv() == nil
	return slices.ContainsFunc(call.Args, func(a ast.Expr) bool {
		t := info.TypeOf(a).Underlying()
		_, pointer := t.(*types.Pointer)
		return isFunc(t) || pointer || lent(info, ast.Unparen(a)) != nil ||
			!reader && types.Identical(t, types.NewSlice(types.Typ[types.Byte]))
	})
}

// writers lists the packages whose functions change elements of their arguments.
var writers = []string{
	"sort", "slices", "maps", "math/rand", "math/rand/v2", "container/heap", "container/list",
	"container/ring",
}

func nameOf(e ast.Expr) string {
	if len(types.ExprString(e)) > 40 {
		return "the value"
	}
	return cell.Display(types.ExprString(e))
}
