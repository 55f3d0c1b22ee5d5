package lower

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"github.com/gorlm/rlm/repl/internal/cell"
	"github.com/gorlm/rlm/repl/internal/engine"
	"github.com/gorlm/rlm/repl/internal/engine/yaegi/dyn"
)

// typ returns the lowered form of a type, which declarations of variables use.
func (l *unit) typ(t types.Type, pos token.Pos) string {
	switch t := types.Unalias(t).(type) {
	case *types.Basic:
		return basicName(t, pos)
	case *types.Named:
		return l.named(t, pos)
	case *types.Pointer:
		return "*" + l.typ(t.Elem(), pos)
	case *types.Slice:
		return "[]" + l.typ(t.Elem(), pos)
	case *types.Array:
		return fmt.Sprintf("[%d]%s", t.Len(), l.typ(t.Elem(), pos))
	case *types.Map:
		return "map[" + l.typ(t.Key(), pos) + "]" + l.typ(t.Elem(), pos)
	case *types.Chan:
		refuseConcurrent(pos, "the interpreter runs one thing at a time, so that nothing comes through a channel")
	case *types.Signature:
		return "func" + l.signature(t, pos)
	case *types.Struct:
		if t.NumFields() == 0 {
			return "struct{}"
		}
		return l.structType(dyn.Key(t), t, pos)
	case *types.Interface:
		return interfaceType(t, pos)
	}
	refuse(pos, "the type "+typeText(t), "the interpreter has none like it",
		"put several results of a call into variables first")
	return ""
}

// interfaceType returns the lowered form of an interface type that is not compiled.
func interfaceType(t *types.Interface, pos token.Pos) string {
	if t.NumMethods() > 0 {
		refuse(pos, "an interface type with methods", "the interpreter's values have lost their methods",
			"use a function, or a struct with one")
	}
	return "any"
}

func basicName(t *types.Basic, pos token.Pos) string {
	switch t.Kind() {
	case types.Complex64, types.Complex128, types.UntypedComplex:
		refuse(pos, "complex numbers", "the interpreter loses their signs of zero", "compute with the two parts")
	case types.UntypedBool:
		return "bool"
	case types.UntypedInt:
		return "int"
	case types.UntypedRune:
		return "rune"
	case types.UntypedFloat:
		return "float64"
	case types.UntypedString:
		return "string"
	case types.UnsafePointer:
		refuse(pos, "unsafe.Pointer", "cells have no access to memory", "use ordinary pointers")
	}
	return t.Name()
}

func (l *unit) signature(t *types.Signature, pos token.Pos) string {
	results, _ := l.resultsText(t.Results(), pos)
	return "(" + l.typeList(t.Params(), pos) + ")" + results
}

func (l *unit) typeList(t *types.Tuple, pos token.Pos) string {
	var list []string
	for v := range t.Variables() {
		list = append(list, l.typ(v.Type(), pos))
	}
	return strings.Join(list, ", ")
}

// resultsText returns the result list of a function; ret is "return " if it has results.
func (l *unit) resultsText(results *types.Tuple, pos token.Pos) (text, ret string) {
	if results.Len() == 0 {
		return "", ""
	}
	return " (" + l.typeList(results, pos) + ")", "return "
}

func (l *unit) named(t *types.Named, pos token.Pos) string {
	obj := t.Obj()
	switch {
	case obj.Pkg() == nil: // error, comparable
		if obj.Name() == "error" {
			return "rt.Error"
		}
		return "any"
	case obj.Pkg().Path() == engine.HostPath:
		return l.hostName(obj.Name())
	case dyn.IsUser(t) || t.TypeArgs().Len() > 0:
	case l.run.Compiled(t) != nil:
		refuseTemplates(obj.Pkg().Path(), pos)
		return l.importName(obj.Pkg().Path()) + "." + obj.Name()
	}
	switch u := t.Underlying().(type) {
	case *types.Struct:
		if t.TypeArgs().Len() > 0 && !dyn.IsUser(t) {
			refuse(pos, "a generic type of the standard library", "the interpreter does not have "+typeText(t),
				"use one that is not generic, such as atomic.Int64 or atomic.Value, or a variable with a sync.Mutex")
		}
		return l.structType(dyn.Key(t), u, l.declaredAt(obj, pos))
	case *types.Interface:
		return interfaceType(u, pos)
	default:
		if !dyn.IsUser(t) && t.TypeArgs().Len() == 0 {
			refuse(pos, "the type "+typeText(t), "cells do not have it", "use another type")
		}
		if slices.Contains(l.pending, dyn.Key(t)) {
			refuse(l.declaredAt(obj, pos), "a type that contains itself without a struct in between",
				"the interpreter does not come to its end", "put it into a struct: type "+typeText(t)+" struct { … }")
		}
		before := l.pending
		l.pending = append(slices.Clip(before), dyn.Key(t))
		defer func() { l.pending = before }()
		return l.typ(u, pos)
	}
}

// structType declares a lowered struct type, on its first use, and returns its name.
func (l *unit) structType(key string, t *types.Struct, pos token.Pos) string {
	if i := slices.Index(l.writing, key); i >= 0 && i < len(l.writing)-1 {
		refuse(pos, "types that contain each other",
			"the interpreter takes "+cell.Display(key[strings.LastIndexByte(key, '.')+1:])+" for another type",
			"use one struct for both, or names or numbers where one refers to the other")
	}
	if name, ok := l.structs[key]; ok {
		return name
	}
	name := l.fresh("T")
	remember(l, l.structs, key, name)
	l.writing = append(l.writing, key)
	defer func() { l.writing = l.writing[:len(l.writing)-1] }()
	saved := l.pending
	l.pending = nil
	var b strings.Builder
	fmt.Fprintf(&b, "type %s struct {\n", name)
	for i := range t.NumFields() {
		f := t.Field(i)
		refuseField(f, l.declaredAt(f, pos))
		fmt.Fprintf(&b, "\t%s %s", fieldName(t, i), l.typ(f.Type(), pos))
		if tag := t.Tag(i); tag != "" {
			b.WriteString(" " + strconv.Quote(tag))
		}
		b.WriteByte('\n')
	}
	b.WriteString("}\n")
	l.pending = saved
	l.types.WriteString(b.String())
	return name
}

// fieldName returns the name of a field in the lowered struct, which is always exported, so that natives can read
// it.
func fieldName(t *types.Struct, i int) string {
	name := t.Field(i).Name()
	if ast.IsExported(name) {
		return name
	}
	return "X__" + name
}

// refuseTemplates refuses text/template, which finds methods by their names.
func refuseTemplates(path string, pos token.Pos) {
	if path == "text/template" {
		refuse(pos, path, "the interpreter's values have not the methods that a template calls",
			"use fmt.Sprintf or strings.NewReplacer")
	}
}

// importName returns the name of a native package in the lowered file.
func (l *unit) importName(path string) string {
	if name, ok := l.imports[path]; ok {
		return name
	}
	name := "p_" + plain(strings.NewReplacer("/", "_", "-", "_").Replace(path))
	l.imports[path] = name
	return name
}

func (l *unit) hostName(name string) string {
	exported := "H_" + plain(strings.ReplaceAll(name, cell.Mark, "_q"))
	if _, ok := l.natives[exported]; !ok {
		n := l.host[name]
		v := n.Value
		if n.Kind == engine.NativeVar {
			v = v.Elem()
		}
		l.natives[exported] = v
	}
	return "u." + exported
}

// hostPlace lowers a variable of the host as a place. The interpreter loses an assignment of a call's result to a
// symbol, but not an assignment through a pointer.
func (l *unit) hostPlace(name string) string {
	exported := "P_" + plain(strings.ReplaceAll(name, cell.Mark, "_q"))
	l.natives[exported] = l.host[name].Value
	return "(*u." + exported + ")"
}

// typeID returns the number of a type that an interface may contain.
func (l *unit) typeID(t types.Type, pos token.Pos) int {
	rt := l.run.Compiled(t)
	if rt == nil {
		refuse(pos, "a test for a cell's own type", "interfaces hold no values of it here",
			"use the type itself instead of an interface")
	}
	return l.run.TypeID(rt)
}

// typeText returns a type as cells write it.
func typeText(t types.Type) string {
	return types.TypeString(t, func(p *types.Package) string {
		if p.Path() == "main" || p.Path() == engine.HostPath {
			return ""
		}
		return p.Name()
	})
}

// declaredAt returns the position at which the unit declares a type or field; pos if an earlier unit declared it.
func (l *unit) declaredAt(obj types.Object, pos token.Pos) token.Pos {
	if l.u.File.FileStart <= obj.Pos() && obj.Pos() < l.u.File.FileEnd {
		return obj.Pos()
	}
	return pos
}
