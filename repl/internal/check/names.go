package check

import (
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ast/astutil"

	"github.com/gorlm/rlm/repl/internal/cell"
	"github.com/gorlm/rlm/repl/internal/stdlib"
)

// resolver replaces every identifier that the cell does not declare by its name in the hoisted file: that of a
// session variable, function or type, of a package (which it imports), or of a builtin.
type resolver struct {
	s *Session
	c *cell.Cell
	// packages are the imports of the file, by local name.
	packages map[string]string
	dots     []string
	errs     cell.Errors
	fset     *token.FileSet
	// hoisted are the names that the cell's statements declare at top level.
	hoisted map[string]bool
	// quoted holds identifiers that became string literals, with their original text.
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

// explicitImports checks the cell's own imports and returns them by local name.
func (r *resolver) explicitImports() map[string]string {
	out := maps.Clone(r.s.aliases)
	if out == nil {
		out = map[string]string{}
	}
	r.dots = slices.Clone(r.s.dots)
	for _, spec := range r.c.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		if err != nil || !stdlib.Allowed(path) {
			r.errs = append(r.errs, r.c.ErrorAt(
				spec.Path.Pos(), "package "+path+" is not available in cells", unavailable(path)))
			continue
		}
		switch {
		case spec.Name == nil:
			out[stdlib.Name(path)] = path
		case spec.Name.Name == ".":
			if !slices.Contains(r.dots, path) {
				r.dots = append(r.dots, path)
			}
		case spec.Name.Name != "_":
			out[spec.Name.Name] = path
		}
	}
	return out
}

// instead maps packages that cells cannot import, but often try to, to alternatives.
var instead = map[string]string{
	"reflect":       "use a type switch, or %T and %v of fmt",
	"html/template": "use text/template and its function html, or html.EscapeString",
	"path/filepath": "use path; cells have no files",
	"io/ioutil":     "use io; cells have no files: the text is in the variable context",
	"net/http":      "cells have no network",
	"os/exec":       "cells cannot start programs", "runtime": "cells need nothing of it",
	"unsafe":      "use ordinary conversions",
	"crypto/rand": "use math/rand", "encoding/gob": "use encoding/json", "testing": "check with if and panic",
	"unique": "use a map to share equal values", "io/fs": "cells have no files", "log/slog": "use fmt.Println or log",
	"embed": "cells have no files",
}

func unavailable(path string) string {
	var b strings.Builder
	if advice, ok := instead[path]; ok {
		b.WriteString(advice + "\n")
	} else if host, _, _ := strings.Cut(path, "/"); strings.Contains(host, ".") {
		b.WriteString("only packages of the standard library can be imported\n")
	}
	b.WriteString("available: " + strings.Join(stdlib.Packages, " "))
	return b.String()
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
// declarations, and for names of earlier cells it has none.
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

// packageUse reports whether id.member means a package's member, and imports the package if so. A variable with
// the package's name wins if it has a field or method of this name.
func (r *resolver) packageUse(id *ast.Ident, member string, explicit map[string]string) bool {
	path, ok := explicit[id.Name]
	if !ok {
		if path, ok = stdlib.ByName(id.Name); !ok {
			return false
		}
		path = r.v2(path, member)
	}
	variable := r.hoisted[id.Name]
	sym := r.s.visible[id.Name]
	if sym != nil || variable || r.s.hostObjects[id.Name] != nil {
		pkg, err := r.s.importer.Import(path)
		if err != nil || pkg.Scope().Lookup(member) == nil || !token.IsExported(member) {
			return false
		}
		if sym != nil && !variable && hasMember(sym.Obj, member) {
			return false
		}
	}
	id.Name = r.use(id.Name, path)
	return true
}

const randV1, randV2 = "math/rand", "math/rand/v2"

// v2 chooses math/rand/v2 for names that only it has, and for generators if r.generators is set.
func (r *resolver) v2(path, member string) string {
	if path != randV1 {
		return path
	}
	if r.generators && slices.Contains([]string{"New", "NewZipf", "Rand", "Source", "Zipf"}, member) ||
		r.has(randV2, member) && !r.has(randV1, member) {
		return randV2
	}
	return path
}

func (r *resolver) has(path, member string) bool {
	pkg, err := r.s.importer.Import(path)
	return err == nil && pkg.Scope().Lookup(member) != nil
}

// usesRandV2 reports whether generators are those of math/rand/v2. The cell's import of rand decides; without one,
// names used in the cell that only one of the two packages has; without those, the last cell.
func (r *resolver) usesRandV2(imported string) bool {
	if imported != "" {
		return imported == randV2
	}
	var first, second bool
	look := func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		member := sel.Sel.Name
		if id, ok := sel.X.(*ast.Ident); ok && id.Name == "rand" && r.c.Unresolved[id] {
			switch one, two := r.has(randV1, member), r.has(randV2, member); {
			case member == "NewSource":
				first = true
			case two && !one:
				second = true
			}
		}
		return true
	}
	ast.Inspect(r.c.File, look)
	ast.Inspect(r.c.Body, look)
	return !first && (second || r.s.generators)
}

func hasMember(obj types.Object, member string) bool {
	found, _, _ := types.LookupFieldOrMethod(obj.Type(), true, obj.Pkg(), member)
	return found != nil
}

// use imports the package into the file and returns its local name.
func (r *resolver) use(name, path string) string {
	for {
		if have, ok := r.packages[name]; ok && have == path {
			return name
		} else if !ok && r.s.free(name) && r.c.File.Scope.Lookup(name) == nil {
			r.packages[name] = path
			return name
		}
		name += cell.Mark + "1"
	}
}

// plain renames an identifier that refers to something in the session.
func (r *resolver) plain(id *ast.Ident, called bool) {
	if r.hoisted[id.Name] && r.c.InDeclaration(id) {
		return // in functions the identifier means the cell's variable
	}
	sym := r.s.visible[id.Name]
	if sym == nil {
		if r.s.hostObjects[id.Name] == nil && !r.s.free(id.Name) && !r.hoisted[id.Name] {
			id.Name += cell.Mark // a name that once had a meaning in the session, and has none now
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

// keys marks those keys of a map or list literal that nothing in the cell declares; the keys of a struct literal
// are field names.
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

// keyed reports whether the keys of a literal of type t are expressions.
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
