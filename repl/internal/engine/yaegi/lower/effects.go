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

// body is what a function changes, before the functions that it calls are looked at.
type body struct {
	writes effects
	calls  []string // keys
}

// anyFunction is the key of what a value of a function type may be.
const anyFunction = "?"

// noteBodies notes what the functions of the unit change. A literal is known by the variable that it is assigned to.
func (l *unit) noteBodies() {
	named := map[ast.Node]string{}
	add := func(key string, b body) { remember(l, l.bodies, key, append(slices.Clip(l.bodies[key]), b)) }
	assigned := func(lhs, rhs ast.Expr) {
		id, ok := lhs.(*ast.Ident)
		if !ok || l.u.Info.ObjectOf(id) == nil || !isFunc(l.u.Info.TypeOf(id)) {
			return
		}
		key := variableKey(l.u.Info.ObjectOf(id))
		if lit, ok := ast.Unparen(rhs).(*ast.FuncLit); ok {
			named[lit] = key
		} else {
			add(key, body{calls: []string{anyFunction}})
		}
	}
	ast.Inspect(l.u.File, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for i, lhs := range n.Lhs {
				assigned(lhs, n.Rhs[min(i, len(n.Rhs)-1)])
			}
		case *ast.ValueSpec:
			for i, rhs := range n.Values {
				assigned(n.Names[i], rhs)
			}
		case *ast.FuncDecl:
			if n.Name.Name != l.u.Entry {
				named[n] = functionKey(n.Name.Name, n.Recv != nil)
			}
			if n.Recv == nil {
				remember(l, l.bodies, named[n], nil) // the new one takes the place of an earlier one
			}
		}
		key, ok := named[n]
		if _, lit := n.(*ast.FuncLit); !ok && !lit {
			return true
		}
		b := summary(l.u.Info, n)
		add(key, b)
		for place := range b.writes {
			remember(l, l.written, place, true)
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

// changed are the places that a call of a function may change.
func (l *unit) changed(key string) effects {
	if key == "" {
		return nil
	}
	out, keys := effects{}, []string{key}
	for i := 0; i < len(keys); i++ {
		unknown := keys[i][0] == 'v' && len(l.bodies[keys[i]]) == 0 && !strings.Contains(keys[i], cell.Mark) // not what a redeclared function goes by
		if keys[i] == anyFunction || unknown {
			return l.written
		}
		for _, b := range l.bodies[keys[i]] {
			out.add(b.writes)
			for _, k := range b.calls {
				if !slices.Contains(keys, k) {
					keys = append(keys, k)
				}
			}
		}
	}
	return out
}

// calleeKey is the key of what a call may run of what cells declare; empty if that is nothing.
func calleeKey(info *types.Info, call *ast.CallExpr) string {
	if info.Types[call.Fun].IsType() || info.Types[call.Fun].IsBuiltin() {
		return ""
	}
	o := calleeFunc(info, call.Fun)
	back := func(a ast.Expr) bool { return isFunc(info.TypeOf(a)) }
	switch {
	case o == nil:
		if id, ok := ast.Unparen(call.Fun).(*ast.Ident); ok {
			return variableKey(info.ObjectOf(id))
		}
		return anyFunction
	case o.Pkg() == nil || dyn.UserPackage(o.Pkg()):
		return functionKey(o.Name(), o.Signature().Recv() != nil)
	case o.Pkg().Path() == "container/heap", o.Pkg().Path() == "sort", slices.ContainsFunc(call.Args, back): // it calls what it is handed
		return anyFunction
	case o.Signature().Recv() != nil && types.IsInterface(o.Signature().Recv().Type()):
		return functionKey(o.Name(), true)
	}
	return ""
}

func variableKey(o types.Object) string {
	if v, ok := o.(*types.Var); ok && isGlobal(v) {
		return "v" + o.Name()
	}
	return fmt.Sprintf("v%p", o)
}

// summary is what a function does itself to places that are not its own.
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
			b.writes.add(handed(info, n))
			if key := calleeKey(info, n); key != "" {
				b.calls = append(b.calls, key)
			}
		}
		for _, p := range places {
			if p != nil && !isBlank(p) && !ownMemory(info, fn, p) {
				b.writes.add(place(info, p))
			}
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

// handed are the places that a builtin changes, or compiled code may because it is given their address, or a slice to sort.
func handed(info *types.Info, call *ast.CallExpr) effects {
	out := effects{}
	if info.Types[call.Fun].IsBuiltin() {
		if id, ok := ast.Unparen(call.Fun).(*ast.Ident); ok && len(call.Args) > 0 && (id.Name == "delete" || id.Name == "clear" || id.Name == "copy") {
			out.add(elements(info.TypeOf(call.Args[0])))
		}
		return out
	}
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
