package check

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"

	"github.com/gorlm/rlm/repl/internal/cell"
)

// withMethods returns the session with methods added to its types. go/types cannot add a method to a type that was
// checked before, nor remove it again if the cell turns out to be wrong. So the declarations of the whole session
// are checked again together with the methods. That is rare, and takes microseconds for each declaration.
func (s *Session) withMethods(c *cell.Cell, r *resolver, added []*methodDecl) (*Session, *sessionFile, cell.Errors) {
	w := &sessionFile{s: s, packages: map[string]string{}, made: map[string]types.Object{}}
	w.types = &typeWriter{name: func(obj *types.TypeName) string { return obj.Name() }, use: w.use, pos: c.Body.Pos()}
	for _, obj := range s.objects {
		w.declare(obj)
	}
	for _, m := range added {
		params := *m.decl.Type.Params
		recv := *params.List[0]
		params.List = params.List[1:]
		w.decls = append(w.decls, &ast.FuncDecl{
			Recv: &ast.FieldList{List: []*ast.Field{&recv}},
			Name: &ast.Ident{NamePos: m.decl.Name.NamePos, Name: m.name},
			Type: &ast.FuncType{Func: m.decl.Type.Func, Params: &params, Results: m.decl.Type.Results},
		})
	}
	imports, specs := importDecls(w.packages)
	for name, path := range r.packages {
		if w.packages[name] == "" {
			more, spec := importDecls(map[string]string{name: path})
			imports, specs = append(imports, more...), append(specs, spec...)
		}
	}
	file := &ast.File{Name: ast.NewIdent("main"), Decls: append(imports, w.decls...), Imports: specs}
	done := s.scratch(append([]*ast.File{file}, w.generics...)...)
	done.errs = slices.DeleteFunc(done.errs, func(e types.Error) bool { return e.Soft || w.within(e.Pos) })
	if errs := s.report(c, done); errs != nil {
		return nil, nil, errs
	}
	maps.Copy(w.made, done.objects)
	w.constants()
	w.info = done.info
	return s.with(done.pkg, w.made), w, nil
}

// with returns the session with its objects replaced by those in made; pkg is the package that declares them.
func (s *Session) with(pkg *types.Package, made map[string]types.Object) *Session {
	out := *s
	out.pkg = pkg
	out.objects = maps.Clone(s.objects)
	maps.Copy(out.objects, made)
	out.symbols = maps.Clone(s.symbols)
	for name, obj := range made {
		if sym := s.symbols[name]; sym != nil {
			copied := *sym
			copied.Obj = obj
			out.symbols[name] = &copied
		}
	}
	out.visible = make(map[string]*Symbol, len(s.visible))
	for name, sym := range s.visible {
		out.visible[name] = out.symbols[sym.Obj.Name()]
	}
	for _, obj := range out.objects {
		pkg.Scope().Insert(obj)
	}
	for _, host := range s.hostObjects {
		pkg.Scope().Insert(host.obj)
	}
	return &out
}

// at returns an object's name as an identifier at the object's position: go/types requires that every declaration
// has a position.
func at(obj types.Object) *ast.Ident { return &ast.Ident{NamePos: obj.Pos(), Name: obj.Name()} }

// sessionFile writes the declarations of a session as a file.
type sessionFile struct {
	s        *Session
	types    *typeWriter
	packages map[string]string
	decls    []ast.Decl
	generics []*ast.File // a file for each generic function or method, with the imports of its source
	remade   []*ast.FuncDecl

	made map[string]types.Object
	info *types.Info
}

// within reports whether a position is in a generic function. Errors there are ignored, because the function was
// checked when it was declared.
func (w *sessionFile) within(pos token.Pos) bool {
	return slices.ContainsFunc(w.remade, func(d *ast.FuncDecl) bool { return d.Pos() <= pos && pos < d.End() })
}

func (w *sessionFile) use(name, path string) string {
	for {
		have, ok := w.packages[name]
		if ok && have == path {
			return name
		}
		if !ok && w.s.free(name) {
			w.packages[name] = path
			return name
		}
		name += cell.Mark + "1"
	}
}

// declare writes the declaration of an object if its type mentions types of cells. An object that cannot be written
// stays unchanged.
func (w *sessionFile) declare(obj types.Object) {
	switch obj := obj.(type) {
	case *types.TypeName:
		w.declareType(obj)
	case *types.Var:
		if t, err := w.types.expr(obj.Type()); err == nil && ofCells(obj.Type(), map[types.Type]bool{}) {
			w.decls = append(w.decls,
				&ast.GenDecl{Tok: token.VAR, Specs: []ast.Spec{&ast.ValueSpec{Names: []*ast.Ident{at(obj)}, Type: t}}})
		}
	case *types.Const:
		w.declareConst(obj)
	case *types.Func:
		if w.s.generics[obj.Name()] != nil || ofCells(obj.Signature(), map[types.Type]bool{}) {
			w.declareFunc(nil, obj)
		}
	}
}

func (w *sessionFile) declareType(obj *types.TypeName) {
	spec := &ast.TypeSpec{Name: at(obj)}
	var err error
	if alias, ok := obj.Type().(*types.Alias); ok {
		spec.Assign = 1
		if spec.TypeParams, err = w.typeParams(alias.TypeParams()); err == nil {
			spec.Type, err = w.types.expr(alias.Rhs())
		}
	} else if named, ok := obj.Type().(*types.Named); ok {
		if spec.TypeParams, err = w.typeParams(named.TypeParams()); err == nil {
			spec.Type, err = w.types.expr(named.Underlying())
		}
		for m := range named.Methods() {
			w.declareFunc(m.Signature().Recv(), m)
		}
	}
	if err == nil && spec.Type != nil {
		spec.Type = indirect(spec.Type)
		w.decls = append(w.decls, &ast.GenDecl{Tok: token.TYPE, Specs: []ast.Spec{spec}})
	}
}

// declareConst writes a constant whose type a cell declared. Constants that cannot be written as literals are made
// again after the check.
func (w *sessionFile) declareConst(obj *types.Const) {
	value := literal(obj.Val(), obj.Pos())
	if value == nil || !ofCells(obj.Type(), map[types.Type]bool{}) {
		return
	}
	if t, err := w.types.expr(obj.Type()); err == nil {
		spec := &ast.ValueSpec{Names: []*ast.Ident{at(obj)}, Type: t, Values: []ast.Expr{value}}
		w.decls = append(w.decls, &ast.GenDecl{Tok: token.CONST, Specs: []ast.Spec{spec}})
	}
}

// literal returns a constant as syntax; nil for fractions and complex numbers.
func literal(v constant.Value, pos token.Pos) ast.Expr {
	switch v.Kind() {
	case constant.Bool:
		return &ast.Ident{NamePos: pos, Name: v.String()}
	case constant.String:
		return &ast.BasicLit{ValuePos: pos, Kind: token.STRING, Value: v.ExactString()}
	case constant.Int:
		digits, negative := strings.CutPrefix(v.ExactString(), "-")
		n := ast.Expr(&ast.BasicLit{ValuePos: pos, Kind: token.INT, Value: digits})
		if negative {
			n = &ast.UnaryExpr{OpPos: pos, Op: token.SUB, X: n}
		}
		return n
	}
	return nil
}

func (w *sessionFile) declareFunc(recv *types.Var, fn *types.Func) {
	if source := w.s.generics[genericName(recv, fn)]; source != nil {
		imports, specs := importDecls(source.packages)
		w.generics = append(w.generics,
			&ast.File{Name: ast.NewIdent("main"), Decls: append(imports, source.decl), Imports: specs})
		w.remade = append(w.remade, source.decl)
		return
	}
	typ, err := w.types.signature(fn.Signature(), false)
	if err != nil {
		return
	}
	if typ.TypeParams, err = w.typeParams(fn.Signature().TypeParams()); err != nil {
		return
	}
	d := &ast.FuncDecl{Name: at(fn), Type: typ}
	if typ.TypeParams != nil {
		d.Body = &ast.BlockStmt{List: []ast.Stmt{&ast.ForStmt{Body: &ast.BlockStmt{}}}}
	}
	if recv != nil {
		t, err := w.types.expr(recv.Type())
		if err != nil {
			return
		}
		d.Recv = &ast.FieldList{List: []*ast.Field{{Type: t}}}
	}
	w.decls = append(w.decls, d)
}

func (w *sessionFile) typeParams(list *types.TypeParamList) (*ast.FieldList, error) {
	if list.Len() == 0 {
		return nil, nil
	}
	out := &ast.FieldList{}
	for p := range list.TypeParams() {
		c, err := w.types.expr(p.Constraint())
		if err != nil {
			return nil, err
		}
		out.List = append(out.List, &ast.Field{Names: []*ast.Ident{at(p.Obj())}, Type: c})
	}
	return out, nil
}

// constants makes the constants again whose types cells declared and that declareConst did not write.
func (w *sessionFile) constants() {
	for name, obj := range w.s.objects {
		c, ok := obj.(*types.Const)
		if !ok || w.made[name] != nil {
			continue
		}
		named, ok := c.Type().(*types.Named)
		if !ok {
			continue
		}
		if t := w.made[named.Obj().Name()]; t != nil && named.Obj().Parent() != nil && packageLevel(named.Obj()) {
			w.made[name] = types.NewConst(c.Pos(), c.Pkg(), name, t.Type(), c.Val())
		}
	}
}

// ofCells reports whether a type mentions one that a cell declared.
func ofCells(t types.Type, seen map[types.Type]bool) bool {
	if seen[t] {
		return false
	}
	seen[t] = true
	if named, ok := t.(interface{ Obj() *types.TypeName }); ok && packageLevel(named.Obj()) {
		return true
	}
	for part := range parts(t) {
		if ofCells(part, seen) {
			return true
		}
	}
	return false
}
