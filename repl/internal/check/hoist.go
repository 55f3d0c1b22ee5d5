package check

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strconv"

	"github.com/gorlm/rlm/repl/internal/cell"
)

// Names of the host's objects in hoisted files.
const (
	ShowName   = "show" + cell.Mark   // func(values ...any), with a call site: shows the value of a last expression
	StepName   = "step" + cell.Mark   // var int: the number of steps that the entry function has completed so far
	CalledName = "called" + cell.Mark // func(name string): counts a call of a builtin that is defined by Go source
	HeldName   = "held" + cell.Mark   // func(value any) any: see value.Held
)

// hoister rewrites a checked cell so that its top-level declarations become package-level declarations.
type hoister struct {
	s          *Session
	c          *cell.Cell
	r          *resolver
	first      typedFile
	info       *types.Info // type information of the first check
	w          *typeWriter
	redeclared *redeclarations
	errs       cell.Errors

	taken   map[string]bool
	renamed map[string]string // top-level names of this cell → names in the hoisted file
	fields  map[string]string // embedded fields whose type is renamed
	decls   []ast.Decl
	vars    []hoistedVar
	rounds  map[*ast.Ident]*round
	patches []ast.Stmt // assignments that relink earlier functions
	inits   []string
	funcs   []namedFunc
	params  int // number of unnamed parameters that were given a name
	steps   int
	texts   map[string]string // declarations of types, by their names in the hoisted file
	change  *Change
	entry   string
	file    *ast.File
}

// hoistedVar is a variable of the cell's top level.
type hoistedVar struct {
	name, engine string
	typ          types.Type
	pos          token.Pos
	reused       bool
	step         int    // the step after which the variable is set
	last         string // name of the variable that points to the last instance; see round
}

func (s *Session) hoist(c *cell.Cell, r *resolver, a *redeclarations, first typedFile) (*hoister, cell.Errors) {
	h := &hoister{
		s: s, c: c, r: r, redeclared: a, first: first, info: first.info,
		taken: map[string]bool{}, renamed: map[string]string{}, fields: map[string]string{},
		texts: map[string]string{}, change: &Change{},
		entry: cell.EntryName + strconv.Itoa(c.Number),
	}
	for name := range r.packages {
		h.taken[name] = true
	}
	h.w = &typeWriter{name: h.typeName, use: r.use, pos: c.Body.Pos()}
	h.nameDecls()
	h.nameVars()
	h.rename()
	h.declareFuncs()
	stmts := h.statements()
	h.declareVars()
	h.assemble(stmts)
	return h, h.errs
}

// typeName returns the name of a cell's type in the hoisted file.
func (h *hoister) typeName(obj *types.TypeName) string {
	if h.first.declares(obj) {
		if name, ok := h.renamed[obj.Name()]; ok {
			return name
		}
	}
	return obj.Name()
}

// nameDecls names the cell's functions, types and constants in the hoisted file.
func (h *hoister) nameDecls() {
	name := func(id *ast.Ident) {
		if id.Name != "_" {
			h.renamed[id.Name] = h.s.fresh(id.Name, h.taken)
		}
	}
	for _, d := range h.c.File.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil && d.Name.Name != "init" {
				name(d.Name)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					name(spec.Name)
				case *ast.ValueSpec:
					if d.Tok == token.CONST {
						for _, id := range spec.Names {
							name(id)
						}
					}
				}
			}
		}
	}
}

// nameVars finds the variables that the cell declares at top level. For each it decides whether to reuse the
// session's variable of that name (if the type is the same) or to make a new one.
func (h *hoister) nameVars() {
	if h.c.Program {
		for _, d := range h.c.File.Decls {
			if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.VAR {
				for _, spec := range g.Specs {
					for _, id := range spec.(*ast.ValueSpec).Names {
						h.nameVar(id)
					}
				}
			}
		}
		return
	}
	h.findRounds()
	for _, stmt := range h.c.Body.List {
		for _, id := range cell.DeclaredBy(stmt) {
			h.nameVar(id)
		}
	}
}

func (h *hoister) nameVar(id *ast.Ident) {
	obj := h.info.Defs[id]
	if id.Name == "_" || obj == nil {
		return
	}
	v := hoistedVar{name: id.Name, typ: obj.Type(), pos: id.Pos(), step: -1}
	old := h.s.visible[id.Name]
	switch {
	case old != nil && old.Var() && !old.address && h.renamed[id.Name] == "" && types.Identical(old.Obj.Type(), v.typ):
		v.engine, v.reused = old.Obj.Name(), true
	default:
		v.engine = h.s.fresh(id.Name, h.taken)
	}
	if r := h.rounds[id]; r != nil {
		*r = round{h.s.fresh(id.Name, h.taken), v.engine, h.s.fresh(id.Name+"Last", h.taken)}
		v.last, h.renamed[id.Name] = r.last, r.local
	}
	if h.renamed[id.Name] == "" {
		h.renamed[id.Name] = v.engine
	}
	h.vars = append(h.vars, v)
	if old != nil && old.Var() && old.address {
		h.noteStale(old)
	}
}

// noteStale notes which functions still use the old variable.
func (h *hoister) noteStale(old *Symbol) {
	for user := range old.users {
		h.change.Notes = append(h.change.Notes,
			"the function "+cell.Display(user)+" still uses the earlier "+old.Name+", whose address was taken")
	}
}

// namedFunc is a function of the cell and its name in the hoisted file.
type namedFunc struct {
	engine string
	sym    *Symbol
}

// declareVars declares the cell's new variables at package level.
func (h *hoister) declareVars() {
	for _, v := range h.vars {
		if v.reused && v.last == "" {
			continue
		}
		h.w.pos = v.pos
		t, err := h.w.expr(v.typ)
		if err != nil {
			h.errs = append(h.errs, h.c.ErrorAt(
				v.pos, "the variable "+v.name+" cannot live on in the session: "+err.Error(),
				"use it within a function or a { block }, or store it in a variable of an interface type"))
			continue
		}
		declare := func(name string, t ast.Expr) {
			h.decls = append(h.decls, &ast.GenDecl{TokPos: h.w.pos, Tok: token.VAR, Specs: []ast.Spec{
				&ast.ValueSpec{Names: []*ast.Ident{h.w.ident(name)}, Type: t},
			}})
		}
		if v.last != "" {
			declare(v.last, &ast.StarExpr{Star: h.w.pos, X: t})
		}
		if !v.reused {
			declare(v.engine, t)
		}
	}
}

// assemble builds the hoisted file.
func (h *hoister) assemble(stmts []ast.Stmt) {
	h.w.pos = h.c.Body.Lbrace
	body := slices.Concat(h.patches, h.lastRounds(), stmts)
	if name := h.main(); name != "" {
		body = append(body, h.call(name))
	}
	imports, specs := importDecls(h.r.packages)
	decls := append(imports, h.decls...)
	if len(body) > 0 {
		fn := &ast.FuncDecl{
			Name: &ast.Ident{NamePos: h.w.pos, Name: h.entry},
			Type: &ast.FuncType{Func: h.w.pos, Params: &ast.FieldList{Opening: h.w.pos, Closing: h.w.pos}},
			Body: &ast.BlockStmt{Lbrace: h.w.pos, List: body, Rbrace: h.c.Body.Rbrace},
		}
		decls = append(decls, fn)
	} else {
		h.entry = ""
	}
	h.file = &ast.File{
		Package: h.c.File.Package, Name: h.c.File.Name, Decls: decls, Imports: specs,
		FileStart: h.c.File.FileStart, FileEnd: h.c.File.FileEnd,
	}
}

func (h *hoister) call(name string) ast.Stmt {
	return &ast.ExprStmt{X: &ast.CallExpr{Fun: h.w.ident(name), Lparen: h.w.pos, Rparen: h.w.pos}}
}

// main returns the name of the cell's main function, unless the cell calls it itself.
func (h *hoister) main() string {
	name := h.renamed["main"]
	called := name == ""
	ast.Inspect(h.c.Body, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && id.Name == name {
			called = true
		}
		return !called
	})
	obj, ok := h.first.objects["main"].(*types.Func)
	if called || !ok || obj.Signature().Params().Len() > 0 || obj.Signature().Results().Len() > 0 {
		return ""
	}
	return name
}

// reused reports whether a variable of the hoisted file was declared by an earlier cell.
func (h *hoister) reused(engine string) bool {
	for _, v := range h.vars {
		if v.engine == engine {
			return v.reused
		}
	}
	return false
}
