package check

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strconv"

	"github.com/gorlm/rlm/repl/internal/cell"
	"github.com/gorlm/rlm/repl/internal/engine"
)

// typeWriter writes types as syntax for a hoisted file.
type typeWriter struct {
	// name returns the name of a type that a cell declares.
	name func(obj *types.TypeName) string
	// use imports a package and returns its local name.
	use func(name, path string) string
	pos token.Pos
}

func (w *typeWriter) ident(name string) *ast.Ident { return &ast.Ident{NamePos: w.pos, Name: name} }

// expr returns t as syntax. The error mentions a type that cannot be written outside of its package.
func (w *typeWriter) expr(t types.Type) (ast.Expr, error) {
	switch t := t.(type) {
	case *types.Basic:
		if t.Kind() == types.UnsafePointer || t.Kind() == types.Invalid {
			return nil, fmt.Errorf("type %s has no name here", t)
		}
		return w.ident(types.Default(t).String()), nil
	case *types.Alias:
		return w.named(t.Obj(), t.TypeArgs())
	case *types.Named:
		return w.named(t.Obj(), t.TypeArgs())
	case *types.TypeParam:
		return w.ident(t.Obj().Name()), nil
	case *types.Pointer:
		elem, err := w.expr(t.Elem())
		return &ast.StarExpr{Star: w.pos, X: elem}, err
	case *types.Slice:
		elem, err := w.expr(t.Elem())
		return &ast.ArrayType{Lbrack: w.pos, Elt: elem}, err
	case *types.Array:
		elem, err := w.expr(t.Elem())
		length := &ast.BasicLit{ValuePos: w.pos, Kind: token.INT, Value: strconv.FormatInt(t.Len(), 10)}
		return &ast.ArrayType{Lbrack: w.pos, Len: length, Elt: elem}, err
	case *types.Map:
		key, err := w.expr(t.Key())
		if err != nil {
			return nil, err
		}
		elem, err := w.expr(t.Elem())
		return &ast.MapType{Map: w.pos, Key: key, Value: elem}, err
	case *types.Chan:
		elem, err := w.expr(t.Elem())
		dir := map[types.ChanDir]ast.ChanDir{
			types.SendRecv: ast.SEND | ast.RECV, types.SendOnly: ast.SEND, types.RecvOnly: ast.RECV,
		}[t.Dir()]
		if inner, ok := elem.(*ast.ChanType); ok && inner.Dir == ast.RECV && t.Dir() != types.RecvOnly {
			elem = &ast.ParenExpr{Lparen: w.pos, X: elem}
		}
		return &ast.ChanType{Begin: w.pos, Arrow: w.pos, Dir: dir, Value: elem}, err
	case *types.Signature:
		return w.signature(t, false)
	case *types.Struct:
		return w.structType(t)
	case *types.Interface:
		return w.interfaceType(t)
	case *types.Union:
		return w.union(t)
	}
	return nil, fmt.Errorf("type %s has no name here", t)
}

func (w *typeWriter) named(obj *types.TypeName, args *types.TypeList) (ast.Expr, error) {
	var base ast.Expr
	switch pkg := obj.Pkg(); {
	case pkg == nil || pkg.Path() == engine.HostPath:
		base = w.ident(obj.Name())
	case pkg.Path() == "main":
		base = w.ident(w.name(obj))
	case !known(pkg.Path()):
		return nil, fmt.Errorf("type %s.%s has no name in cells", pkg.Name(), obj.Name())
	case !obj.Exported():
		return nil, fmt.Errorf("type %s.%s is not exported", pkg.Name(), obj.Name())
	default:
		base = &ast.SelectorExpr{X: w.ident(w.use(pkg.Name(), pkg.Path())), Sel: w.ident(obj.Name())}
	}
	if args.Len() == 0 {
		return base, nil
	}
	var list []ast.Expr
	for arg := range args.Types() {
		e, err := w.expr(arg)
		if err != nil {
			return nil, err
		}
		list = append(list, e)
	}
	if len(list) == 1 {
		return &ast.IndexExpr{X: base, Lbrack: w.pos, Index: list[0], Rbrack: w.pos}, nil
	}
	return &ast.IndexListExpr{X: base, Lbrack: w.pos, Indices: list, Rbrack: w.pos}, nil
}

// signature returns a function type; if names is set, its parameters are called p0ʹ, p1ʹ, ….
func (w *typeWriter) signature(sig *types.Signature, names bool) (*ast.FuncType, error) {
	params, err := w.fields(sig.Params(), sig.Variadic(), names)
	if err != nil {
		return nil, err
	}
	results, err := w.fields(sig.Results(), false, false)
	return &ast.FuncType{Func: w.pos, Params: params, Results: results}, err
}

func (w *typeWriter) fields(tuple *types.Tuple, variadic, names bool) (*ast.FieldList, error) {
	list := &ast.FieldList{Opening: w.pos, Closing: w.pos}
	for i := range tuple.Len() {
		t := tuple.At(i).Type()
		last := variadic && i == tuple.Len()-1
		if last {
			t = t.(*types.Slice).Elem()
		}
		e, err := w.expr(t)
		if err != nil {
			return nil, err
		}
		if last {
			e = &ast.Ellipsis{Ellipsis: w.pos, Elt: e}
		}
		field := &ast.Field{Type: e}
		if names {
			field.Names = []*ast.Ident{w.ident(paramName(i))}
		}
		list.List = append(list.List, field)
	}
	return list, nil
}

func paramName(i int) string { return "p" + cell.Mark + strconv.Itoa(i) }

func (w *typeWriter) structType(t *types.Struct) (ast.Expr, error) {
	list := &ast.FieldList{Opening: w.pos, Closing: w.pos}
	for i := range t.NumFields() {
		f := t.Field(i)
		if !f.Exported() && f.Pkg() != nil && f.Pkg().Path() != "main" {
			return nil, fmt.Errorf("type %s has fields of another package", t)
		}
		e, err := w.expr(f.Type())
		if err != nil {
			return nil, err
		}
		field := &ast.Field{Type: e}
		if !f.Embedded() {
			field.Names = []*ast.Ident{w.ident(f.Name())}
		}
		if tag := t.Tag(i); tag != "" {
			field.Tag = &ast.BasicLit{ValuePos: w.pos, Kind: token.STRING, Value: strconv.Quote(tag)}
		}
		list.List = append(list.List, field)
	}
	return &ast.StructType{Struct: w.pos, Fields: list}, nil
}

func (w *typeWriter) interfaceType(t *types.Interface) (ast.Expr, error) {
	list := &ast.FieldList{Opening: w.pos, Closing: w.pos}
	for m := range t.ExplicitMethods() {
		sig, err := w.signature(m.Signature(), false)
		if err != nil {
			return nil, err
		}
		list.List = append(list.List, &ast.Field{Names: []*ast.Ident{w.ident(m.Name())}, Type: sig})
	}
	for e := range t.EmbeddedTypes() {
		expr, err := w.expr(e)
		if err != nil {
			return nil, err
		}
		list.List = append(list.List, &ast.Field{Type: expr})
	}
	return &ast.InterfaceType{Interface: w.pos, Methods: list}, nil
}

func (w *typeWriter) union(t *types.Union) (ast.Expr, error) {
	var out ast.Expr
	for term := range t.Terms() {
		e, err := w.expr(term.Type())
		if err != nil {
			return nil, err
		}
		if term.Tilde() {
			e = &ast.UnaryExpr{OpPos: w.pos, Op: token.TILDE, X: e}
		}
		if out == nil {
			out = e
		} else {
			out = &ast.BinaryExpr{X: out, OpPos: w.pos, Op: token.OR, Y: e}
		}
	}
	return out, nil
}
