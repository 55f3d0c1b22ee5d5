package check

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/gorlm/rlm/repl/internal/engine"
	"github.com/gorlm/rlm/repl/internal/stdlib"
)

// gate finds what a checked file must not do although it is valid Go. Every type check includes the gate, so the
// rules are the same for both engines.
//
//   - No operand has a type that gives access to memory. Such types cannot be named, because their packages cannot
//     be imported, but fields, methods and inferred type arguments may have them.
//   - The variables of packages stay unchanged: the notebook itself uses these packages.
type gate struct {
	s       *Session
	info    *types.Info
	allowed map[types.Type]bool   // types that are allowed, as far as they have been checked
	refused map[types.Type]string // why each of the other types is refused
	found   []types.Error
}

// guard returns what the gate finds in files, in order of position.
func (s *Session) guard(files []*ast.File, info *types.Info) []types.Error {
	g := &gate{s: s, info: info, allowed: map[types.Type]bool{}, refused: map[types.Type]string{}}
	for e, tv := range info.Types {
		g.operand(e.Pos(), tv.Type)
	}
	for id, obj := range info.Defs {
		if f, ok := obj.(*types.Func); ok { // other objects occur in expressions, whose types are checked
			g.operand(id.Pos(), f.Type())
		}
	}
	for id, inst := range info.Instances {
		for arg := range inst.TypeArgs.Types() {
			g.operand(id.Pos(), arg)
			if s.isLocation(arg) {
				g.refuse(id.Pos(), "cells cannot use time.Location as a type argument")
			}
		}
	}
	for e, sel := range info.Selections {
		g.path(e.Sel.Pos(), sel)
	}
	for _, file := range files {
		ast.Inspect(file, g.changes)
	}
	slices.SortFunc(g.found, func(a, b types.Error) int {
		return cmp.Or(cmp.Compare(a.Pos, b.Pos), strings.Compare(a.Msg, b.Msg))
	})
	return g.found
}

func (g *gate) refuse(pos token.Pos, why string) {
	g.found = append(g.found, types.Error{Fset: g.s.fset, Pos: pos, Msg: why})
}

func (g *gate) operand(pos token.Pos, t types.Type) {
	why := g.refused[t]
	if why == "" {
		if why = refused(t, g.allowed); why == "" {
			return
		}
		clear(g.allowed) // it also contains types that lead to the refused one
		g.refused[t] = why
	}
	g.refuse(pos, why)
}

// path checks the embedded fields on the path to a promoted field or method.
func (g *gate) path(pos token.Pos, sel *types.Selection) {
	t := sel.Recv()
	for _, i := range sel.Index()[:len(sel.Index())-1] {
		if p, ok := t.Underlying().(*types.Pointer); ok {
			t = p.Elem()
		}
		s, ok := t.Underlying().(*types.Struct)
		if !ok {
			return
		}
		t = s.Field(i).Type()
		g.operand(pos, t)
	}
}

// maxWidth bounds the number of parameters and results of a function: package reflect makes no type with more than
// 128, and the engines add one.
const maxWidth = 127

// Refused returns why no operand of a cell may have the type t; empty for allowed types. A type is refused if it
// is, or is made of, one from a package that cells cannot import: such types give access to memory (reflect,
// unsafe), and the engines do not know them. Of reflect, cells may use Type and Kind, whose methods yield only
// names, sizes and each other; any other method is refused because of its signature. The fields of a named type are
// checked when a cell selects them.
func Refused(t types.Type) string { return refused(t, map[types.Type]bool{}) }

func refused(t types.Type, seen map[types.Type]bool) string {
	if seen[t] {
		return ""
	}
	seen[t] = true
	switch t := t.(type) {
	case *types.Basic:
		if t.Kind() == types.UnsafePointer {
			return "cells cannot use unsafe.Pointer"
		}
	case *types.Named:
		if p := t.Obj().Pkg(); p != nil && !known(p.Path()) && !describes(t.Obj()) {
			return "cells cannot use " + p.Name() + "." + t.Obj().Name()
		}
	case *types.Signature:
		n := t.Params().Len() + t.Results().Len()
		if t.Recv() != nil {
			n++
		}
		if n > maxWidth {
			return fmt.Sprintf("cells cannot use a function with %d parameters and results", n)
		}
	}
	for part := range parts(t) {
		if why := refused(part, seen); why != "" {
			return why
		}
	}
	return ""
}

// known reports whether cells may use the types of a package.
func known(path string) bool {
	return path == "main" || path == engine.HostPath || stdlib.Allowed(path)
}

// describes reports whether a type of package reflect is Type or Kind, which only describe types.
func describes(obj *types.TypeName) bool {
	return obj.Pkg().Path() == "reflect" && (obj.Name() == "Type" || obj.Name() == "Kind")
}

// gateAdvice returns an alternative to what the gate refuses.
func gateAdvice(msg string) string {
	what, used := strings.CutPrefix(msg, "cells cannot use ")
	name, changed := strings.CutPrefix(msg, "cells cannot change ")
	switch {
	case changed && strings.HasPrefix(name, "a "):
		return "keep a pointer to it in a variable, and let the variable point to another one"
	case changed:
		return "the packages and the notebook itself use it; make a variable of your own, as in my := " + name
	case !used:
		return ""
	case strings.HasPrefix(what, "unsafe."):
		return "cells have no access to memory: use ordinary pointers, atomic.Pointer[T] or a sync.Mutex"
	case strings.HasPrefix(what, "a function with"):
		return "give it a struct or a slice instead"
	case strings.HasPrefix(what, "time.Location"):
		return "use *time.Location"
	}
	return "cells have no access to memory: use a type switch, %v and %T of fmt, or the text of the error"
}
