package check

import (
	"go/ast"
	"go/types"
	"strconv"
)

// genericSource is a generic function, or a method of a generic type, as written in its hoisted file.
type genericSource struct {
	decl     *ast.FuncDecl
	packages map[string]string // imports of the file, by local name
}

// genericsOf returns the generic functions of a file, by genericName.
func genericsOf(file *ast.File) map[string]*genericSource {
	out, packages := map[string]*genericSource{}, map[string]string{}
	for _, spec := range file.Imports {
		packages[spec.Name.Name], _ = strconv.Unquote(spec.Path.Value)
	}
	for _, d := range file.Decls {
		fd, ok := d.(*ast.FuncDecl)
		switch {
		case !ok || fd.Body == nil:
		case fd.Recv != nil:
			if base := genericBase(fd.Recv.List[0].Type); base != "" {
				out[base+"."+fd.Name.Name] = &genericSource{fd, packages}
			}
		case fd.Type.TypeParams != nil:
			out[fd.Name.Name] = &genericSource{fd, packages}
		}
	}
	return out
}

// genericBase returns the name of the generic type of a receiver; empty if the type is not generic.
func genericBase(e ast.Expr) string {
	generic := false
	for {
		switch x := e.(type) {
		case *ast.StarExpr:
			e = x.X
		case *ast.ParenExpr:
			e = x.X
		case *ast.IndexExpr:
			e, generic = x.X, true
		case *ast.IndexListExpr:
			e, generic = x.X, true
		case *ast.Ident:
			if generic {
				return x.Name
			}
			return ""
		default:
			return ""
		}
	}
}

// genericName returns a unique key for a generic function in the session's generics.
func genericName(recv *types.Var, fn *types.Func) string {
	if recv == nil {
		return fn.Name()
	}
	t := recv.Type()
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
	}
	if named, ok := t.(*types.Named); ok {
		return named.Obj().Name() + "." + fn.Name()
	}
	return ""
}
