package check

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// heldPrinter makes fmt print the targets of pointers in values of tools' types: optional fields are pointers,
// which fmt would print as addresses. Each such argument becomes HeldName(argument), whose result has a Format
// method.
type heldPrinter struct {
	s    *Session
	info *types.Info
	held *hostObject
}

// printHeld rewrites a checked file, and updates the type information.
func (s *Session) printHeld(file *ast.File, info *types.Info) {
	if held := s.hostObjects[HeldName]; held != nil && len(s.prelude) > 0 {
		ast.Inspect(file, (&heldPrinter{s, info, held}).node)
	}
}

func (p *heldPrinter) node(n ast.Node) bool {
	if call, ok := n.(*ast.CallExpr); ok && call.Ellipsis == token.NoPos && p.prints(call.Fun) {
		p.print(call)
	}
	return true
}

func (p *heldPrinter) print(call *ast.CallExpr) {
	sig, ok := p.info.TypeOf(call.Fun).(*types.Signature)
	if !ok || !sig.Variadic() {
		return
	}
	values := call.Args[sig.Params().Len()-1:]
	if len(values) < len(call.Args) && p.asksForType(call.Args[len(call.Args)-len(values)-1]) {
		return
	}
	for i, arg := range values {
		typ := p.info.TypeOf(arg)
		if typ == nil || !p.ofTool(typ) && !p.fromTool(arg) || !hasAddress(typ, nil) || writesItself(typ) {
			continue
		}
		fun := &ast.Ident{NamePos: arg.Pos(), Name: HeldName}
		p.info.Uses[fun] = p.held.obj
		p.info.Types[fun] = p.s.modes.value(p.held.obj.Type())
		values[i] = &ast.CallExpr{Fun: fun, Lparen: arg.Pos(), Args: []ast.Expr{arg}, Rparen: arg.End()}
		p.info.Types[values[i]] = p.s.modes.value(types.NewInterfaceType(nil, nil))
	}
}

// printing returns the function of fmt or log that an expression names; nil if it names anything else.
func printing(info *types.Info, fun ast.Expr) *types.Func {
	sel, ok := ast.Unparen(fun).(*ast.SelectorExpr)
	if !ok {
		return nil
	}
	fn, ok := info.Uses[sel.Sel].(*types.Func)
	if !ok || fn.Pkg() == nil || fn.Pkg().Path() != "fmt" && fn.Pkg().Path() != "log" {
		return nil
	}
	return fn
}

// prints reports whether a function of fmt or log formats its arguments.
func (p *heldPrinter) prints(fun ast.Expr) bool {
	fn := printing(p.info, fun)
	return fn != nil && slices.ContainsFunc(
		[]string{"Print", "Sprint", "Fprint", "Append", "Errorf"}, func(prefix string) bool {
			return strings.HasPrefix(fn.Name(), prefix)
		})
}

// asksForType reports whether the argument before the values is a format that prints types or addresses. A format
// that is not constant counts as one.
func (p *heldPrinter) asksForType(e ast.Expr) bool {
	typ, ok := p.info.TypeOf(e).Underlying().(*types.Basic)
	if !ok || typ.Info()&types.IsString == 0 {
		return false // a writer, not a format
	}
	format := p.info.Types[e].Value
	if format == nil {
		return true
	}
	for part := range strings.SplitSeq(constant.StringVal(format), "%") {
		if verb := strings.TrimLeft(part, "+-# 0123456789.*[]"); verb != "" &&
			strings.ContainsRune("Tp", rune(verb[0])) {
			return true
		}
	}
	return false
}

// ofTool reports whether a type was declared by the host for its tools, or is composed of such types.
func (p *heldPrinter) ofTool(typ types.Type) bool {
	switch typ := types.Unalias(typ).(type) {
	case *types.Named:
		for _, sym := range p.s.prelude {
			if obj, ok := sym.Obj.(*types.TypeName); ok && obj.Name() == typ.Obj().Name() &&
				typ.Obj().Pkg() == p.s.pkg {
				return true
			}
		}
	case interface{ Elem() types.Type }: // pointers, lists, maps
		return p.ofTool(typ.Elem())
	}
	return false
}

// fromTool reports whether an expression selects a part of a value of a tool's type.
func (p *heldPrinter) fromTool(e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.SelectorExpr:
		return p.info.Selections[e] != nil && (p.ofTool(p.info.TypeOf(e.X)) || p.fromTool(e.X))
	case *ast.IndexExpr:
		return p.fromTool(e.X)
	case *ast.StarExpr:
		return p.fromTool(e.X)
	}
	return false
}

// hasAddress reports whether fmt prints an address in values of a type. above lists the types that contain this
// one.
func hasAddress(typ types.Type, above []types.Type) bool {
	if slices.ContainsFunc(above, func(t types.Type) bool { return types.Identical(t, typ) }) {
		return false
	}
	top := len(above) == 0
	above = append(above, typ)
	switch u := typ.Underlying().(type) {
	case *types.Pointer:
		switch u.Elem().Underlying().(type) {
		case *types.Struct, *types.Slice, *types.Array, *types.Map:
			return !top || hasAddress(u.Elem(), above)
		}
		return true
	case *types.Struct:
		for f := range u.Fields() {
			if hasAddress(f.Type(), above) {
				return true
			}
		}
	case interface{ Elem() types.Type }:
		return hasAddress(u.Elem(), above)
	}
	return false
}

// writesItself reports whether fmt prints values of a type through a method.
func writesItself(typ types.Type) bool {
	methods := types.NewMethodSet(typ)
	return slices.ContainsFunc([]string{"Format", "String", "Error"}, func(name string) bool {
		return methods.Lookup(nil, name) != nil
	})
}
