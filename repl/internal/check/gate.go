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

// gate finds what a checked file must not do although it is valid Go. Every type check passes it, so that
// it holds for both engines.
//
//   - No operand has a type that reaches memory. Such types cannot be named, because their packages cannot
//     be imported, but fields, methods and inferred type arguments have them.
//   - The variables of packages stay as they are: the notebook itself uses these packages.
type gate struct {
	s     *Session
	info  *types.Info
	known map[types.Type]string // refusals by type, empty for types that may be used
	found []types.Error
}

// guard is what the gate finds in files, in order of place.
func (s *Session) guard(files []*ast.File, info *types.Info) []types.Error {
	g := &gate{s: s, info: info, known: map[types.Type]string{}}
	for e, tv := range info.Types {
		g.operand(e.Pos(), tv.Type)
	}
	for id, obj := range info.Defs {
		if f, ok := obj.(*types.Func); ok { // the others have the types of expressions
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
	why, ok := g.known[t]
	if !ok {
		why = Refused(t)
		g.known[t] = why
	}
	if why != "" {
		g.refuse(pos, why)
	}
}

// path looks at the embedded fields on the way to a promoted field or method.
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

// maxWidth bounds the parameters and results of a function: package reflect makes no type of more than
// 128, and the engines add one.
const maxWidth = 127

// Refused says why no operand of a cell may have a type; it is empty for types that cells may use. A type
// is refused if it is, or is made of, one of a package that cells cannot import: such types lead to
// memory (reflect, unsafe), and the engines know nothing of them. Of reflect they may use Type and Kind,
// which hand out nothing but names, sizes and each other; a method that returns something else is refused
// for its signature. What the fields of a named type hold is looked at where a cell selects them.
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

// known reports whether the types of a package are for cells.
func known(path string) bool {
	return path == "main" || path == engine.HostPath || stdlib.Allowed(path)
}

// describes reports whether a type of package reflect describes types and nothing else.
func describes(obj *types.TypeName) bool {
	return obj.Pkg().Path() == "reflect" && (obj.Name() == "Type" || obj.Name() == "Kind")
}

// gateAdvice says what to write in place of what the gate refuses.
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
