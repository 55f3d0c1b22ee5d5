package exact

import (
	"go/ast"
	"go/token"
	"go/types"
	"iter"
	"maps"
	"reflect"

	"github.com/gorlm/rlm/repl/internal/engine/exact/mem"

	"golang.org/x/tools/go/ssa"

	"github.com/gorlm/rlm/repl/internal/engine"
	"github.com/gorlm/rlm/repl/internal/engine/exact/rtype"
)

// build turns a unit into a package of go/ssa. Declarations of earlier units that the unit mentions are included
// without bodies, because they are called by name; only generic functions have bodies.
func (e *Engine) build(u *engine.Unit) *ssa.Package {
	if e.prog == nil {
		e.prog, e.fset = ssa.NewProgram(u.Fset, ssa.InstantiateGenerics|ssa.BareInits|ssa.GlobalDebug), u.Fset
		e.made[types.Unsafe] = true
		e.prog.CreatePackage(types.Unsafe, nil, nil, true)
	}
	e.fset = u.Fset
	grown := false
	e.types.Forget()
	if e.newest != nil && e.newest != u.Pkg { // types may have new methods
		grown = e.types.Grow(u.Pkg.Scope())
		e.again()
	}
	e.newest = u.Pkg
	info := *u.Info
	info.Uses, info.Defs = maps.Clone(info.Uses), maps.Clone(info.Defs)
	info.Types, info.Implicits, info.Scopes = maps.Clone(info.Types), maps.Clone(info.Implicits),
		maps.Clone(info.Scopes)
	info.Selections, info.Instances = maps.Clone(info.Selections), maps.Clone(info.Instances)
	if info.FileVersions == nil {
		info.FileVersions = map[*ast.File]string{u.File: "go1.26"}
	}
	e.sources.have(u.Pkg.Imports())
	for _, decl := range u.Remade {
		if obj := u.RemadeInfo.Defs[decl.Name]; obj != nil {
			e.generics[obj] = &generic{decl, u.RemadeInfo}
		}
	}
	unread(u.File, &info)
	files := []*ast.File{u.File}
	if earlier := e.earlier(u, &info); len(earlier.Decls) > 0 {
		files = append(files, earlier)
	}
	e.mentioned(u.Pkg, &info) // packages that the unit mentions, or the generic functions included with it
	pkg := e.prog.CreatePackage(u.Pkg, files, &info, false)
	pkg.Build()
	e.defineAll(u, &info)
	if grown {
		e.renew()
	}
	return pkg
}

// mentioned adds the packages whose functions and variables a unit uses to the program.
func (e *Engine) mentioned(own *types.Package, info *types.Info) {
	host := &declarations{info: &types.Info{Defs: map[*ast.Ident]types.Object{}}}
	var hosts *types.Package
	for _, obj := range info.Uses {
		p := obj.Pkg()
		if p == nil || p == own || e.made[p] {
			continue
		}
		if p.Path() == engine.HostPath {
			hosts = p
			host.add(obj)
			continue
		}
		switch obj.(type) {
		case *types.Func, *types.Var, *types.Const:
			e.known(p)
		}
	}
	if hosts != nil { // in case the unit uses host objects, which are in no scope
		e.prog.CreatePackage(hosts, []*ast.File{host.file()}, host.info, false)
	}
	for id, obj := range info.Uses {
		if f, ok := obj.(*types.Func); ok && f.Pkg() != nil {
			if from := e.sourceOf(f); from != nil {
				info.Uses[id] = from
			}
		}
	}
}

func (e *Engine) known(p *types.Package) {
	if !e.made[p] {
		e.made[p] = true
		e.prog.CreatePackage(p, nil, nil, false)
	}
}

// declare records the names of the package-level types that a file declares.
func (e *Engine) declare(file *ast.File) {
	for _, d := range file.Decls {
		if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.TYPE {
			for _, spec := range g.Specs {
				e.declared[spec.(*ast.TypeSpec).Name.Name] = true
			}
		}
	}
}

// defineAll makes the functions and methods of a unit the current meaning of their names.
func (e *Engine) defineAll(u *engine.Unit, info *types.Info) {
	for _, d := range u.File.Decls {
		if fd, ok := d.(*ast.FuncDecl); ok && fd.Body != nil {
			if obj, ok := info.Defs[fd.Name].(*types.Func); ok {
				if isGeneric(obj) {
					e.generics[obj] = &generic{fd, info}
				}
				if fn := e.prog.FuncValue(obj); fn != nil {
					e.define(fn)
				}
			}
		}
	}
}

// global returns the memory of a package-level variable. Variables of cells are found by name, because each unit
// has different objects for them.
func (e *Engine) global(g *ssa.Global) mem.Ptr {
	if g.Pkg.Pkg.Path() == "main" {
		return e.storage(g)
	}
	if p, ok := e.globals[g]; ok {
		return p
	}
	p := e.storage(g)
	e.globals[g] = p
	return p
}

func (e *Engine) storage(g *ssa.Global) mem.Ptr {
	elem := g.Type().Underlying().(*types.Pointer).Elem()
	path := g.Pkg.Pkg.Path()
	switch {
	case path == engine.HostPath:
		return mem.In(e.natives[g.Name()].Value)
	case path == "main":
		return e.variable(g.Name(), elem)
	}
	v, ok := e.table(path)[g.Name()]
	if !ok {
		if e.isSource(path) {
			return mem.In(reflect.New(e.types.Reflect(elem)))
		}
		panic("cells cannot use the variable " + path + "." + g.Name())
	}
	if v.CanAddr() {
		return mem.In(v.Addr())
	}
	p := reflect.New(v.Type())
	p.Elem().Set(v)
	return mem.In(p)
}

// table returns the symbols of a package as cells see it.
func (e *Engine) table(path string) map[string]reflect.Value {
	if t, ok := e.tables[path]; ok {
		return t
	}
	t := e.host.Symbols(path)
	e.tables[path] = t
	return t
}

// elsewhere contains types that compiled packages return but that are in no symbol table.
var elsewhere = map[string]reflect.Type{
	"reflect.Type": reflect.TypeFor[reflect.Type](), "reflect.Kind": reflect.TypeFor[reflect.Kind](),
	"iter.Seq[string]": reflect.TypeFor[iter.Seq[string]](), "iter.Seq[[]uint8]": reflect.TypeFor[iter.Seq[[]byte]](),
	"iter.Seq[reflect.Type]": reflect.TypeFor[iter.Seq[reflect.Type]](),
}

// compiledType returns the run-time type of a named type that the program was compiled with. It returns nil for a
// type that is declared in a cell or in source that cells run, and for an instance of atomic.Pointer or iter.Seq.
// It panics for a type that the program contains but no table lists, because this session could only make another
// type, which compiled code would not recognise.
func (e *Engine) compiledType(n *types.Named) reflect.Type {
	obj := n.Obj()
	switch p := obj.Pkg(); {
	case p == nil && obj.Name() == "error":
		return reflect.TypeFor[error]()
	case p == nil || p.Path() == "main" || p.Path() == "$ssa": // $ssa: for defer statements
		return nil
	case p.Path() == engine.HostPath:
		if t := e.natives[obj.Name()]; t.Kind == engine.NativeType && t.Value.IsValid() {
			return t.Value.Type().Elem()
		}
	case n.TypeArgs().Len() > 0:
		if t := elsewhere[rtype.Key(n)]; t != nil || e.isSource(p.Path()) || p.Path() == "sync/atomic" {
			return t
		}
	case p.Path() == "sync/atomic" && !obj.Exported(): // the type of a field of atomic.Pointer
		return nil
	case e.isSource(p.Path()) && obj.Parent() != p.Scope(): // declared in a function that cells run
		return nil
	default:
		if t := elsewhere[p.Path()+"."+obj.Name()]; t != nil {
			return t
		}
		if v, ok := e.table(p.Path())[obj.Name()]; ok && v.Kind() == reflect.Pointer {
			return v.Type().Elem()
		}
		if t := hidden(e.table(p.Path()), p.Path(), obj.Name()); t != nil || e.isSource(p.Path()) {
			return t
		}
	}
	const why, instead = "cells do not have it", "use another type"
	panic(&engine.RefusedError{Construct: "the type " + rtype.Name(n), Why: why, Instead: instead})
}

// hidden finds an unexported type among those reachable from a package's variables and functions.
func hidden(table map[string]reflect.Value, path, name string) (found reflect.Type) {
	seen := map[reflect.Type]bool{}
	var look func(t reflect.Type)
	look = func(t reflect.Type) {
		if seen[t] {
			return
		}
		seen[t] = true
		if t.Name() == name && t.PkgPath() == path {
			found = t
		}
		switch t.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
			look(t.Elem())
		case reflect.Struct:
			for f := range t.Fields() {
				if f.IsExported() {
					look(f.Type)
				}
			}
		case reflect.Func:
			for in := range t.Ins() {
				look(in)
			}
			for out := range t.Outs() {
				look(out)
			}
		}
	}
	for _, v := range table {
		look(v.Type())
	}
	return found
}
