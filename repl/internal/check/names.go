package check

import (
	"go/ast"
	"go/token"
	"go/types"
	"strconv"

	"golang.org/x/tools/go/ast/astutil"

	"github.com/gorlm/rlm/repl/internal/cell"
	"github.com/gorlm/rlm/repl/internal/stdlib"
)

// resolver replaces every identifier that the cell does not declare by its name in the hoisted file: that of a
// session's variable, function or type, of a package (which the resolver imports), or of a builtin.
type resolver struct {
	s *Session
	c *cell.Cell
	// packages maps the local names of the file's imports to their paths.
	packages map[string]string
	dots     []string
	errs     cell.Errors
	fset     *token.FileSet
	// hoisted contains the names that the cell's statements declare at top level.
	hoisted map[string]bool
	// quoted maps identifiers that became string literals to their original text.
	quoted map[ast.Expr]string
	// generators means that rand.New, rand.Rand and similar names are those of math/rand/v2.
	generators bool
	// dotUses maps each identifier that means a member of a dot-imported package to that package.
	dotUses map[*ast.Ident]string
}

func (s *Session) resolve(c *cell.Cell) (*resolver, cell.Errors) {
	r := &resolver{
		s: s, c: c, packages: map[string]string{}, fset: s.fset, quoted: map[ast.Expr]string{},
		dotUses: map[*ast.Ident]string{}, hoisted: c.TopLevelVars(),
	}
	explicit := r.explicitImports()
	if len(r.errs) > 0 {
		return nil, r.errs
	}
	r.generators = r.usesRandV2(explicit["rand"])
	done := map[*ast.Ident]bool{}
	calls := map[*ast.Ident]bool{}
	ast.Inspect(c.File, func(n ast.Node) bool { r.node(n, explicit, done, calls); return true })
	ast.Inspect(c.Body, func(n ast.Node) bool { r.node(n, explicit, done, calls); return true })
	for id := range c.Unresolved {
		if !done[id] && !r.dotUse(id) {
			r.plain(id, calls[id])
		}
	}
	r.writeDots()
	return r, r.errs
}

// dotUse reports whether an identifier means a member of a dot-imported package. Names of the session and the
// host take precedence.
func (r *resolver) dotUse(id *ast.Ident) bool {
	if r.hoisted[id.Name] || r.s.visible[id.Name] != nil || r.s.hostObjects[id.Name] != nil ||
		!token.IsExported(id.Name) {
		return false
	}
	for _, path := range r.dots {
		pkg, err := r.s.importer.Import(path)
		if err == nil && pkg.Scope().Lookup(id.Name) != nil {
			r.dotUses[id] = path
			return true
		}
	}
	return false
}

// writeDots qualifies the names from dot imports, so that no file of the session needs a dot import.
func (r *resolver) writeDots() {
	if len(r.dotUses) == 0 {
		return
	}
	replace := func(c *astutil.Cursor) bool {
		if id, ok := c.Node().(*ast.Ident); ok && r.dotUses[id] != "" {
			path := r.dotUses[id]
			c.Replace(&ast.SelectorExpr{
				X: &ast.Ident{NamePos: id.Pos(), Name: r.use(stdlib.Name(path), path)}, Sel: id,
			})
			return false
		}
		return true
	}
	for _, d := range r.c.File.Decls {
		astutil.Apply(d, replace, nil)
	}
	astutil.Apply(r.c.Body, replace, nil)
}

func (r *resolver) node(n ast.Node, explicit map[string]string, done, calls map[*ast.Ident]bool) {
	switch n := n.(type) {
	case *ast.SelectorExpr:
		if id, ok := n.X.(*ast.Ident); ok && r.c.Unresolved[id] && r.packageUse(id, n.Sel.Name, explicit) {
			done[id] = true
		}
	case *ast.CallExpr:
		if id, ok := ast.Unparen(n.Fun).(*ast.Ident); ok && r.c.Unresolved[id] {
			calls[id] = true
			r.quoteNames(id, n)
		}
	case *ast.CompositeLit:
		r.keys(n)
	case *ast.TypeSpec:
		n.Type = indirect(n.Type)
	}
}

// indirect puts a type name in parentheses: when go/types looks for cycles, it follows plain names to their
// declarations, but a name from an earlier cell has none there.
func indirect(t ast.Expr) ast.Expr {
	if id, ok := t.(*ast.Ident); ok {
		return &ast.ParenExpr{Lparen: id.Pos(), X: id, Rparen: id.End()}
	}
	return t
}

// quoteNames rewrites FINAL_VAR(x) as FINAL_VAR("x").
func (r *resolver) quoteNames(callee *ast.Ident, call *ast.CallExpr) {
	nat := r.s.hostObjects[callee.Name]
	if nat == nil || !nat.byName {
		return
	}
	for i, arg := range call.Args {
		if id, ok := ast.Unparen(arg).(*ast.Ident); ok {
			delete(r.c.Unresolved, id)
			lit := &ast.BasicLit{ValuePos: id.Pos(), Kind: token.STRING, Value: strconv.Quote(id.Name)}
			call.Args[i], r.quoted[lit] = lit, id.Name
		}
	}
}

// plain renames an identifier that refers to something in the session.
func (r *resolver) plain(id *ast.Ident, called bool) {
	if r.hoisted[id.Name] && r.c.InDeclaration(id) {
		return // in a function, the identifier means the cell's variable
	}
	sym := r.s.visible[id.Name]
	if sym == nil {
		if r.s.hostObjects[id.Name] == nil && !r.s.free(id.Name) && !r.hoisted[id.Name] {
			id.Name += cell.Mark // the name had a meaning in an earlier cell, but has none now
		}
		return
	}
	if sym.Obj.Name() == id.Name {
		return
	}
	if called {
		if nat := r.s.hostObjects[id.Name]; nat != nil {
			return
		}
		if _, ok := types.Universe.Lookup(id.Name).(*types.Builtin); ok {
			return
		}
	}
	id.Name = sym.Obj.Name()
}

// keys marks those keys of a map or list literal that the cell does not declare. It leaves struct literals alone,
// because their keys are field names.
func (r *resolver) keys(lit *ast.CompositeLit) {
	if lit.Type == nil || !r.keyed(lit.Type) {
		return
	}
	for _, e := range lit.Elts {
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			if id, ok := kv.Key.(*ast.Ident); ok && id.Obj == nil {
				r.c.Unresolved[id] = true
			}
		}
	}
}

// keyed reports whether the keys of a literal of type t are expressions, not field names.
func (r *resolver) keyed(t ast.Expr) bool {
	switch t := t.(type) {
	case *ast.MapType, *ast.ArrayType:
		return true
	case *ast.Ident:
		if t.Obj != nil {
			spec, ok := t.Obj.Decl.(*ast.TypeSpec)
			return ok && r.keyed(spec.Type)
		}
		if sym := r.s.visible[t.Name]; sym != nil {
			_, isStruct := sym.Obj.Type().Underlying().(*types.Struct)
			return !isStruct
		}
	}
	return false
}
