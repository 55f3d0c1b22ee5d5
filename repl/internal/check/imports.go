package check

import (
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/gorlm/rlm/repl/internal/cell"
	"github.com/gorlm/rlm/repl/internal/stdlib"
)

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

// v2 returns math/rand/v2 instead of math/rand for names that only v2 has, and for generators if r.generators is
// set.
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

// usesRandV2 reports whether names of generators, such as rand.New, are those of math/rand/v2. If the cell imports
// rand, the import decides; otherwise the names that it uses and that only one of the two packages has; otherwise
// the last cell.
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
