package lower

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/gorlm/rlm/repl/internal/cell"
	"github.com/gorlm/rlm/repl/internal/engine/yaegi/dyn"
)

// What a statement reads beside a call that changes it is read before the call or after it: Go leaves that open, the compiler mostly
// reads after all calls, the interpreter as it goes. Such statements are refused.

// effects are places by key: "v" and a variable, "a" and the type of one, to which a pointer may point, "f" and the name of a field, "e" and
// the type of elements, "d" and the type of what a pointer points to, and parts.
type effects map[string]bool

// parts are fields, and elements of arrays.
const parts = "parts"

func (a effects) add(b effects) {
	for k := range b {
		a[k] = true
	}
}

// body is what a function does to variables that are not its own, before the functions that it calls are looked at.
type body struct {
	writes effects
	calls  []string // keys of functions, methods ("."+name) and variables that hold functions
}

// changed are the places that a call of one of several functions may change.
func (l *unit) changed(keys []string) effects {
	out := effects{}
	seen := map[string]bool{}
	for len(keys) > 0 {
		key := keys[0]
		keys = keys[1:]
		if seen[key] {
			continue
		}
		seen[key] = true
		if len(l.bodies[key]) == 0 && key[0] == 'v' && !strings.Contains(key, cell.Mark) { // a parameter, say; not what a function goes by if it is declared again
			keys = append(keys, anyFunction)
		}
		for _, b := range l.bodies[key] {
			out.add(b.writes)
			keys = append(keys, b.calls...)
		}
	}
	return out
}

// anyFunction is the key of all functions that a value of a function type may be.
const anyFunction = "?"

// noteBodies keeps what the functions of the unit do, under the keys by which calls name them. A literal is known by the variable that
// it is assigned to. A call of a function that is not known may be one of any literal, and of any function that is used as a value.
func (l *unit) noteBodies() {
	named := map[*ast.FuncLit]types.Object{}
	holds := func(lhs, rhs ast.Expr) { // what a variable of a function type may hold
		id, ok := lhs.(*ast.Ident)
		if !ok || l.u.Info.ObjectOf(id) == nil || !isFunc(l.u.Info.TypeOf(id)) {
			return
		}
		o, key := l.u.Info.ObjectOf(id), anyFunction
		if lit, ok := ast.Unparen(rhs).(*ast.FuncLit); ok {
			named[lit] = o
			return
		}
		if f := calleeFunc(l.u.Info, rhs); f != nil {
			key = functionKey(f.Name(), f.Signature().Recv() != nil)
		}
		l.addBody(variableKey(o), body{calls: []string{key}})
	}
	called := map[ast.Expr]bool{}
	ast.Inspect(l.u.File, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			called[ast.Unparen(n.Fun)] = true
		case *ast.SelectorExpr:
			called[n.Sel] = called[n]
		case *ast.Ident:
			if o, ok := l.u.Info.Uses[n].(*types.Func); ok && !called[n] && dyn.UserPackage(o.Pkg()) {
				l.addBody(anyFunction, body{calls: []string{functionKey(o.Name(), o.Signature().Recv() != nil)}})
			}
		case *ast.AssignStmt:
			for i := range n.Lhs {
				holds(n.Lhs[i], n.Rhs[min(i, len(n.Rhs)-1)])
			}
		case *ast.ValueSpec:
			for i := range min(len(n.Names), len(n.Values)) {
				holds(n.Names[i], n.Values[i])
			}
		case *ast.FuncDecl:
			key := functionKey(n.Name.Name, n.Recv != nil)
			if n.Recv == nil {
				remember(l, l.bodies, key, nil) // the new one takes the place of an earlier one
			}
			if n.Name.Name != l.u.Entry {
				l.addBody(key, summary(l.u.Info, n))
			}
		case *ast.FuncLit:
			b := summary(l.u.Info, n)
			l.addBody(anyFunction, b)
			if o := named[n]; o != nil {
				l.addBody(variableKey(o), b)
			}
		}
		return true
	})
}

// functionKey is the key of a function, or of all methods of a name.
func functionKey(name string, method bool) string {
	if method {
		return "." + name
	}
	return "F" + name
}

func (l *unit) addBody(key string, b body) {
	remember(l, l.bodies, key, append(slices.Clip(l.bodies[key]), b))
}

func variableKey(o types.Object) string {
	if v, ok := o.(*types.Var); ok && isGlobal(v) {
		return "v" + o.Name()
	}
	return fmt.Sprintf("v%p", o)
}

// summary is what a function does itself, literals that it calls on the spot included.
func summary(info *types.Info, fn ast.Node) body {
	b := body{writes: effects{}}
	ast.Inspect(fn, func(n ast.Node) bool {
		var places []ast.Expr
		switch n := n.(type) {
		case *ast.AssignStmt:
			places = n.Lhs
		case *ast.IncDecStmt:
			places = []ast.Expr{n.X}
		case *ast.RangeStmt:
			if n.Tok == token.ASSIGN {
				places = []ast.Expr{n.Key, n.Value}
			}
		case *ast.CallExpr:
			if id, ok := ast.Unparen(n.Fun).(*ast.Ident); ok && info.Types[n.Fun].IsBuiltin() {
				if len(n.Args) > 0 && (id.Name == "delete" || id.Name == "clear" || id.Name == "copy") {
					b.writes.add(elements(info.TypeOf(n.Args[0])))
				}
				return true
			}
			b.calls = append(b.calls, calleeKeys(info, n)...)
			b.writes.add(handed(info, n))
		}
		for _, p := range places {
			if p == nil {
				continue
			}
			if isBlank(p) || ownMemory(info, fn, p) {
				continue
			}
			b.writes.add(place(info, p))
		}
		return true
	})
	return b
}

// ownMemory reports whether what a function writes to is, or lies in, a variable of its own.
func ownMemory(info *types.Info, fn ast.Node, p ast.Expr) bool {
	switch e := ast.Unparen(p).(type) {
	case *ast.Ident:
		o := info.ObjectOf(e)
		return o == nil || fn.Pos() <= o.Pos() && o.Pos() < fn.End()
	case *ast.SelectorExpr:
		_, ok := info.TypeOf(e.X).Underlying().(*types.Struct)
		return ok && ownMemory(info, fn, e.X)
	case *ast.IndexExpr:
		_, ok := info.TypeOf(e.X).Underlying().(*types.Array)
		return ok && ownMemory(info, fn, e.X)
	}
	return false
}

// handed are the places that compiled code may change because it is given their address, or a slice to sort.
func handed(info *types.Info, call *ast.CallExpr) effects {
	out := effects{}
	o := calleeFunc(info, call.Fun)
	if o == nil || o.Pkg() == nil || dyn.UserPackage(o.Pkg()) {
		return out
	}
	for _, a := range call.Args {
		if u, ok := ast.Unparen(a).(*ast.UnaryExpr); ok && u.Op == token.AND {
			out.add(place(info, u.X))
			out["d"+typeKey(info.TypeOf(u.X))] = true
		}
		if path := o.Pkg().Path(); path == "sort" || path == "slices" || strings.HasPrefix(path, "math/rand") {
			out.add(elements(info.TypeOf(a)))
		}
	}
	return out
}

// calleeKeys are the keys of what a call may run of what cells declare.
func calleeKeys(info *types.Info, call *ast.CallExpr) []string {
	o := calleeFunc(info, call.Fun)
	switch id, _ := ast.Unparen(call.Fun).(*ast.Ident); {
	case info.Types[call.Fun].IsType() || info.Types[call.Fun].IsBuiltin():
		return nil
	case o == nil && id != nil:
		return []string{variableKey(info.ObjectOf(id))}
	case o == nil:
		if _, ok := ast.Unparen(call.Fun).(*ast.FuncLit); ok {
			return nil
		}
		return []string{anyFunction}
	case o.Pkg() == nil || dyn.UserPackage(o.Pkg()):
		return []string{functionKey(o.Name(), o.Signature().Recv() != nil)}
	}
	path := o.Pkg().Path()
	back := func(a ast.Expr) bool { return isFunc(info.TypeOf(a)) }
	if path == "container/heap" || path == "sort" || slices.ContainsFunc(call.Args, back) { // it calls what it is handed
		return []string{anyFunction}
	}
	if recv := o.Signature().Recv(); recv != nil && types.IsInterface(recv.Type()) {
		return []string{functionKey(o.Name(), true)}
	}
	return nil
}

// place are the places that an assignment to an expression changes.
func place(info *types.Info, e ast.Expr) effects {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		if v, ok := info.ObjectOf(e).(*types.Var); ok {
			return effects{variableKey(v): true, "a" + typeKey(v.Type()): true}
		}
	case *ast.SelectorExpr:
		return effects{"f" + e.Sel.Name: true, parts: true}
	case *ast.IndexExpr:
		return elements(info.TypeOf(e.X))
	case *ast.StarExpr:
		return effects{"d" + typeKey(info.TypeOf(e)): true}
	}
	return effects{}
}

// elements are those of a slice, map or array.
func elements(t types.Type) effects {
	switch t := t.Underlying().(type) {
	case *types.Array:
		return effects{"e" + typeKey(t.Elem()): true, parts: true}
	case interface{ Elem() types.Type }:
		return effects{"e" + typeKey(t.Elem()): true}
	}
	return effects{}
}

// typeKey is the key of a type. What is made of type parameters may be any.
func typeKey(t types.Type) string {
	if open(t) {
		return anyType
	}
	return dyn.Key(t)
}

const anyType = "?"

func open(t types.Type) bool {
	switch t := types.Unalias(t).(type) {
	case *types.TypeParam:
		return true
	case *types.Named:
		return t.TypeArgs().Len() > 0 && slices.ContainsFunc(slices.Collect(t.TypeArgs().Types()), open)
	case *types.Map:
		return open(t.Key()) || open(t.Elem())
	case interface{ Elem() types.Type }:
		return open(t.Elem())
	}
	return false
}

// seen are the places that a change of an expression's value may be seen at.
func (f *fn) seen(e ast.Expr) effects {
	out := ofType("d", f.typeOf(e))
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		out[variableKey(f.info.ObjectOf(e))] = true
	case *ast.SelectorExpr:
		out["f"+e.Sel.Name] = true
		out.add(ofType("d", f.typeOf(e.X)))
		if p, ok := f.under(e.X).(*types.Pointer); ok {
			out.add(ofType("dae", p.Elem()))
		}
	case *ast.IndexExpr:
		out.add(ofType("e", f.typeOf(e)))
	case *ast.StarExpr: // a variable, an element or a field
		out.add(ofType("ae", f.typeOf(e)))
		out[parts] = true
	}
	switch f.under(e).(type) {
	case *types.Struct, *types.Array:
		out[parts] = true
	}
	return out
}

// ofType are places of a type, by the letters of their keys.
func ofType(letters string, t types.Type) effects {
	out := effects{}
	for _, l := range letters {
		out[string(l)+dyn.Key(t)], out[string(l)+anyType] = true, true
	}
	return out
}
