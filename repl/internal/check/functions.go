package check

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/gorlm/rlm/repl/internal/cell"
)

// maxRelinked bounds how many earlier versions of a function are linked directly to the newest; calls of still
// older versions pass through these.
const maxRelinked = 8

// declareFuncs moves the cell's declarations into the hoisted file. Every function checks its own patch variable
// before it runs; through this variable a later cell can replace the function for all callers.
func (h *hoister) declareFuncs() {
	for _, d := range h.c.File.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			h.declareFunc(d)
		case *ast.GenDecl:
			if d.Tok == token.VAR {
				continue
			}
			h.decls = append(h.decls, d)
			for _, spec := range d.Specs {
				if t, ok := spec.(*ast.TypeSpec); ok {
					h.texts[t.Name.Name] = printed(t)
				}
			}
		}
	}
}

func (h *hoister) declareFunc(d *ast.FuncDecl) {
	h.decls = append(h.decls, d)
	fn, ok := h.info.Defs[d.Name].(*types.Func)
	switch {
	case d.Recv == nil && d.Name.Name == "init":
		d.Name.Name = h.s.fresh("init", h.taken)
		h.inits = append(h.inits, d.Name.Name)
		return
	case !ok || d.Body == nil || d.Name.Name == "_":
		return
	case d.Recv != nil:
		m := &method{text: printed(d), head: printed(headOf(d))}
		base, name := h.receiverName(fn), d.Name.Name
		h.change.methods = append(h.change.methods, methodChange{base, name, m})
		if patch := h.patchable(d, fn, base+"_"+name); patch != "" {
			m.patches = []string{patch}
		}
		return
	case h.redeclared.moved[d] != nil:
		h.declareMoved(d, fn, h.redeclared.moved[d])
		return
	}
	name := fn.Name()
	patch := h.patchable(d, fn, d.Name.Name)
	sym := &Symbol{Name: name, Cell: h.c.Number, Patch: patch}
	h.funcs = append(h.funcs, namedFunc{d.Name.Name, sym})
	if old := h.s.visible[name]; old != nil && old.Cell > 0 {
		h.relink(sym, old, d, fn)
	}
}

// declareMoved declares a method of a type from an earlier cell; in the hoisted file the method becomes a function.
func (h *hoister) declareMoved(d *ast.FuncDecl, fn *types.Func, moved *methodDecl) {
	m := &method{text: moved.text, head: moved.head}
	patch := h.patchable(d, fn, d.Name.Name)
	if moved.old != nil {
		for _, p := range moved.old.patches {
			h.patches = append(h.patches, h.assign(token.ASSIGN, h.w.ident(p), h.w.ident(d.Name.Name)))
		}
		m.patches = slices.Clone(moved.old.patches)
	}
	if patch != "" {
		m.patches = append(m.patches, patch)
	}
	h.change.methods = append(h.change.methods, methodChange{moved.typ.Obj.Name(), moved.name, m})
}

// restoreMethods turns the functions that stand for added methods of earlier types into methods again.
func (h *hoister) restoreMethods(info *types.Info) {
	for _, m := range h.redeclared.added {
		d := m.decl
		fn, ok := info.Defs[d.Name].(*types.Func)
		if !ok {
			continue
		}
		sig := fn.Signature()
		var params []*types.Var
		for v := range sig.Params().Variables() {
			params = append(params, v)
		}
		whole := types.NewSignatureType(
			params[0], nil, nil, types.NewTuple(params[1:]...), sig.Results(), sig.Variadic())
		delete(info.Defs, d.Name)
		d.Name = &ast.Ident{NamePos: d.Name.NamePos, Name: m.name}
		info.Defs[d.Name] = types.NewFunc(fn.Pos(), fn.Pkg(), m.name, whole)
		d.Recv = &ast.FieldList{Opening: d.Name.NamePos, List: d.Type.Params.List[:1], Closing: d.Name.NamePos}
		d.Type.Params.List = d.Type.Params.List[1:]
	}
}

// receiverName returns the type of a method's receiver in the hoisted file.
func (h *hoister) receiverName(fn *types.Func) string {
	t := fn.Signature().Recv().Type()
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
	}
	if named, ok := types.Unalias(t).(*types.Named); ok {
		return h.typeName(named.Obj())
	}
	return ""
}

// patchable makes a function replaceable and returns its patch variable; empty for generic functions and main.
func (h *hoister) patchable(d *ast.FuncDecl, fn *types.Func, name string) string {
	sig := fn.Signature()
	if sig.TypeParams().Len() > 0 || sig.RecvTypeParams().Len() > 0 || fn.Name() == "main" {
		return ""
	}
	h.w.pos = d.Body.Lbrace
	full, err := h.w.signature(withReceiver(sig), false)
	if err != nil {
		return ""
	}
	patch := h.s.fresh(name+cell.Mark, h.taken)
	h.decls = append(h.decls, &ast.GenDecl{TokPos: d.Pos(), Tok: token.VAR, Specs: []ast.Spec{
		&ast.ValueSpec{Names: []*ast.Ident{h.w.ident(patch)}, Type: full},
	}})
	d.Body.List = append([]ast.Stmt{h.detour(d, sig, patch)}, d.Body.List...)
	return patch
}

func withReceiver(sig *types.Signature) *types.Signature {
	if sig.Recv() == nil {
		return sig
	}
	params := []*types.Var{sig.Recv()}
	for v := range sig.Params().Variables() {
		params = append(params, v)
	}
	return types.NewSignatureType(nil, nil, nil, types.NewTuple(params...), sig.Results(), sig.Variadic())
}

// detour builds: if patch != nil { return patch(params...) }.
func (h *hoister) detour(d *ast.FuncDecl, sig *types.Signature, patch string) ast.Stmt {
	var args []ast.Expr
	if d.Recv != nil {
		args = append(args, h.paramNames(d.Recv)...)
	}
	args = append(args, h.paramNames(d.Type.Params)...)
	call := &ast.CallExpr{Fun: h.w.ident(patch), Lparen: h.w.pos, Args: args, Rparen: h.w.pos}
	if sig.Variadic() {
		call.Ellipsis = h.w.pos
	}
	body := []ast.Stmt{&ast.ReturnStmt{Return: h.w.pos, Results: []ast.Expr{call}}}
	if sig.Results().Len() == 0 {
		body = []ast.Stmt{&ast.ExprStmt{X: call}, &ast.ReturnStmt{Return: h.w.pos}}
	}
	return &ast.IfStmt{
		If:   h.w.pos,
		Cond: &ast.BinaryExpr{X: h.w.ident(patch), OpPos: h.w.pos, Op: token.NEQ, Y: h.w.ident("nil")},
		Body: &ast.BlockStmt{Lbrace: h.w.pos, List: body, Rbrace: h.w.pos},
	}
}

// paramNames returns the parameters as arguments, after naming the unnamed ones.
func (h *hoister) paramNames(list *ast.FieldList) []ast.Expr {
	var out []ast.Expr
	for _, f := range list.List {
		if len(f.Names) == 0 {
			f.Names = []*ast.Ident{{NamePos: f.Type.Pos(), Name: "_"}}
		}
		for _, id := range f.Names {
			if id.Name == "_" {
				h.params++
				id.Name = paramName(h.params)
			}
			out = append(out, h.w.ident(id.Name))
		}
	}
	return out
}

// relink links the earlier functions of the same name and type to the new one. If that is impossible, it notes
// which functions still call the earlier one.
func (h *hoister) relink(sym, old *Symbol, d *ast.FuncDecl, fn *types.Func) {
	was, ok := old.Obj.(*types.Func)
	if !ok {
		return
	}
	same := types.Identical(was.Signature(), fn.Signature())
	if same && old.Patch != "" {
		sym.older = append(append(sym.older, old.older...), old)
		if n := len(sym.older); n > maxRelinked {
			sym.older = sym.older[n-maxRelinked:]
		}
		for _, o := range sym.older {
			h.patches = append(h.patches, h.assign(token.ASSIGN, h.w.ident(o.Patch), h.w.ident(d.Name.Name)))
		}
		return
	}
	for user := range old.users {
		if cell.Display(user) == sym.Name {
			continue
		}
		why := "has another signature now"
		if same {
			why = "is generic"
		}
		h.change.Notes = append(h.change.Notes, "the function "+cell.Display(user)+" still calls the earlier "+sym.Name+
			", because "+sym.Name+" "+why+"; declare "+cell.Display(user)+" again to use the new one")
	}
}

func (h *hoister) assign(tok token.Token, lhs, rhs ast.Expr) ast.Stmt {
	return &ast.AssignStmt{Lhs: []ast.Expr{lhs}, TokPos: h.w.pos, Tok: tok, Rhs: []ast.Expr{rhs}}
}
