package lower

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/gorlm/rlm/repl/internal/cell"
	"github.com/gorlm/rlm/repl/internal/engine"
	"github.com/gorlm/rlm/repl/internal/engine/yaegi/dyn"
)

// fn is a function that is being lowered.
type fn struct {
	*unit
	info   *types.Info
	tparam map[*types.TypeParam]types.Type
	std    bool // the function belongs to the standard library

	declared bool // the function is declared, not a function literal
	out      strings.Builder
	vars     map[types.Object]string // local variables
	head     string                  // text before the body
	results  *types.Tuple
	named    []string          // names of the results, if the body is put into a closure
	defers   string            // variable with the deferred calls; empty if there are none
	entry    bool              // this is the unit's entry function
	breaks   map[string]string // labels for break and continue
	root     bool              // the current expression is evaluated first in its statement
	outer    *fn
}

// newFn starts a function with the given type information.
func (l *unit) newFn(info *types.Info, tparam map[*types.TypeParam]types.Type) *fn {
	return &fn{unit: l, info: info, tparam: tparam, vars: map[types.Object]string{}, breaks: map[string]string{}}
}

// instance returns the lowered name of a function with the given type arguments, and lowers the function on first
// use.
func (l *unit) instance(key string, args []types.Type) string {
	id := key
	for _, a := range args {
		id += "|" + dyn.Key(a)
	}
	if name, ok := l.done[id]; ok {
		return name
	}
	src := l.funcs[key]
	if src == nil {
		src = l.standard[key]
	}
	if src == nil || src.decl.Body == nil {
		refuse(token.NoPos, "the function "+cell.Display(key), "the interpreter does not have it",
			"write what it does as a function of the cell")
	}
	name := l.fresh("f_" + plain(strings.ReplaceAll(key, ".", "_")))
	remember(l, l.done, id, name)
	l.queue = append(l.queue, func() { l.lowerFunc(src, name, args) })
	return name
}

// lowerFunc writes one function declaration. args are the type arguments of a generic function, which only the
// standard library can have.
func (l *unit) lowerFunc(src *source, name string, args []types.Type) {
	sig := src.info.Defs[src.decl.Name].(*types.Func).Signature()
	tparam := map[*types.TypeParam]types.Type{}
	for i, a := range args {
		tparam[sig.TypeParams().At(i)] = a
	}
	f := l.newFn(src.info, tparam)
	f.std, f.declared = src.std, true
	f.entry = l.u.Entry != "" && src.info == l.u.Info && src.decl.Recv == nil && src.decl.Name.Name == l.u.Entry
	var head []string
	if sig.Recv() != nil {
		head = append(head, f.param(sig.Recv()))
	}
	f.body(sig, src.decl.Body, head)
	fmt.Fprintf(&l.decls, "func %s%s\n\n", name, f.out.String())
}

// param declares a parameter and returns "name type".
func (f *fn) param(v *types.Var) string {
	name := f.fresh("_p")
	if v.Name() != "" && v.Name() != "_" {
		name = f.local(v)
	}
	t := f.subst(v.Type(), f.tparam)
	if f.declared && !f.std && signed(t) {
		held := f.fresh("held")
		f.head += fmt.Sprintf("%s := %s\n", name, f.held(held, t, v.Pos()))
		return held + " any"
	}
	return name + " " + f.typ(t, v.Pos())
}

// local returns the lowered name of a local variable.
func (f *fn) local(v types.Object) string {
	if name, ok := f.vars[v]; ok {
		return name
	}
	name := f.fresh(plain(v.Name()))
	f.vars[v] = name
	return name
}

func (f *fn) lookup(v types.Object) (string, bool) {
	for g := f; g != nil; g = g.outer {
		if name, ok := g.vars[v]; ok {
			return name, true
		}
	}
	return "", false
}

// body writes "(params) results { … }" of a function or literal.
func (f *fn) body(sig *types.Signature, block *ast.BlockStmt, head []string) {
	for i := range sig.Params().Len() {
		head = append(head, f.param(sig.Params().At(i)))
	}
	f.results = f.subst(sig.Results(), f.tparam).(*types.Tuple)
	hasDefer := hasDefers(block)
	named := sig.Results().Len() > 0 && sig.Results().At(0).Name() != ""
	if named && !f.std && kept(f.info, block, slices.Collect(sig.Results().Variables())) {
		refuse(block.Pos(), "named results that a function literal or a pointer keeps",
			"the interpreter does not set them when the function returns",
			"use a variable of the body, and return it")
	}
	for i := range f.results.Len() {
		if v := sig.Results().At(i); v.Name() != "" && v.Name() != "_" {
			f.named = append(f.named, f.local(v))
		} else if named || hasDefer {
			f.named = append(f.named, f.fresh("_r"))
		}
	}
	results, _ := f.resultsText(f.results, block.Pos())
	f.out.WriteString("(" + strings.Join(head, ", ") + ")" + results + " {\n" + f.head)
	for i, n := range f.named {
		f.emit("var %s %s", n, f.typ(f.results.At(i).Type(), block.Pos()))
	}
	if hasDefer {
		f.defers = f.fresh("defers")
		f.emit("%s := rt.NewDefers()", f.defers)
		f.emit("rt.Protect(%s, func() {", f.defers)
	}
	f.stmts(block.List)
	f.ended()
	if hasDefer {
		f.emit("})")
	}
	if f.named != nil && (hasDefer || !terminates(block.List)) {
		f.emit("return %s", strings.Join(f.named, ", "))
	}
	f.out.WriteString("}")
}

// ended marks the end of the unit's entry function, so that it can be detected if the interpreter leaves the
// function early.
func (f *fn) ended() {
	if f.entry {
		f.emit("rt.Ended()")
	}
}

func terminates(list []ast.Stmt) bool {
	if len(list) == 0 {
		return false
	}
	_, ok := list[len(list)-1].(*ast.ReturnStmt)
	return ok
}

// holds reports whether is returns true for any node of a syntax tree, ignoring function literals.
func holds(n ast.Node, is func(ast.Node) bool) bool {
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		if _, lit := n.(*ast.FuncLit); lit || found {
			return false
		}
		found = n != nil && is(n)
		return !found
	})
	return found
}

// hasDefers reports whether a body defers calls, ignoring function literals inside it.
func hasDefers(body *ast.BlockStmt) bool {
	return holds(body, func(n ast.Node) bool { _, ok := n.(*ast.DeferStmt); return ok })
}

func (f *fn) emit(format string, args ...any) {
	fmt.Fprintf(&f.out, format, args...)
	f.out.WriteByte('\n')
}

// typeOf returns the type of an expression, with type parameters replaced.
func (f *fn) typeOf(e ast.Expr) types.Type {
	t := f.info.TypeOf(e)
	if t == nil {
		refuse(e.Pos(), "this expression", "its type is not known", "write it in another way, in smaller steps")
	}
	return f.subst(t, f.tparam)
}

func (f *fn) under(e ast.Expr) types.Type { return f.typeOf(e).Underlying() }

// objType returns the type of a variable, with type parameters replaced.
func (f *fn) objType(o types.Object) types.Type { return f.subst(o.Type(), f.tparam) }

// native reports whether an object belongs to a compiled package other than that of the host.
func native(o types.Object) bool {
	return o.Pkg() != nil && !dyn.UserPackage(o.Pkg()) && o.Pkg().Path() != engine.HostPath
}
