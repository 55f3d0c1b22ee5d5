package check

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"sort"
	"strconv"
	"strings"

	"github.com/gorlm/rlm/repl/internal/cell"
)

// Call is one call of a builtin that receives its call site.
type Call struct {
	// ID is the number that the call passes to the builtin.
	ID           int
	Line, Column int
	Types        []types.Type
	Text         []string
	// Alone reports whether the call is a statement by itself.
	Alone bool
	// Locals are the local variables that the call passes to the builtin, in order; only for builtins that look up
	// variables by name.
	Locals []*types.Var
	// Visible are the names of all local variables that the call could have meant.
	Visible []string
}

// SiteSuffix marks the form of a builtin that has more parameters: the number of its Call and, if it looks
// variables up by name, the local variables as a []any.
const SiteSuffix = cell.Mark + "s"

// callRewriter rewrites the calls of builtins in a checked file, and updates the type information.
type callRewriter struct {
	s     *Session
	c     *cell.Cell
	done  typedFile
	info  *types.Info
	calls []Call
	next  int
	// quoted maps identifiers that became string literals to their original text.
	quoted map[ast.Expr]string
	// alone contains the calls that are statements by themselves.
	alone map[ast.Expr]bool
}

func (t *callRewriter) node(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.ExprStmt:
		t.alone[ast.Unparen(n.X)] = true
	case *ast.DeferStmt:
		t.alone[n.Call] = true
	case *ast.GoStmt:
		t.alone[n.Call] = true
	}
	call, ok := n.(*ast.CallExpr)
	if !ok {
		return true
	}
	id, ok := ast.Unparen(call.Fun).(*ast.Ident)
	if !ok {
		return true
	}
	obj := t.info.Uses[id]
	nat := t.s.hostObjects[id.Name]
	if nat == nil || nat.sited == nil || obj != nat.obj {
		return true
	}
	t.rewrite(call, id, nat)
	return true
}

func (t *callRewriter) rewrite(call *ast.CallExpr, id *ast.Ident, nat *hostObject) {
	p := t.s.fset.Position(call.Pos())
	site := Call{ID: t.next, Line: p.Line, Column: p.Column, Alone: t.alone[call]}
	t.next++
	for _, arg := range call.Args {
		t.argument(&site, arg, len(call.Args))
	}
	args := []ast.Expr{t.number(call, site.ID)}
	if nat.byName {
		site.Locals, site.Visible = t.locals(call)
		args = append(args, t.values(call, site.Locals))
	}
	call.Args = append(args, call.Args...)
	fun := &ast.Ident{NamePos: id.Pos(), Name: nat.sited.Name()}
	call.Fun = fun
	t.info.Uses[fun] = nat.sited
	t.info.Types[fun] = t.s.modes.value(nat.sited.Type())
	t.calls = append(t.calls, site)
}

// argument records an argument; a call with several results counts as several arguments.
func (t *callRewriter) argument(site *Call, arg ast.Expr, n int) {
	typ := t.info.Types[arg].Type
	if tuple, ok := typ.(*types.Tuple); ok && n == 1 {
		for v := range tuple.Variables() {
			site.Types = append(site.Types, v.Type())
			site.Text = append(site.Text, t.text(arg))
		}
		return
	}
	if typ != nil {
		typ = types.Default(typ)
	}
	site.Types = append(site.Types, typ)
	site.Text = append(site.Text, t.text(arg))
}

// text returns an expression as written in the cell.
func (t *callRewriter) text(e ast.Expr) string {
	if name, ok := t.quoted[e]; ok {
		return name
	}
	return sourceText(t.s.fset, t.c.Source, e)
}

// sourceText returns an expression as written in a cell; empty if the cell does not contain it.
func sourceText(fset *token.FileSet, source string, e ast.Expr) string {
	from, to := fset.Position(e.Pos()), fset.Position(e.End())
	lines := strings.SplitAfter(source, "\n")
	if from.Line < 1 || to.Line > len(lines) || from.Line > to.Line {
		return ""
	}
	text := strings.Join(lines[from.Line-1:to.Line], "")
	start, end := from.Column-1, len(text)-len(lines[to.Line-1])+to.Column-1
	if start < 0 || end > len(text) || start > end {
		return ""
	}
	return text[start:end]
}

func (t *callRewriter) number(call *ast.CallExpr, n int) ast.Expr {
	lit := &ast.BasicLit{ValuePos: call.Lparen, Kind: token.INT, Value: strconv.Itoa(n)}
	t.info.Types[lit] = t.s.modes.constant(constant.MakeInt64(int64(n)))
	return lit
}

// locals returns the local variables in scope of a call (visible), and those that are passed to it: all of them, or
// only those that its string constants name.
func (t *callRewriter) locals(call *ast.CallExpr) (passed []*types.Var, visible []string) {
	wanted := map[string]bool{}
	for _, arg := range call.Args {
		if v := t.info.Types[arg].Value; v != nil && v.Kind() == constant.String {
			wanted[constant.StringVal(v)] = true
		} else {
			wanted = nil
			break
		}
	}
	seen := map[string]bool{}
	for scope := range t.done.scopes(call.Pos()) {
		for _, name := range scope.Names() {
			v, ok := scope.Lookup(name).(*types.Var)
			if !ok || seen[name] || name == "_" || strings.Contains(name, cell.Mark) || v.Pos() >= call.Pos() {
				continue
			}
			if _, at := scope.LookupParent(name, call.Pos()); at != v {
				continue
			}
			seen[name] = true
			visible = append(visible, name)
			if wanted == nil || len(call.Args) == 0 || wanted[name] {
				passed = append(passed, v)
			}
		}
	}
	sort.Strings(visible)
	return passed, visible
}

// values builds []any{locals...}.
func (t *callRewriter) values(call *ast.CallExpr, locals []*types.Var) ast.Expr {
	pos := call.Lparen
	anyType := types.NewInterfaceType(nil, nil)
	elem := &ast.InterfaceType{Interface: pos, Methods: &ast.FieldList{Opening: pos, Closing: pos}}
	list := &ast.ArrayType{Lbrack: pos, Elt: elem}
	lit := &ast.CompositeLit{Type: list, Lbrace: pos, Rbrace: pos}
	t.info.Types[elem] = t.s.modes.typ(anyType)
	t.info.Types[list] = t.s.modes.typ(types.NewSlice(anyType))
	t.info.Types[lit] = t.s.modes.value(types.NewSlice(anyType))
	for _, v := range locals {
		id := &ast.Ident{NamePos: pos, Name: v.Name()}
		t.info.Uses[id] = v
		t.info.Types[id] = t.s.modes.variable(v.Type())
		lit.Elts = append(lit.Elts, id)
	}
	return lit
}
