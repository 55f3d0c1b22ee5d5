package check

import (
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/gorlm/rlm/internal/kit/text"
	"github.com/gorlm/rlm/repl/internal/cell"
	"github.com/gorlm/rlm/repl/internal/stdlib"
)

// undefined returns advice for an undefined name, or an undefined member of a package.
func (r *reporter) undefined(e types.Error, name string) string {
	if pkgName, member, ok := strings.Cut(name, "."); ok {
		return r.packageMember(pkgName, member)
	}
	if cell, ok := r.s.lost[name]; ok {
		return "cell " + strconv.Itoa(cell) + " declares " + name + ", but ended before that line"
	}
	if advice := absentPackage(name); advice != "" {
		return advice
	}
	if _, ok := stdlib.ByName(name); ok {
		return name + " is a package; use what is in it, as in " + name + ".Name"
	}
	if line := r.declaredLater(name, e.Pos); line > 0 {
		if r.inConstant(e.Pos) {
			return "constants of a cell come before its variables: declare the constant in a later cell, or with := instead"
		}
		return "it is declared in line " + strconv.Itoa(line) + "; statements of a cell run in order"
	}
	if advice := r.s.elsewhere(name); advice != "" {
		return advice
	}
	if advice := r.untypedParameters(e.Pos); advice != "" {
		return advice
	}
	if advice := r.foreignName(name, e.Pos); advice != "" {
		return advice
	}
	close := r.closest(name, e.Pos)
	switch library := r.library(name, e.Pos); {
	case library != "" && (!strings.EqualFold(close, name) || types.Universe.Lookup(close) != nil):
		return library
	case close != "" && r.assigned(e.Pos):
		return "did you mean " + close + "? A new variable is declared with " + name + " := …"
	case close != "":
		return "did you mean " + close + "?"
	case r.assigned(e.Pos):
		return "a new variable is declared with " + name + " := …"
	}
	return ""
}

// assigned reports whether the name at a position is on the left of =.
func (r *reporter) assigned(pos token.Pos) bool {
	found := false
	ast.Inspect(r.file, func(n ast.Node) bool {
		if as, ok := n.(*ast.AssignStmt); ok && as.Tok == token.ASSIGN {
			for _, l := range as.Lhs {
				found = found || l.Pos() == pos
			}
		}
		return !found
	})
	return found
}

// closest returns the name that was probably meant at a position: preferably that of a variable, constant or
// function, but that of a type or of the language if it is closer.
func (r *reporter) closest(name string, pos token.Pos) string {
	values, others := r.namesAt(pos)
	value, other := text.Closest(name, values), text.Closest(name, others)
	if value == "" || other != "" && text.Distance(name, other) < text.Distance(name, value) {
		return other
	}
	return value
}

// namesAt returns all names that could occur at a position: values are those of variables, constants and functions
// of cells and the host.
func (r *reporter) namesAt(pos token.Pos) (values, others []string) {
	add := func(name string, obj types.Object) {
		switch {
		case strings.Contains(name, cell.Mark) || strings.HasPrefix(name, "_"):
		case isType(obj):
			others = append(others, name)
		default:
			values = append(values, name)
		}
	}
	for scope := range r.done.scopes(pos) {
		for _, name := range scope.Names() {
			add(name, scope.Lookup(name))
		}
	}
	for name, obj := range r.done.objects {
		add(name, obj)
	}
	for name, sym := range r.s.visible {
		add(name, sym.Obj)
	}
	for name, host := range r.s.hostObjects {
		add(name, host.obj)
	}
	others = append(others, types.Universe.Names()...)
	for _, path := range stdlib.Packages {
		others = append(others, stdlib.Name(path))
	}
	return values, others
}

func isType(obj types.Object) bool {
	_, ok := obj.(*types.TypeName)
	return ok
}

// declaredLater returns the line in which the cell declares a name after a position; 0 if there is none.
func (r *reporter) declaredLater(name string, pos token.Pos) int {
	line := 0
	ast.Inspect(r.c.Body, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && id.Name == name && id.Pos() > pos && line == 0 && r.info.Defs[id] != nil {
			line = r.s.fset.Position(id.Pos()).Line
		}
		return true
	})
	return line
}

// inConstant reports whether a position is in a constant declaration at the cell's top level.
func (r *reporter) inConstant(pos token.Pos) bool {
	return slices.ContainsFunc(r.c.File.Decls, func(d ast.Decl) bool {
		g, ok := d.(*ast.GenDecl)
		return ok && g.Tok == token.CONST && g.Pos() <= pos && pos < g.End()
	})
}

// absentPackage returns advice for the name of a package that cells cannot import.
func absentPackage(name string) string {
	paths := slices.Sorted(maps.Keys(instead))
	slices.Reverse(paths)
	for _, path := range paths {
		if path[strings.LastIndexByte(path, '/')+1:] == name {
			return unavailable(path)
		}
	}
	return ""
}

// packageMember returns advice for a pkg.Member that does not exist.
func (r *reporter) packageMember(name, member string) string {
	path, ok := stdlib.ByName(name)
	if !ok {
		return ""
	}
	pkg, err := r.s.importer.Import(path)
	if err != nil {
		return ""
	}
	names := slices.DeleteFunc(slices.Clone(pkg.Scope().Names()), func(n string) bool { return !token.IsExported(n) })
	if path == "os" {
		return "cells have no files and no process of their own: the text is in the variable context; os has " +
			strings.Join(names, ", ")
	}
	if close := text.Closest(member, names); close != "" {
		return "did you mean " + name + "." + close + "?"
	}
	return foreignMembers[name+"."+member]
}

// foreignMembers maps functions that exist only in other languages, in packages of the same name, to advice.
var foreignMembers = map[string]string{
	"System.out": "write fmt.Println(…)",
	"json.loads": "write json.Unmarshal([]byte(text), &v), or v := parse_json(text)",
	"json.parse": "write json.Unmarshal([]byte(text), &v), or v := parse_json(text)",
	"json.dumps": "write data, err := json.Marshal(v)",
	"json.load":  "cells have no files: the text is in the variable context", "time.time": "write time.Now()",
	"math.sum": "add them in a loop", "random.choice": "write xs[rand.IntN(len(xs))]",
}
