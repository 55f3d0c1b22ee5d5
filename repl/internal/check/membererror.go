package check

import (
	"go/ast"
	"go/types"
	"regexp"
	"strconv"
	"strings"

	"github.com/gorlm/rlm/internal/kit/text"
	"github.com/gorlm/rlm/repl/internal/cell"
)

// member returns advice for a field or method that does not exist.
func (r *reporter) member(e types.Error, member string) string {
	var sel *ast.SelectorExpr
	ast.Inspect(r.file, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok && (s.Sel.Pos() == e.Pos || s.Pos() == e.Pos && s.Sel.Name == member) {
			sel = s
		}
		return sel == nil
	})
	if sel == nil {
		return ""
	}
	t := r.info.TypeOf(sel.X)
	if t == nil {
		return ""
	}
	if h := r.memberVersions(t, member); h != "" {
		return h
	}
	if h := r.foreignMember(sel, t); h != "" {
		return h
	}
	if h := r.element(sel, t, member); h != "" {
		return h
	}
	names := memberNames(t)
	if close := text.Closest(member, names); close != "" {
		return "did you mean " + close + "?"
	}
	if len(names) > 0 && len(names) <= 12 {
		return "it has " + strings.Join(names, ", ")
	}
	return ""
}

// element returns advice for a member that a map or slice does not have, but its elements do.
func (r *reporter) element(sel *ast.SelectorExpr, t types.Type, member string) string {
	x := "x"
	if id, ok := ast.Unparen(sel.X).(*ast.Ident); ok {
		x = cell.Display(id.Name)
	}
	called, _ := r.argumentsOf(sel)
	switch t := t.Underlying().(type) {
	case *types.Map:
		if key, ok := t.Key().Underlying().(*types.Basic); ok && key.Info()&types.IsString != 0 && !called {
			return "it is a map: write " + x + "[\"" + member + "\"]"
		}
	case *types.Slice:
		if found, _, _ := types.LookupFieldOrMethod(t.Elem(), true, r.s.pkg, member); found != nil {
			return "it is a slice: take an element first, as in " + x + "[0]." + member + ", or range over it"
		}
	}
	return ""
}

// memberNames returns the fields and methods of a type that a cell may use.
func memberNames(t types.Type) []string {
	var out []string
	base := t
	if p, ok := t.Underlying().(*types.Pointer); ok {
		base = p.Elem()
	}
	if s, ok := base.Underlying().(*types.Struct); ok {
		for f := range s.Fields() {
			if f.Exported() || f.Pkg() != nil && f.Pkg().Path() == "main" {
				out = append(out, cell.Display(f.Name()))
			}
		}
	}
	recv := t
	if !types.IsInterface(t) && base == t {
		recv = types.NewPointer(t)
	}
	for m := range types.NewMethodSet(recv).Methods() {
		if m.Obj().Exported() || m.Obj().Pkg() != nil && m.Obj().Pkg().Path() == "main" {
			out = append(out, m.Obj().Name())
		}
	}
	return out
}

// versions returns an explanation for a message that mentions two types with the same name.
func (r *reporter) versions(msg string) string {
	for name, syms := range r.s.types {
		if len(regexp.MustCompile(`\b`+regexp.QuoteMeta(name)+`\b`).FindAllString(msg, 2)) < 2 {
			continue
		}
		now := 0
		if obj := r.c.File.Scope.Lookup(name); obj != nil && obj.Kind == ast.Typ {
			now = r.c.Number
		} else if len(syms) > 1 {
			now = syms[len(syms)-1].Cell
		}
		if now > 0 {
			first := syms[0].Cell
			if now != r.c.Number && len(syms) > 1 {
				first = syms[len(syms)-2].Cell
			}
			return declaredAgain(name, now, first)
		}
	}
	return ""
}

func declaredAgain(name string, now, first int) string {
	return "cell " + strconv.Itoa(now) + " declares the type " + name + " again: values made before have the type " +
		name + " of cell " + strconv.Itoa(first) + "; make them again"
}

// memberVersions returns advice for a member that another type with the same name has or had.
func (r *reporter) memberVersions(t types.Type, member string) string {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	named, ok := types.Unalias(t).(*types.Named)
	if !ok {
		return ""
	}
	name := cell.Display(named.Obj().Name())
	syms := r.s.types[name]
	now, inCell := 0, r.c.File.Scope.Lookup(name) != nil
	if inCell {
		now = r.c.Number
	} else if len(syms) > 0 {
		now = syms[len(syms)-1].Cell
	}
	for i, sym := range syms {
		if sym.Obj == named.Obj() && (inCell || i < len(syms)-1) {
			return declaredAgain(name, now, sym.Cell)
		}
		if _, had := sym.methods[member]; had && sym.Obj != named.Obj() {
			return "cell " + strconv.Itoa(now) + " declares the type " + name + " again, without the method " + member +
				" of cell " + strconv.Itoa(sym.Cell) + "; declare the method again too"
		}
	}
	return ""
}
