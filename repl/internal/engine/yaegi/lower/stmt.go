package lower

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"github.com/gorlm/rlm/repl/internal/engine/yaegi/dyn"
)

// stmts writes a list of statements. After an empty one the interpreter may lose its way.
func (f *fn) stmts(list []ast.Stmt) {
	before := f.out.Len()
	for _, s := range list {
		f.stmt(s)
	}
	if f.out.Len() == before {
		f.emit("rt.Here()")
	}
}

// block writes the statements of a block and its closing brace.
func (f *fn) block(list []ast.Stmt) {
	f.stmts(list)
	f.emit("}")
}

func (f *fn) stmt(s ast.Stmt) {
	f.begin(s)
	switch s := s.(type) {
	case nil, *ast.EmptyStmt:
	case *ast.ExprStmt:
		f.exprStmt(s)
	case *ast.AssignStmt:
		f.assign(s)
		f.tellStores(s.Lhs)
	case *ast.IncDecStmt:
		op := token.ADD_ASSIGN
		if s.Tok == token.DEC {
			op = token.SUB_ASSIGN
		}
		f.opAssign(s.X, op, f.one(s.X), nil, s.TokPos)
		f.tellStores([]ast.Expr{s.X})
	case *ast.DeclStmt:
		f.declare(s.Decl.(*ast.GenDecl))
	case *ast.BlockStmt:
		f.emit("{")
		f.block(s.List)
	case *ast.IfStmt:
		f.ifStmt(s)
	case *ast.ForStmt:
		f.forStmt(s, "")
	case *ast.RangeStmt:
		f.rangeStmt(s, "")
	case *ast.SwitchStmt:
		f.switchStmt(s, "")
	case *ast.TypeSwitchStmt:
		f.typeSwitch(s, "")
	case *ast.SelectStmt:
		f.selectStmt(s, "")
	case *ast.LabeledStmt:
		f.labeled(s)
	case *ast.BranchStmt:
		f.branch(s)
	case *ast.ReturnStmt:
		f.returnStmt(s)
	case *ast.SendStmt:
		ch := f.under(s.Chan).(*types.Chan)
		c, v := f.value(s.Chan), f.conv(s.Value, ch.Elem())
		f.note(s.Arrow)
		f.emit("%s <- %s", c, v)
	case *ast.GoStmt:
		f.emit("rt.Go(%d, func() { %s })", f.site(s.Pos()), f.delayed(s.Call, ""))
	case *ast.DeferStmt:
		f.deferStmt(s)
	default:
		refuse(s.Pos(), "this statement", "the interpreter does not know it", "write it in another way")
	}
}

// begin prepares for a statement: whether its checks may stand before it.
func (f *fn) begin(s ast.Stmt) {
	f.marked, f.pre = false, true
	switch s.(type) {
	case *ast.ForStmt, *ast.SelectStmt:
		f.early = false
	default:
		f.early = !f.calls(s)
	}
}

// calls reports whether a statement's own expressions call something that could change a variable.
func (f *fn) calls(s ast.Stmt) bool {
	found := false
	ast.Inspect(s, func(n ast.Node) bool {
		if found {
			return false
		}
		switch n := n.(type) {
		case *ast.BlockStmt, *ast.FuncLit:
			return false
		case *ast.CallExpr:
			if f.changes(n) {
				found = true
			}
		case *ast.UnaryExpr:
			if n.Op == token.ARROW {
				found = true
			}
		}
		return !found
	})
	return found
}

// changes reports whether a call could change a variable that the same statement reads.
func (f *fn) changes(e *ast.CallExpr) bool {
	if f.info.Types[e.Fun].IsType() {
		return false
	}
	if id, ok := ast.Unparen(e.Fun).(*ast.Ident); ok {
		if _, ok := f.info.Uses[id].(*types.Builtin); ok {
			return false
		}
	}
	o := calleeFunc(f.info, e.Fun)
	if o == nil || o.Pkg() == nil || dyn.UserPackage(o.Pkg()) {
		return true
	}
	for _, a := range e.Args {
		switch f.under(a).(type) {
		case *types.Signature, *types.Pointer, *types.Interface, *types.Tuple:
			return true
		}
	}
	return false
}

func (f *fn) exprStmt(s *ast.ExprStmt) {
	e := ast.Unparen(s.X)
	call, ok := e.(*ast.CallExpr)
	if !ok {
		f.drop(e)
		return
	}
	text := f.value(call)
	if f.info.Types[call].Value != nil {
		return
	}
	f.emit("%s", text)
}

func (f *fn) declare(d *ast.GenDecl) {
	if d.Tok != token.VAR {
		return
	}
	for _, spec := range d.Specs {
		vs := spec.(*ast.ValueSpec)
		switch {
		case len(vs.Values) == 0:
			for _, id := range vs.Names {
				if id.Name != "_" {
					v := f.info.Defs[id]
					f.emit("var %s %s", f.local(v), f.typ(f.objType(v), id.Pos()))
				}
			}
		case len(vs.Values) == len(vs.Names):
			for i, id := range vs.Names {
				if id.Name == "_" {
					if vs.Type != nil {
						t := f.typeOf(vs.Type)
						f.emit("var %s %s = %s", f.fresh("unused"), f.typ(t, id.Pos()), f.conv(vs.Values[i], t))
					} else {
						f.drop(vs.Values[i])
					}
					continue
				}
				v := f.info.Defs[id]
				text := f.settled(vs.Values[i], f.objType(v))
				f.emit("var %s %s = %s", f.local(v), f.typ(f.objType(v), id.Pos()), text)
			}
		default:
			temps := f.tupleTemps(vs.Values[0])
			from := f.tupleTypes(vs.Values[0], len(vs.Names))
			for i, id := range vs.Names {
				if id.Name != "_" {
					v := f.info.Defs[id]
					f.emit("var %s %s = %s", f.local(v), f.typ(f.objType(v), id.Pos()), f.convert(temps[i], from[i], f.objType(v), id.Pos()))
				}
			}
		}
	}
}

func (f *fn) ifStmt(s *ast.IfStmt) {
	if s.Init != nil {
		f.emit("{")
		f.stmt(s.Init)
		f.marked = false
		f.early = !f.calls(&ast.ExprStmt{X: s.Cond})
	}
	cond := f.condition(s.Cond)
	f.emit("if %s {", cond)
	f.stmts(s.Body.List)
	if s.Else != nil {
		f.emit("} else {")
		f.stmt(s.Else)
	}
	f.emit("}")
	if s.Init != nil {
		f.emit("}")
	}
}

// condition is a boolean expression.
func (f *fn) condition(e ast.Expr) string {
	f.root = true
	text := f.value(e)
	f.root = false
	if tv := f.info.Types[e]; tv.Value != nil {
		return "rt.Bool(" + text + ")"
	}
	return text
}

func (f *fn) labeled(s *ast.LabeledStmt) {
	if f.gotos[s.Label.Name] {
		f.emit("%s:", f.label(s.Label.Name))
		f.emit("rt.Here()")
	}
	switch inner := s.Stmt.(type) {
	case *ast.ForStmt:
		f.begin(inner)
		f.forStmt(inner, s.Label.Name)
	case *ast.RangeStmt:
		f.begin(inner)
		f.rangeStmt(inner, s.Label.Name)
	case *ast.SwitchStmt:
		f.begin(inner)
		f.switchStmt(inner, s.Label.Name)
	case *ast.TypeSwitchStmt:
		f.begin(inner)
		f.typeSwitch(inner, s.Label.Name)
	case *ast.SelectStmt:
		f.begin(inner)
		f.selectStmt(inner, s.Label.Name)
	default:
		f.stmt(s.Stmt)
	}
}

func (f *fn) label(name string) string {
	if l, ok := f.labels[name]; ok {
		return l
	}
	l := f.fresh("L")
	f.labels[name] = l
	return l
}

func (f *fn) returnStmt(s *ast.ReturnStmt) {
	n := 0
	if f.results != nil {
		n = f.results.Len()
	}
	var texts []string
	switch {
	case len(s.Results) == 0:
		texts = f.named
	case len(s.Results) == n:
		built := false
		for i, r := range s.Results {
			text := ""
			if f.named != nil || f.rangeFunc() != nil {
				text = f.settled(r, f.results.At(i).Type())
			} else {
				text = f.conv(r, f.results.At(i).Type())
			}
			texts = append(texts, text)
			built = built || f.callsBuiltin(r)
		}
		if n > 1 && (f.named != nil || built) {
			texts = f.temps(texts, s.Pos())
		}
	default:
		temps := f.tupleTemps(s.Results[0])
		from := f.tupleTypes(s.Results[0], n)
		for i := range n {
			texts = append(texts, f.convert(temps[i], from[i], f.results.At(i).Type(), s.Pos()))
		}
	}
	f.returnTexts(texts, s.Pos())
}

// callsBuiltin reports whether a result is a call of a builtin: the interpreter stores it as the first result.
func (f *fn) callsBuiltin(e ast.Expr) bool {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	return ok && f.info.Types[call.Fun].IsBuiltin()
}

// returnTexts returns values from wherever the function's body stands: in the function itself, in the closure that
// protects it, or in the body of a range over a function.
func (f *fn) returnTexts(texts []string, pos token.Pos) {
	if r := f.rangeFunc(); r != nil {
		r.returns = true
		for i, t := range texts {
			if t != r.results[i] {
				f.emit("%s = %s", r.results[i], t)
			}
		}
		f.emit("%s = -1", r.state)
		f.emit("return false")
		return
	}
	if f.defers != "" {
		f.ended()
		for i, t := range texts {
			if t != f.named[i] {
				f.emit("%s = %s", f.named[i], t)
			}
		}
		f.bareReturn()
		return
	}
	f.ended()
	if len(texts) == 0 {
		f.bareReturn()
		return
	}
	f.emit("return %s", strings.Join(texts, ", "))
}

// bareReturn is a return without values. The interpreter runs in circles where a branch leads straight to one.
func (f *fn) bareReturn() {
	f.emit("%s := 0", f.fresh("d"))
	f.emit("return")
}

// temps puts the results of the function into temporaries, in order.
func (f *fn) temps(texts []string, pos token.Pos) []string {
	out := make([]string, len(texts))
	for i, t := range texts {
		out[i] = f.fresh("t")
		f.emit("var %s %s = %s", out[i], f.typ(f.results.At(i).Type(), pos), t)
	}
	return out
}

func (f *fn) deferStmt(s *ast.DeferStmt) {
	p := f.fresh("panics")
	text := f.delayed(s.Call, p)
	f.emit("rt.Push(%s, func(%s *rt.Panics) { %s })", f.defers, p, text)
}

// delayed is a call whose function and arguments are evaluated now and which runs later. panics is the name of the
// parameter through which it may recover; empty for a go statement.
func (f *fn) delayed(e *ast.CallExpr, panics string) string {
	state := "nil"
	if panics != "" {
		state = panics
	}
	if id, ok := ast.Unparen(e.Fun).(*ast.Ident); ok {
		if b, ok := f.info.Uses[id].(*types.Builtin); ok {
			return f.delayedBuiltin(e, b.Name())
		}
	}
	if f.info.Types[e.Fun].IsType() {
		refuse(e.Pos(), "a deferred conversion", "it has no effect", "leave it out")
	}
	sig := f.under(e.Fun).(*types.Signature)
	var args []string
	var from []types.Type
	if len(e.Args) == 1 && sig.Params().Len() > 0 {
		if tuple, ok := f.typeOf(e.Args[0]).(*types.Tuple); ok {
			args, from = f.tupleTemps(e.Args[0]), f.typesOf(tuple)
		}
	}
	fun, method := ast.Unparen(e.Fun).(*ast.SelectorExpr)
	if method {
		_, method = f.info.Selections[fun]
	}
	var target string
	lit, isLit := ast.Unparen(e.Fun).(*ast.FuncLit)
	o := calleeFunc(f.info, e.Fun)
	switch {
	case isLit:
		target = f.fresh("lit")
		f.emit("%s := %s", target, f.literal(lit, true))
	case method:
		if sel := f.lookupSelection(fun); sel.obj != nil {
			if m, ok := sel.obj.(*types.Func); ok && isUserMethod(m) && !types.IsInterface(f.pathEnd(f.typeOf(fun.X), sel.index)) {
				key, _ := methodKey(m.Signature().Recv().Type(), m)
				if f.funcRecovers(key) {
					refuse(e.Pos(), "a deferred method that calls recover", "the interpreter would not stop the panic", "defer a function literal that calls recover: defer func() { if r := recover(); r != nil { … } }()")
				}
			}
		}
		target = f.fresh("call")
		f.emit("%s := %s", target, f.value(e.Fun))
	case o == nil:
		target = f.fresh("call")
		f.emit("%s := %s", target, f.value(e.Fun))
	}
	if args == nil {
		args, from = f.delayedArgs(e, sig)
	}
	if target != "" {
		packed := args
		if !e.Ellipsis.IsValid() {
			packed = f.packed(sig, args, from, e.Pos())
		}
		if isLit && f.recovers(lit.Body) {
			packed = append([]string{state}, packed...)
		}
		if !isLit && panics != "" {
			return "rt.HandPanics(" + panics + "); " + target + "(" + strings.Join(packed, ", ") + ")"
		}
		return target + "(" + strings.Join(packed, ", ") + ")"
	}
	return f.delayedStatic(e, o, sig, args, from, state)
}

// delayedStatic is a delayed call of a function that is known by name.
func (f *fn) delayedStatic(e *ast.CallExpr, o *types.Func, sig *types.Signature, args []string, from []types.Type, state string) string {
	if f.isNativeCall(e.Fun, o) {
		if e.Ellipsis.IsValid() {
			args[len(args)-1] += "..."
			return f.nativeName(o, e.Pos()) + "(" + strings.Join(args, ", ") + ")"
		}
		return f.nativeName(o, e.Pos()) + "(" + strings.Join(f.nativeArgs(o, sig, args, from, e.Pos()), ", ") + ")"
	}
	if !e.Ellipsis.IsValid() {
		args = f.packed(sig, args, from, e.Pos())
	}
	key, display := f.funcKey(o)
	if f.funcRecovers(key) {
		args = append([]string{state}, args...)
	}
	return f.instance(key, display, f.typeArgs(e.Fun)) + "(" + strings.Join(args, ", ") + ")"
}

// delayedArgs evaluates arguments into temporaries of the parameters' types.
func (f *fn) delayedArgs(e *ast.CallExpr, sig *types.Signature) (args []string, from []types.Type) {
	n := sig.Params().Len()
	for i, a := range e.Args {
		var p types.Type
		if sig.Variadic() && i >= n-1 && !e.Ellipsis.IsValid() {
			p = sig.Params().At(n - 1).Type().(*types.Slice).Elem()
		} else {
			p = sig.Params().At(i).Type()
		}
		t := f.fresh("t")
		f.emit("var %s %s = %s", t, f.typ(p, a.Pos()), f.settled(a, p))
		args = append(args, t)
		from = append(from, p)
	}
	return args, from
}

func (f *fn) delayedBuiltin(e *ast.CallExpr, name string) string {
	switch name {
	case "panic", "print", "println":
		var args []string
		for _, a := range e.Args {
			t := f.fresh("t")
			f.emit("var %s any = %s", t, f.anyOf(a))
			args = append(args, t)
		}
		if name == "panic" {
			return fmt.Sprintf("rt.Panic(%s, %d)", args[0], f.site(e.Pos()))
		}
		return fmt.Sprintf("rt.Builtin%s(%s)", strings.ToUpper(name[:1])+name[1:], strings.Join(args, ", "))
	case "close":
		t := f.fresh("t")
		f.emit("%s := %s", t, f.value(e.Args[0]))
		return "close(" + t + ")"
	case "delete":
		m, k := f.fresh("t"), f.fresh("t")
		mt := f.under(e.Args[0]).(*types.Map)
		f.emit("%s := %s", m, f.value(e.Args[0]))
		f.emit("var %s %s = %s", k, f.typ(mt.Key(), e.Pos()), f.conv(e.Args[1], mt.Key()))
		return "delete(" + m + ", " + k + ")"
	case "recover":
		return "rt.Recover(nil)"
	}
	refuse(e.Pos(), name+" in a defer or go statement", "the interpreter cannot delay it", "put it into a function literal")
	return ""
}
