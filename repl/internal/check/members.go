package check

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"

	"github.com/gorlm/rlm/repl/internal/cell"
	"github.com/gorlm/rlm/repl/internal/stdlib"
)

// Members lists, in order, the names that may follow an operand and a dot in the next cell: the fields and methods
// of its type, or a package's exports. The operand is only type-checked; an invalid one has no members. For the
// empty operand it lists the packages that need no import.
func (s *Session) Members(operand string) []string {
	if operand == "" {
		return slices.Sorted(maps.Keys(s.packageNames()))
	}
	var names []string
	for _, obj := range s.members(operand) {
		names = append(names, obj.Name())
	}
	return names
}

// members returns the objects that may follow an operand and a dot, sorted by name.
func (s *Session) members(operand string) []types.Object {
	expr, err := parser.ParseExpr(operand)
	if err != nil {
		return nil
	}
	if id, ok := expr.(*ast.Ident); ok {
		if pkg := s.packageOf(id.Name); pkg != nil {
			return exported(pkg)
		}
	}
	pkg := s.scope(expr)
	if t := s.typeOf(expr, pkg); t != nil {
		return membersOf(t, pkg)
	}
	return nil
}

// typeOf returns the type of an expression whose names are resolved in pkg; nil if it has none.
func (s *Session) typeOf(expr ast.Expr, pkg *types.Package) types.Type {
	info := newInfo()
	if types.CheckExpr(s.fset, pkg, token.NoPos, expr, info) != nil {
		return nil
	}
	return info.TypeOf(expr)
}

// packageNames maps the package names that cells can use to their paths.
func (s *Session) packageNames() map[string]string {
	names := maps.Clone(s.aliases)
	if names == nil {
		names = map[string]string{}
	}
	for _, path := range stdlib.Packages {
		if _, ok := names[stdlib.Name(path)]; !ok {
			names[stdlib.Name(path)] = path
		}
	}
	return names
}

// packageOf returns the package that a name means; nil if it means something else.
func (s *Session) packageOf(name string) *types.Package {
	path, ok := s.aliases[name]
	if !ok {
		if s.visible[name] != nil || s.hostObjects[name] != nil {
			return nil
		}
		if path, ok = stdlib.ByName(name); !ok {
			return nil
		}
	}
	pkg, err := s.importer.Import(path)
	if err != nil {
		return nil
	}
	return pkg
}

// scope returns a package in which the names of an expression mean the same as in the next cell.
func (s *Session) scope(expr ast.Expr) *types.Package {
	pkg := newPackage()
	ast.Inspect(expr, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			if obj := s.named(pkg, id.Name); obj != nil {
				pkg.Scope().Insert(obj)
			}
		}
		return true
	})
	return pkg
}

// named returns the object that a name means in the next cell, as an object of pkg; nil if it has no meaning.
func (s *Session) named(pkg *types.Package, name string) types.Object {
	var obj types.Object
	if sym := s.visible[name]; sym != nil {
		obj = sym.Obj
	} else if host := s.hostObjects[name]; host != nil {
		obj = host.obj
	} else if imported := s.packageOf(name); imported != nil {
		return types.NewPkgName(token.NoPos, pkg, name, imported)
	}
	switch obj := obj.(type) {
	case *types.TypeName:
		return types.NewTypeName(token.NoPos, pkg, name, obj.Type())
	case *types.Const:
		return types.NewConst(token.NoPos, pkg, name, obj.Type(), obj.Val())
	case nil:
		return nil
	default:
		return types.NewVar(token.NoPos, pkg, name, obj.Type())
	}
}

func exported(pkg *types.Package) []types.Object {
	var out []types.Object
	for _, name := range pkg.Scope().Names() {
		if token.IsExported(name) {
			out = append(out, pkg.Scope().Lookup(name))
		}
	}
	return out
}

// membersOf returns the fields and methods of a type that code in pkg can name, sorted by name.
func membersOf(t types.Type, pkg *types.Package) []types.Object {
	found := map[string]types.Object{}
	add := func(obj types.Object) {
		if _, there := found[obj.Name()]; !there &&
			(obj.Exported() || obj.Pkg() != nil && obj.Pkg().Path() == pkg.Path()) {
			found[obj.Name()] = obj
		}
	}
	fields(t, map[types.Type]bool{}, add)
	if _, pointer := t.Underlying().(*types.Pointer); !pointer && !types.IsInterface(t) {
		t = types.NewPointer(t)
	}
	for method := range types.NewMethodSet(t).Methods() {
		add(method.Obj())
	}
	delete(found, "_")
	maps.DeleteFunc(found, func(name string, _ types.Object) bool { return strings.Contains(name, cell.Mark) })
	var out []types.Object
	for _, name := range slices.Sorted(maps.Keys(found)) {
		out = append(out, found[name])
	}
	return out
}

// fields calls add for the fields of a struct and of the structs embedded in it.
func fields(t types.Type, seen map[types.Type]bool, add func(types.Object)) {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	st, ok := t.Underlying().(*types.Struct)
	if !ok || seen[t] {
		return
	}
	seen[t] = true
	for field := range st.Fields() {
		add(field)
		if field.Embedded() {
			fields(field.Type(), seen, add)
		}
	}
}
