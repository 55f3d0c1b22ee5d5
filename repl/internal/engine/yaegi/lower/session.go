// Package lower turns a checked Go file into a simpler Go file that yaegi runs exactly.
//
// yaegi loses the names of types, and with them methods, the identity of interface values and unexported fields. It
// also runs several statements wrongly. A lowered file uses only what yaegi runs correctly: no methods, no
// generics, no user-defined interfaces, no defer, no embedded fields, no named types except structs. Interfaces
// contain only values of compiled types. Values of cells' own types reach compiled code only if it reads their
// parts and does not keep them (displaycall.go). Everything else is refused with a *engine.RefusedError.
package lower

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"reflect"
	"strings"

	"github.com/gorlm/rlm/repl/internal/cell"
	"github.com/gorlm/rlm/repl/internal/engine"
	"github.com/gorlm/rlm/repl/internal/engine/yaegi/dyn"
)

// Session is the state of lowering that persists from unit to unit.
type Session struct {
	run      *dyn.Runtime
	symbols  func(path string) map[string]reflect.Value
	host     map[string]engine.Native
	names    int
	globals  map[string]string  // package-level variables by hoisted name
	funcs    map[string]*source // functions and methods by key
	structs  map[string]string  // lowered struct types by key
	done     map[string]string  // lowered functions by the key of their instance
	standard map[string]*source // generic functions of the standard library
	shared   map[string]bool    // variables that a call may change
	trusted  map[string]bool    // variables that functions read in statements with calls; they must stay unshared
	last     []func()           // functions that undo the changes of the last unit
}

// source is a function as written, with its type information.
type source struct {
	decl *ast.FuncDecl
	info *types.Info
	std  bool
}

// NewSession makes a session. symbols returns the native symbol table of an import path.
func NewSession(
	run *dyn.Runtime, symbols func(path string) map[string]reflect.Value, natives []engine.Native,
) *Session {
	s := &Session{
		run: run, symbols: symbols, host: map[string]engine.Native{},
		globals: map[string]string{}, funcs: map[string]*source{}, structs: map[string]string{},
		done: map[string]string{}, standard: map[string]*source{}, shared: map[string]bool{},
		trusted: map[string]bool{},
	}
	for _, n := range natives {
		s.host[n.Name] = n
	}
	return s
}

// PathPrefix precedes the paths of compiled packages in lowered files. Without it the interpreter would recognise
// some packages by their paths, and replace functions of theirs.
const PathPrefix = "std/"

// LoweredUnit is a unit that is ready for the interpreter.
type LoweredUnit struct {
	// Source is a Go file of package main. Its init function runs the unit.
	Source string
	// Imports are the import paths of the native packages that Source imports.
	Imports []string
	// Natives contains the symbols of the package NativesPath, which only this file uses.
	Natives     map[string]reflect.Value
	NativesPath string
}

// unit is a file that is being lowered.
type unit struct {
	*Session
	u         *engine.Unit
	types     strings.Builder
	decls     strings.Builder
	init      strings.Builder   // statements that register variables
	start     strings.Builder   // statements that run the unit
	imports   map[string]string // import path → name in the lowered file
	natives   map[string]reflect.Value
	queue     []func()
	number    int
	inits     int
	initFuncs []string
	pending   []string // types being written, except structs, to detect recursion
	writing   []string // struct types being written
	undo      []func()
}

// Lower lowers a unit. The error, if any, is a *engine.RefusedError. A refused unit does not change the session.
func (s *Session) Lower(u *engine.Unit) (out *LoweredUnit, err error) {
	s.names++
	l := &unit{Session: s, u: u, imports: map[string]string{}, natives: map[string]reflect.Value{}, number: s.names}
	defer func() {
		if r := recover(); r != nil {
			refused, ok := r.(*engine.RefusedError)
			if !ok {
				panic(r)
			}
			for i := len(l.undo) - 1; i >= 0; i-- {
				l.undo[i]()
			}
			out, err = nil, refused
		}
	}()
	l.file()
	for len(l.queue) > 0 {
		next := l.queue[0]
		l.queue = l.queue[1:]
		next()
	}
	s.last = l.undo
	return l.finish(), nil
}

// remember sets m[k]. This is undone if the unit is refused or forgotten.
func remember[V any](l *unit, m map[string]V, k string, v V) {
	old, had := m[k]
	m[k] = v
	l.undo = append(l.undo, func() {
		if had {
			m[k] = old
		} else {
			delete(m, k)
		}
	})
}

func (l *unit) file() {
	l.refuseEarly()
	l.noteShared()
	for _, d := range l.u.File.Decls {
		if fd, ok := d.(*ast.FuncDecl); ok {
			key := l.declKey(fd)
			if fd.Name.Name == "_" || key == "init" {
				continue
			}
			remember(l, l.funcs, key, &source{decl: fd, info: l.u.Info})
			delete(l.done, key)
		}
	}
	for _, d := range l.u.File.Decls {
		if gd, ok := d.(*ast.GenDecl); ok && gd.Tok == token.VAR {
			l.globalVars(gd)
		}
	}
	for _, d := range l.u.File.Decls {
		if fd, ok := d.(*ast.FuncDecl); ok {
			l.declared(fd)
		}
	}
	l.initializers()
	for _, name := range l.initFuncs {
		fmt.Fprintf(&l.start, "\t%s()\n", name)
	}
	if l.u.Entry != "" {
		fmt.Fprintf(&l.start, "\trt.Start(func() { %s() })\n", l.instance(l.u.Entry, nil))
	}
}

// declares reports whether the unit declares a type of this name.
func (l *unit) declares(name string) bool {
	for id, o := range l.u.Info.Defs {
		if _, ok := o.(*types.TypeName); ok && id.Name == name {
			return true
		}
	}
	return false
}

// declKey returns the key of a function or method in Session.funcs: "name" or "Type.name".
func (l *unit) declKey(fd *ast.FuncDecl) string {
	if fd.Recv == nil {
		return fd.Name.Name
	}
	return recvName(fd.Recv.List[0].Type) + "." + fd.Name.Name
}

// recvName returns the name of a receiver's type.
func recvName(e ast.Expr) (name string) {
	ast.Inspect(e, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && name == "" {
			name = id.Name
		}
		return name == ""
	})
	return name
}

// declared lowers a function as soon as it is declared, so that the cell that declares it gets the errors.
func (l *unit) declared(fd *ast.FuncDecl) {
	switch {
	case fd.Name.Name == "_":
	case fd.Recv == nil && fd.Name.Name == "init":
		l.inits++
		key := fmt.Sprintf("init#%d.%d", l.number, l.inits)
		l.funcs[key] = &source{decl: fd, info: l.u.Info}
		l.initFuncs = append(l.initFuncs, l.instance(key, nil))
	default:
		l.instance(l.declKey(fd), nil)
	}
}

func (l *unit) globalVars(gd *ast.GenDecl) {
	for _, spec := range gd.Specs {
		for _, id := range spec.(*ast.ValueSpec).Names {
			if id.Name == "_" {
				continue
			}
			v := l.u.Info.Defs[id].(*types.Var)
			name := l.fresh("g_" + plain(id.Name))
			remember(l, l.globals, id.Name, name)
			fmt.Fprintf(&l.types, "var %s %s\n", name, l.typ(v.Type(), id.Pos()))
			fmt.Fprintf(&l.init, "\trt.Global(%q, func() any { return %s })\n", id.Name,
				l.anyText(name, v.Type(), id.Pos()))
		}
	}
}

// anyText converts a package-level variable to a value of type any.
func (l *unit) anyText(name string, t types.Type, pos token.Pos) string {
	if types.IsInterface(t) || l.run.Compiled(t) == nil && !isFunc(t) {
		return "rt.Plain(" + name + ")"
	}
	return l.newFn(l.u.Info, nil).boxed(name, t, pos)
}

// initializers writes the assignments to package-level variables that are declared with a value, in Go's order.
func (l *unit) initializers() {
	if len(l.u.Info.InitOrder) == 0 {
		return
	}
	f := l.newFn(l.u.Info, nil)
	name := l.fresh("initializers")
	for _, in := range l.u.Info.InitOrder {
		f.checkOrder(&ast.ExprStmt{X: in.Rhs})
		var temps []string
		tuple, several := f.typeOf(in.Rhs).(*types.Tuple)
		if several {
			temps = f.tupleTemps(in.Rhs)
		}
		for i, v := range in.Lhs {
			place := l.globals[v.Name()]
			if v.Name() == "_" {
				place = fmt.Sprintf("var %s %s", f.fresh("unused"), l.typ(v.Type(), in.Rhs.Pos()))
			}
			if several {
				f.emit("%s = %s", place, f.convert(temps[i], tuple.At(i).Type(), v.Type(), in.Rhs.Pos()))
			} else {
				f.emit("%s = %s", place, f.conv(in.Rhs, v.Type()))
			}
		}
	}
	fmt.Fprintf(&l.decls, "func %s() {\n%s}\n\n", name, f.out.String())
	fmt.Fprintf(&l.start, "\t%s()\n", name)
}

func (l *unit) finish() *LoweredUnit {
	path := fmt.Sprintf("u%d", l.number)
	var b strings.Builder
	b.WriteString("package main\n\nimport \"rt\"\n")
	if len(l.natives) > 0 {
		fmt.Fprintf(&b, "import u %q\n", path)
	}
	var imports []string
	for p, name := range l.imports {
		fmt.Fprintf(&b, "import %s %q\n", name, PathPrefix+p)
		imports = append(imports, p)
	}
	fmt.Fprintf(&b, "\n%s\n%s\nfunc init() {\n%s%s}\n", l.types.String(), l.decls.String(), l.init.String(),
		l.start.String())
	return &LoweredUnit{Source: b.String(), Imports: imports, Natives: l.natives, NativesPath: path}
}

// fresh returns a name that is unique in the session.
func (s *Session) fresh(base string) string {
	s.names++
	return fmt.Sprintf("%s_%d", base, s.names)
}

// plain removes the suffix that the front end adds to a redeclared name, and replaces everything but ASCII letters,
// digits and _.
func plain(name string) string {
	name, _, _ = strings.Cut(name, cell.Mark)
	return strings.Map(func(r rune) rune {
		if r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return 'u'
	}, name)
}

// Forget undoes the last unit if the interpreter could not compile it.
func (s *Session) Forget() {
	for i := len(s.last) - 1; i >= 0; i-- {
		s.last[i]()
	}
	s.last = nil
}
