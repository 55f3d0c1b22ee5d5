package check

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/gorlm/rlm/repl/internal/cell"
	"github.com/gorlm/rlm/repl/internal/engine"
)

// Session is the front end's state of a session between cells. Only one goroutine may use it.
type Session struct {
	fset     *token.FileSet
	importer types.Importer
	host     *types.Package
	// pkg is the package of all cells. go/types allows setting unexported fields by position only within one
	// package, and cannot remove an object from a scope. So hoisted files declare only names that are new to pkg.
	pkg   *types.Package
	modes operandModes
	// visible maps names to their meaning in the next cell.
	visible map[string]*Symbol
	// objects are all package-level objects of the session by their names in hoisted files.
	objects map[string]types.Object
	// symbols are the symbols of the session by their names in hoisted files, including those no longer visible.
	symbols map[string]*Symbol
	// hostObjects are the host's objects by their names in cells.
	hostObjects map[string]*hostObject
	// prelude contains the names that the host's own source declared.
	prelude map[string]*Symbol
	// aliases maps the names of renamed imports that persist to their paths.
	aliases map[string]string
	// generators is the value that resolver.generators had after the last cell.
	generators bool
	dots       []string
	sites      int
	hostTypes  *hostTypes
	signals    []string // functions of the prelude that do not return
	// types lists all types that cells declared, by name, oldest first.
	types map[string][]*Symbol
	// generics contains the sources of generic functions and methods, which are checked again when their objects
	// are made again.
	generics map[string]*genericSource
	// lost maps the names that are undeclared because their cell ended early to the number of that cell.
	lost map[string]int
	// unrun maps a name to the last cell that declares it but was not run; programs contains the sources of cells
	// with a function main.
	unrun    map[string]int
	programs map[int]string
}

// hostObject is an object of the host.
type hostObject struct {
	obj    types.Object
	sited  types.Object // the form that also takes the number of its Call; nil if there is none
	byName bool
	signal bool
	prints bool
	usage  string
}

// Builtin is a function of the host that cells may call.
type Builtin struct {
	Name string
	// Type is the function's type; cells do not pass the first Skip parameters.
	Type reflect.Type
	Skip int
	// Sited functions also receive the number of their Call.
	Sited bool
	// ByName functions look variables up by name: an identifier as an argument stands for its name.
	ByName bool
	// Signal functions do not return.
	Signal bool
	// Prints functions print their result if the call is a whole statement.
	Prints bool
	// Usage shows a call of the function in one line, for messages; if it is empty, they show the type.
	Usage string
}

// NewSession makes an empty session. vars maps names of the host's variables to pointers to them.
func NewSession(importer types.Importer, builtins []Builtin, vars map[string]any) (*Session, []engine.Native, error) {
	s := &Session{
		fset: token.NewFileSet(), importer: importer, host: types.NewPackage(engine.HostPath, "main"),
		pkg: newPackage(), modes: newOperandModes(),
		visible: map[string]*Symbol{}, objects: map[string]types.Object{}, symbols: map[string]*Symbol{},
		hostObjects: map[string]*hostObject{}, prelude: map[string]*Symbol{}, aliases: map[string]string{},
		types: map[string][]*Symbol{}, lost: map[string]int{}, unrun: map[string]int{}, programs: map[int]string{},
		generics: map[string]*genericSource{},
	}
	nt := newHostTypes(importer, s.host)
	s.hostTypes = nt
	var out []engine.Native
	for _, name := range slices.Sorted(maps.Keys(vars)) {
		v := reflect.ValueOf(vars[name])
		t, err := nt.Of(v.Type().Elem())
		if err != nil {
			return nil, nil, fmt.Errorf("variable %s: %w", name, err)
		}
		s.hostObjects[name] = &hostObject{obj: types.NewVar(token.NoPos, s.host, name, t)}
		out = append(out, engine.Native{Name: name, Kind: engine.NativeVar, Value: v, Type: t})
	}
	for _, b := range builtins {
		if s.hostObjects[b.Name] != nil {
			return nil, nil, fmt.Errorf("builtin %s: the name is taken", b.Name)
		}
		natives, err := s.addBuiltin(nt, b)
		if err != nil {
			return nil, nil, fmt.Errorf("builtin %s: %w", b.Name, err)
		}
		out = append(out, natives...)
	}
	for _, name := range slices.Sorted(maps.Keys(nt.Declared)) {
		t := nt.Declared[name]
		if s.hostObjects[name] != nil {
			return nil, nil, fmt.Errorf("type %s: the name is taken", name)
		}
		named := nt.named[t]
		s.hostObjects[name] = &hostObject{obj: named.Obj()}
		out = append(out, engine.Native{
			Name: name, Kind: engine.NativeType, Value: reflect.Zero(reflect.PointerTo(t)), Type: named,
		})
	}
	for _, host := range s.hostObjects {
		s.pkg.Scope().Insert(host.obj)
	}
	return s, out, nil
}

// addBuiltin declares a function in both its forms. The caller sets the values.
func (s *Session) addBuiltin(nt *hostTypes, b Builtin) ([]engine.Native, error) {
	sig, err := nt.signature(b.Type, b.Skip)
	if err != nil {
		return nil, err
	}
	nat := &hostObject{
		obj: types.NewFunc(token.NoPos, s.host, b.Name, sig), byName: b.ByName, signal: b.Signal,
		prints: b.Prints, usage: b.Usage,
	}
	s.hostObjects[b.Name] = nat
	out := []engine.Native{{Name: b.Name, Type: sig}}
	if !b.Sited {
		return out, nil
	}
	first := []*types.Var{types.NewParam(token.NoPos, s.host, "", types.Typ[types.Int])}
	if b.ByName {
		first = append(first, types.NewParam(token.NoPos, s.host, "", types.NewSlice(types.NewInterfaceType(nil, nil))))
	}
	for v := range sig.Params().Variables() {
		first = append(first, v)
	}
	sited := types.NewSignatureType(nil, nil, nil, types.NewTuple(first...), sig.Results(), sig.Variadic())
	nat.sited = types.NewFunc(token.NoPos, s.host, b.Name+SiteSuffix, sited)
	return append(out, engine.Native{Name: b.Name + SiteSuffix, Type: sited}), nil
}

// TypeOf returns the type of a compiled value as cells see it; nil if it cannot be converted.
func (s *Session) TypeOf(t reflect.Type) types.Type {
	typ, err := s.hostTypes.Of(t)
	if err != nil {
		return nil
	}
	return typ
}

// HostType returns the type of a variable of the host.
func (s *Session) HostType(name string) types.Type {
	if nat := s.hostObjects[name]; nat != nil {
		return nat.obj.Type()
	}
	return nil
}

// CheckedUnit is a checked cell, ready to run.
type CheckedUnit struct {
	Unit   *engine.Unit
	Change *Change
	// Calls are the cell's calls of builtins that receive their call site.
	Calls []Call
}

// Check turns a cell into a unit. It changes nothing that cells can see; Commit does that. The error is of type
// cell.Errors.
func (s *Session) Check(number int, source string) (*CheckedUnit, error) {
	checked, errs := s.tryCheck(number, source)
	if errs != nil {
		return nil, errs
	}
	return checked, nil
}

func (s *Session) tryCheck(number int, source string) (checked *CheckedUnit, errs cell.Errors) {
	defer func() {
		if r := recover(); r != nil {
			checked, errs = nil, cell.Errors{
				{Message: fmt.Sprintf("the cell cannot be checked (%v); write it in another way", r)},
			}
		}
	}()
	c, errs := cell.Parse(s.fset, number, source)
	if errs != nil {
		return nil, errs
	}
	r, errs := s.resolve(c)
	if errs != nil {
		return nil, errs
	}
	if failed := s.longConstants(c); failed != nil {
		return nil, cell.Errors{failed}
	}
	s.endings(c)
	a := s.redeclare(c, r)
	if a.errs != nil {
		return nil, a.errs
	}
	view := s
	var w *sessionFile
	if len(a.added) > 0 {
		if view, w, errs = s.withMethods(c, r, a.added); errs != nil {
			return nil, errs
		}
		r.s = view
	}
	checked, errs = view.checkCell(c, r, a)
	if errs != nil {
		return nil, errs
	}
	if w != nil {
		checked.Change.world, checked.Change.pkg = w.made, view.pkg
		checked.Unit.Remade, checked.Unit.RemadeInfo = w.remade, w.info
	}
	return checked, nil
}

// checkCell checks a resolved cell, hoists it, and checks the result.
func (s *Session) checkCell(c *cell.Cell, r *resolver, a *redeclarations) (*CheckedUnit, cell.Errors) {
	first := s.firstFile(c, r)
	done := s.scratch(first)
	if len(done.errs) > 0 && embeddedNames(c, done.info) {
		done = s.scratch(first)
	}
	done.errs = s.firstErrors(c, done.errs)
	if errs := s.report(c, done); errs != nil {
		return nil, errs
	}
	h, errs := s.hoist(c, r, a, done)
	if errs != nil {
		return nil, errs
	}
	done = s.check(s.pkg, h.file)
	if errs := s.report(c, done); errs != nil {
		return nil, errs
	}
	return s.finish(h, done), nil
}

// firstFile returns the cell with its statements in a function, as a compiler would accept it.
func (s *Session) firstFile(c *cell.Cell, r *resolver) *ast.File {
	imports, specs := importDecls(r.packages)
	file := *c.File
	file.Decls = slices.Concat(imports, c.File.Decls, []ast.Decl{c.Entry})
	file.Imports = specs
	return &file
}

// firstErrors returns the relevant errors of the first check. It leaves out errors in functions, because only the
// second check knows the cell's variables there, and the error that a last expression is unused.
func (s *Session) firstErrors(c *cell.Cell, found []types.Error) []types.Error {
	var last ast.Stmt
	if n := len(c.Body.List); n > 0 {
		last = c.Body.List[n-1]
	}
	return slices.DeleteFunc(found, func(e types.Error) bool {
		if es, ok := last.(*ast.ExprStmt); ok && e.Pos >= es.Pos() && e.Pos <= es.End() &&
			strings.HasSuffix(e.Msg, "is not used") {
			return true
		}
		for _, d := range c.File.Decls {
			if fd, ok := d.(*ast.FuncDecl); ok && fd.Body != nil && e.Pos >= fd.Body.Pos() && e.Pos <= fd.Body.End() {
				return true
			}
		}
		return false
	})
}

// finish makes the unit of a hoisted cell.
func (s *Session) finish(h *hoister, done typedFile) *CheckedUnit {
	h.collect(done)
	h.restoreMethods(done.info)
	s.printHeld(h.file, done.info)
	h.change.Notes = append(h.change.Notes, s.slips(h.file, done.info)...)
	t := &callRewriter{
		s: s, c: h.c, done: done, info: done.info, next: s.sites, quoted: h.r.quoted,
		alone: map[ast.Expr]bool{},
	}
	ast.Inspect(h.file, t.node)
	h.change.sites = t.next
	h.change.generics = genericsOf(h.file)
	u := &engine.Unit{
		Cell: h.c.Number, Fset: s.fset, File: h.file, Pkg: s.pkg, Info: done.info, Entry: h.entry,
		Source: h.c.Source,
	}
	for _, path := range h.r.packages {
		u.Imports = append(u.Imports, path)
	}
	slices.Sort(u.Imports)
	u.Imports = slices.Compact(u.Imports)
	for _, name := range slices.Sorted(maps.Keys(done.objects)) {
		if v, ok := done.objects[name].(*types.Var); ok {
			u.Vars = append(u.Vars, v)
		}
	}
	return &CheckedUnit{Unit: u, Change: h.change, Calls: t.calls}
}
