package check

import (
	"bytes"
	"go/ast"
	"go/printer"
	"go/token"
	"go/types"
	"slices"

	"github.com/gorlm/rlm/repl/internal/cell"
)

// method is a method that a cell declared.
type method struct {
	text    string   // as written in the hoisted file; to recognise the same declaration
	head    string   // the text without the body
	patches []string // the variables through which versions of the method can be replaced
}

// redeclarations recognises declarations that the session already has. Models write the same types into every cell,
// as if each cell were a program; nevertheless, values of earlier cells must keep their types.
//
// A type that is declared again word for word remains the same type. A method of such a type, or of a type of an
// earlier cell, is ignored if it is unchanged, replaces the earlier one if it has the same signature, and is added
// if it is new.
type redeclarations struct {
	s *Session
	c *cell.Cell
	r *resolver

	specs map[string]*ast.TypeSpec // types that the cell declares
	kept  map[string]*Symbol       // the types in specs that remain the same
	// methods maps the name of a type in the cell to the methods that the cell declares for it.
	methods map[string][]*ast.FuncDecl
	// added and replaced list new and changed methods of types of earlier cells. While the cell is checked, these
	// methods are functions.
	added    []*methodDecl
	replaced []*methodDecl
	moved    map[*ast.FuncDecl]*methodDecl // both added and replaced
	dropped  map[ast.Decl]bool
	errs     cell.Errors
}

// methodDecl is a method written as a function, with the receiver as its first parameter.
type methodDecl struct {
	decl *ast.FuncDecl
	typ  *Symbol
	name string
	text string
	head string
	old  *method
}

func (s *Session) redeclare(c *cell.Cell, r *resolver) *redeclarations {
	a := &redeclarations{
		s: s, c: c, r: r, specs: map[string]*ast.TypeSpec{}, kept: map[string]*Symbol{},
		methods: map[string][]*ast.FuncDecl{}, dropped: map[ast.Decl]bool{}, moved: map[*ast.FuncDecl]*methodDecl{},
	}
	a.find()
	a.receivers()
	if len(a.kept) == 0 && !a.foreignMethods() {
		return a
	}
	for a.narrow() {
	}
	for name, list := range a.methods {
		if sym := a.base(name); sym != nil {
			for _, d := range list {
				a.method(sym, d)
			}
		}
	}
	a.remove()
	return a
}

// find collects the cell's types and methods.
func (a *redeclarations) find() {
	for _, d := range a.c.File.Decls {
		switch d := d.(type) {
		case *ast.GenDecl:
			if d.Tok != token.TYPE {
				continue
			}
			for _, spec := range d.Specs {
				spec := spec.(*ast.TypeSpec)
				a.specs[spec.Name.Name] = spec
				if sym := a.s.visible[spec.Name.Name]; sym != nil && sym.text != "" && sym.Cell > 0 {
					a.kept[spec.Name.Name] = sym
				}
			}
		case *ast.FuncDecl:
			if d.Recv != nil && len(d.Recv.List) == 1 {
				if id := receiver(d.Recv.List[0].Type); id != nil {
					a.methods[id.Name] = append(a.methods[id.Name], d)
				}
			}
		}
	}
}

// receiver returns the type that a method belongs to.
func receiver(e ast.Expr) *ast.Ident {
	for {
		switch t := e.(type) {
		case *ast.Ident:
			return t
		case *ast.StarExpr:
			e = t.X
		case *ast.ParenExpr:
			e = t.X
		case *ast.IndexExpr:
			e = t.X
		case *ast.IndexListExpr:
			e = t.X
		default:
			return nil
		}
	}
}

// base returns the session's type to which the cell's methods of the type called name belong; nil if the cell
// declares a different type.
func (a *redeclarations) base(name string) *Symbol {
	if sym := a.kept[name]; sym != nil {
		return sym
	}
	if a.specs[name] != nil {
		return nil
	}
	sym := a.s.symbols[name] // identifiers have been resolved to names in hoisted files
	if sym == nil {
		return nil
	}
	if t, ok := sym.Obj.(*types.TypeName); !ok || t.IsAlias() {
		return nil
	}
	return sym
}

// receivers refuses methods of types that cannot have any: the notebook's own types, and aliases of types of
// earlier cells.
func (a *redeclarations) receivers() {
	for name, list := range a.methods {
		base := name
		for depth := 0; depth < 100; depth++ {
			spec := a.specs[base]
			if spec == nil || !spec.Assign.IsValid() {
				break
			}
			id, ok := ast.Unparen(spec.Type).(*ast.Ident)
			if !ok {
				break
			}
			base = id.Name
		}
		foreign := a.specs[base] == nil && (base != name || a.base(base) == nil)
		obj := a.s.objects[base]
		if nat := a.s.hostObjects[base]; nat != nil && obj == nil {
			obj = nat.obj
		}
		if _, isType := obj.(*types.TypeName); !foreign || !isType {
			continue
		}
		for _, d := range list {
			a.fail(d, "cannot declare the method "+d.Name.Name+" of "+cell.Display(base)+" here",
				"declare a type of your own for it: type my"+cell.Display(base)+" "+cell.Display(base))
		}
	}
}

func (a *redeclarations) foreignMethods() bool {
	for name := range a.methods {
		if a.base(name) != nil {
			return true
		}
	}
	return false
}

// narrow removes one type from kept that has changed, or that depends on a changed one; it reports whether there
// was one.
func (a *redeclarations) narrow() bool {
	for name, sym := range a.kept {
		if a.print(a.specs[name]) != sym.text || !a.methodsFit(name, sym) {
			delete(a.kept, name)
			return true
		}
	}
	return false
}

// methodsFit reports whether the type can be kept in spite of the methods that the cell declares for it.
func (a *redeclarations) methodsFit(name string, sym *Symbol) bool {
	generic := a.specs[name].TypeParams != nil
	for _, d := range a.methods[name] {
		old := sym.methods[d.Name.Name]
		if old != nil && old.text == a.print(d) && !a.usesHoisted(d) {
			continue
		}
		if generic || old != nil && a.head(d) != old.head {
			return false
		}
	}
	return true
}

// print formats a declaration with the names that hoisted files use.
func (a *redeclarations) print(n ast.Node) string {
	type was struct {
		id   *ast.Ident
		name string
	}
	var undo []was
	ast.Inspect(n, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok || id.Obj == nil || a.c.File.Scope.Lookup(id.Name) != id.Obj {
			return true
		}
		undo = append(undo, was{id, id.Name})
		sym := a.s.visible[id.Name]
		switch {
		case sym == nil || a.specs[id.Name] != nil && a.kept[id.Name] == nil:
			id.Name += "?" // a new name, so that the declaration differs
		default:
			id.Name = sym.Obj.Name()
		}
		return true
	})
	text := printed(n)
	for _, u := range undo {
		u.id.Name = u.name
	}
	return text
}

// printed returns a node as text, formatted independently of its position: the printer finds no lines in an
// empty file set.
func printed(n ast.Node) string {
	var b bytes.Buffer
	if err := printer.Fprint(&b, token.NewFileSet(), n); err != nil {
		return ""
	}
	return b.String()
}

// head returns a method without its body, as text.
func (a *redeclarations) head(d *ast.FuncDecl) string { return a.print(headOf(d)) }

func headOf(d *ast.FuncDecl) *ast.FuncDecl {
	head := *d
	head.Body = nil
	return &head
}

// usesHoisted reports whether a method refers to a variable that the cell itself declares.
func (a *redeclarations) usesHoisted(d *ast.FuncDecl) bool {
	found := false
	ast.Inspect(d, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && a.c.Unresolved[id] && a.r.hoisted[cell.Display(id.Name)] {
			found = true
		}
		return !found
	})
	return found
}

// method handles a method of a type that the session already has: it drops, replaces or adds the method.
func (a *redeclarations) method(sym *Symbol, d *ast.FuncDecl) {
	text := a.print(d)
	old := sym.methods[d.Name.Name]
	if old != nil && old.text == text && !a.usesHoisted(d) {
		a.dropped[d] = true
		return
	}
	m := &methodDecl{decl: d, typ: sym, name: d.Name.Name, text: text, head: a.head(d), old: old}
	generic := false
	if named, ok := sym.Obj.Type().(*types.Named); ok {
		generic = named.TypeParams().Len() > 0
	}
	switch {
	case generic:
		a.fail(d, "method "+sym.Name+"."+m.name+" is declared in another cell than its generic type",
			"declare the type "+sym.Name+" again together with all its methods")
	case old == nil:
		a.added = append(a.added, m)
	case a.head(d) != old.head || len(old.patches) == 0:
		a.fail(d, "method "+sym.Name+"."+m.name+" was declared in an earlier cell with another signature",
			"declare the type "+sym.Name+" again together with all its methods")
	default:
		a.replaced = append(a.replaced, m)
	}
}

func (a *redeclarations) fail(d *ast.FuncDecl, message, hint string) {
	a.errs = append(a.errs, a.c.ErrorAt(d.Name.Pos(), message, hint))
}

// remove drops unchanged declarations from the cell, and turns methods of earlier types into functions.
func (a *redeclarations) remove() {
	kept := map[ast.Spec]bool{}
	for name := range a.kept {
		kept[a.specs[name]] = true
	}
	ast.Inspect(a.c.File, a.settle)
	ast.Inspect(a.c.Body, a.settle)
	var decls []ast.Decl
	for _, d := range a.c.File.Decls {
		if a.dropped[d] {
			continue
		}
		if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.TYPE {
			g.Specs = slices.DeleteFunc(g.Specs, func(s ast.Spec) bool { return kept[s] })
			if len(g.Specs) == 0 {
				continue
			}
		}
		decls = append(decls, d)
	}
	a.c.File.Decls = decls
	for name := range a.kept {
		delete(a.c.File.Scope.Objects, name)
	}
	for _, m := range slices.Concat(a.added, a.replaced) {
		a.moved[m.decl] = m
		recv := m.decl.Recv.List[0]
		if len(recv.Names) == 0 {
			recv.Names = []*ast.Ident{{NamePos: recv.Type.Pos(), Name: "_"}}
		}
		if len(m.decl.Type.Params.List) > 0 && len(m.decl.Type.Params.List[0].Names) == 0 {
			for _, f := range m.decl.Type.Params.List {
				f.Names = []*ast.Ident{{NamePos: f.Type.Pos(), Name: "_"}}
			}
		}
		m.decl.Type.Params.List = append([]*ast.Field{recv}, m.decl.Type.Params.List...)
		m.decl.Recv = nil
		m.decl.Name = &ast.Ident{
			NamePos: m.decl.Name.NamePos, Name: cell.Display(m.typ.Obj.Name()) + "_" + m.name + cell.Mark,
		}
	}
}

// settle makes an identifier of a kept type refer to the session's type.
func (a *redeclarations) settle(n ast.Node) bool {
	id, ok := n.(*ast.Ident)
	if !ok || id.Obj == nil || a.kept[id.Name] == nil || a.c.File.Scope.Lookup(id.Name) != id.Obj {
		return true
	}
	a.c.Unresolved[id] = true
	id.Name, id.Obj = a.kept[id.Name].Obj.Name(), nil
	return true
}
