package check

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/gorlm/rlm/internal/spell"
	"github.com/gorlm/rlm/repl/internal/cell"
	"github.com/gorlm/rlm/repl/internal/engine"
	"github.com/gorlm/rlm/repl/internal/stdlib"
)

// reporter makes the checker's errors presentable.
type reporter struct {
	s    *Session
	c    *cell.Cell
	done typedFile
	info *types.Info
	file *ast.File
}

// report makes the checker's errors presentable, in order of place, one for each line; nil if there are none.
func (s *Session) report(c *cell.Cell, done typedFile) cell.Errors {
	found := done.errs
	if len(found) == 0 {
		return nil
	}
	r := &reporter{s: s, c: c, done: done, info: done.info, file: done.file}
	lines := map[int]bool{}
	var out cell.Errors
	var kept []types.Error
	for _, e := range found {
		if strings.HasPrefix(e.Msg, "\t") { // continues the one before
			continue
		}
		if err := c.ErrorAt(e.Pos, r.wording(cell.Display(e.Msg)), ""); !lines[err.Line] {
			lines[err.Line] = true
			out, kept = append(out, err), append(kept, e)
		}
	}
	for i := range min(len(out), maxHints) {
		out[i].Hint = r.hint(kept[i], out[i].Message)
	}
	slices.SortStableFunc(out, func(a, b *cell.Error) int { return cmp.Or(a.Line-b.Line, a.Column-b.Column) })
	return out
}

// maxHints bounds for how many errors of a cell advice is looked for.
const maxHints = 10

// wording leaves out what only makes sense to a compiler.
func (r *reporter) wording(msg string) string {
	msg = strings.ReplaceAll(msg, "main.", "")
	msg = strings.ReplaceAll(msg, engine.HostPath+".", "")
	return strings.ReplaceAll(msg, "interface{}", "any")
}

var (
	undefinedName   = regexp.MustCompile(`^undefined: (\S+)$`)
	undefinedMember = regexp.MustCompile(`^(.+)\.(\S+) undefined \(type (.+) has no field or method (\S+)\)$`)
	typesMeet       = regexp.MustCompile(`cannot use|mismatched types|impossible type|cannot convert|has no field or method|missing method|does not satisfy`)
	wrongCount      = regexp.MustCompile(`^assignment mismatch: 1 variable but (\S+?)(\(.*\))? returns 2 values$`)
	notCalled       = regexp.MustCompile(`^invalid operation: cannot call (?:non-function )?(\S+) `)
)

// hint says what to do about an error; empty if the error says it already.
func (r *reporter) hint(e types.Error, msg string) string {
	if m := undefinedName.FindStringSubmatch(msg); m != nil {
		return r.undefined(e, m[1])
	}
	if m := undefinedMember.FindStringSubmatch(msg); m != nil {
		return r.member(e, m[2])
	}
	if typesMeet.MatchString(msg) {
		return r.versions(msg)
	}
	if m := wrongCount.FindStringSubmatch(msg); m != nil {
		return "the second value may be an error: write x, err := …, or x, _ := … to ignore it"
	}
	if m := notCalled.FindStringSubmatch(msg); m != nil && r.callable(m[1]) {
		return m[1] + " is a variable of this cell here; give the variable another name to call the function"
	}
	return ""
}

// callable reports whether a name means a function when no cell declares it.
func (r *reporter) callable(name string) bool {
	if nat := r.s.hostObjects[name]; nat != nil {
		_, ok := nat.obj.(*types.Func)
		return ok
	}
	_, ok := types.Universe.Lookup(name).(*types.Builtin)
	return ok
}

// undefined answers for a name or a package's member that there is not.
func (r *reporter) undefined(e types.Error, name string) string {
	if pkgName, member, ok := strings.Cut(name, "."); ok {
		return r.packageMember(pkgName, member)
	}
	if cell, ok := r.s.lost[name]; ok {
		return "cell " + strconv.Itoa(cell) + " would have set " + name + ", but ended before it came to that"
	}
	if advice := absentPackage(name); advice != "" {
		return advice
	}
	if _, ok := stdlib.ByName(name); ok {
		return name + " is a package; use what is in it, as in " + name + ".Name"
	}
	if line := r.declaredLater(name, e.Pos); line > 0 {
		return "it is declared in line " + strconv.Itoa(line) + "; statements of a cell run in order"
	}
	close := spell.Closest(name, r.namesAt(e.Pos))
	switch {
	case close != "" && r.assigned(e.Pos):
		return "did you mean " + close + "? A new variable is declared with " + name + " := …"
	case close != "":
		return "did you mean " + close + "?"
	case r.assigned(e.Pos):
		return "a new variable is declared with " + name + " := …"
	}
	return ""
}

// assigned reports whether the name at a position stands on the left of =.
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

// namesAt are all names that could stand at a position.
func (r *reporter) namesAt(pos token.Pos) []string {
	var out []string
	for scope := range r.done.scopes(pos) {
		out = append(out, scope.Names()...)
	}
	out = append(out, slices.Collect(maps.Keys(r.done.objects))...)
	out = append(out, types.Universe.Names()...)
	out = append(out, slices.Collect(maps.Keys(r.s.visible))...)
	out = append(out, slices.Collect(maps.Keys(r.s.hostObjects))...)
	for _, d := range r.file.Decls {
		if fd, ok := d.(*ast.FuncDecl); ok && fd.Recv == nil {
			out = append(out, fd.Name.Name)
		}
	}
	for _, path := range stdlib.Packages {
		out = append(out, stdlib.Name(path))
	}
	return slices.DeleteFunc(out, func(name string) bool { return strings.Contains(name, cell.Mark) || strings.HasPrefix(name, "_") })
}

// declaredLater is the line in which the cell declares a name after a position; 0 if it does not.
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

// absentPackage answers for the name of a package that cells cannot have.
func absentPackage(name string) string {
	paths := slices.Sorted(maps.Keys(instead))
	slices.Reverse(paths) // text/template before html/template
	for _, path := range paths {
		if path[strings.LastIndexByte(path, '/')+1:] == name {
			return unavailable(path)
		}
	}
	return ""
}

// packageMember answers for pkg.Member that does not exist.
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
		return "cells have no files and no process of their own: the text is in the variable context; os has " + strings.Join(names, ", ")
	}
	if close := spell.Closest(member, names); close != "" {
		return "did you mean " + name + "." + close + "?"
	}
	return ""
}

// member answers for a field or method that there is not.
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
	names := memberNames(t)
	if close := spell.Closest(member, names); close != "" {
		return "did you mean " + close + "?"
	}
	if len(names) > 0 && len(names) <= 12 {
		return "it has " + strings.Join(names, ", ")
	}
	return ""
}

// memberNames are the fields and methods of a type that a cell may use.
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

// versions tells apart two types of one name.
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
	return "cell " + strconv.Itoa(now) + " declares the type " + name + " again: values made before that have the type " + name + " of cell " + strconv.Itoa(first) + "; make them anew"
}

// memberVersions answers for a member that another type of the same name has, or had.
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
			return "cell " + strconv.Itoa(now) + " declares the type " + name + " again, without the method " + member + " of cell " + strconv.Itoa(sym.Cell) + "; declare the method again too"
		}
	}
	return ""
}
