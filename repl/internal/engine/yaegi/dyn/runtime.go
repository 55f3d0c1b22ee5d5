// Package dyn is what lowered cells need at run time: values in interfaces under the types that they have in Go, deferred calls,
// goroutines.
//
// The interpreter's values have lost the names and methods of types declared in cells, and the fields that are not exported. Where
// such a value goes into an interface, it gets its type back (real.go).
package dyn

import (
	"go/types"
	"io"
	"reflect"
	"sync"
	"sync/atomic"

	"github.com/gorlm/rlm/repl/internal/decide"
	"github.com/gorlm/rlm/repl/internal/engine/exact/rtype"
)

// Type is a type of a cell at run time.
type Type struct {
	ID      int
	Go      types.Type
	methods map[string]reflect.Value // each takes the value as any first
	lowered reflect.Type             // of a struct
	real    atomic.Pointer[rtype.Type]
	held    atomic.Pointer[rtype.Type]
}

// Runtime is the state of one session.
type Runtime struct {
	Stdout  io.Writer
	symbols func(path string) map[string]reflect.Value
	host    func(name string) reflect.Type

	mu    sync.RWMutex
	types []*Type
	byKey map[string]int
	cases [][][]int // the types of the clauses of type switches

	building sync.Mutex
	builder  *rtype.Builder
	byReal   sync.Map // *rtype.Type → *Type

	faithful map[string]bool
	globals  map[string]func() any
	ending
	goroutines
	decided
	decide.Timers
}

// NewRuntime makes the state of a session.
func NewRuntime(stdout io.Writer, symbols func(path string) map[string]reflect.Value, host func(name string) reflect.Type) *Runtime {
	r := &Runtime{
		Stdout: stdout, symbols: symbols, host: host, byKey: map[string]int{},
		faithful: map[string]bool{}, globals: map[string]func() any{}, types: []*Type{nil},
	}
	r.builder = rtype.NewBuilder()
	r.builder.Bare, r.builder.Compiled, r.builder.Method = true, r.compiled, r.calledMethod
	r.Stream, r.Starter = r.stream, r.starter
	return r
}

// TypeID is the number of a type. Identical types have one number.
func (r *Runtime) TypeID(t types.Type) int {
	key := Key(t)
	r.mu.Lock()
	defer r.mu.Unlock()
	if id, ok := r.byKey[key]; ok {
		if !types.IsInterface(t) && methodsOf(t) >= methodsOf(r.types[id].Go) {
			r.types[id].Go = t // the newest objects know methods that were declared later
		}
		return id
	}
	id := len(r.types)
	typ := &Type{ID: id, Go: t, methods: map[string]reflect.Value{}}
	r.types = append(r.types, typ)
	r.byKey[key] = id
	return id
}

func methodsOf(t types.Type) int { return types.NewMethodSet(types.NewPointer(t)).Len() }

// lookup is a type by any of the objects that stand for it: those of a slice, say, may be older than its element's methods.
func (r *Runtime) lookup(t types.Type) *Type {
	r.mu.RLock()
	id, ok := r.byKey[Key(t)]
	r.mu.RUnlock()
	if !ok {
		id = r.TypeID(t)
	}
	return r.typ(id)
}

func (r *Runtime) typ(id int) *Type {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.types[id]
}

// TypeCases registers the clauses of a type switch.
func (r *Runtime) TypeCases(lists [][]int) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.cases = append(r.cases, lists)
	return len(r.cases) - 1
}

// Global registers how to read a package-level variable. It is read by code of its own: the interpreter moves a
// variable when it assigns a struct to it, so that an address would be that of an old value.
func (r *Runtime) Global(name string, read func() any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.globals[name] = read
}

// Plain hands a value through compiled code, which takes off what the interpreter wraps around it.
func (r *Runtime) Plain(v any) any { return v }

// Var is the current value of a package-level variable.
func (r *Runtime) Var(name string) (v any, ok bool) {
	r.mu.RLock()
	read, ok := r.globals[name]
	r.mu.RUnlock()
	if !ok {
		return nil, false
	}
	defer func() {
		if recover() != nil {
			v, ok = nil, false
		}
	}()
	return read(), true
}

// Register adds a method to a type.
func (r *Runtime) Register(id int, name string, method any) {
	t := r.typ(id)
	r.mu.Lock()
	defer r.mu.Unlock()
	t.methods[name] = reflect.ValueOf(method)
}

func (r *Runtime) method(t *Type, name string) (reflect.Value, bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	m, ok := t.methods[name]
	return m, ok
}

// TypeOf is told the interpreter's type of a struct type of a cell by a pointer to it.
func (r *Runtime) TypeOf(id int, p any) {
	t := r.typ(id)
	r.mu.Lock()
	defer r.mu.Unlock()
	t.lowered = reflect.TypeOf(p).Elem()
}

// Key is the same for identical types and for no others.
func Key(t types.Type) string { return rtype.Key(t) }

// UserPackage reports whether a package is made of cells.
func UserPackage(p *types.Package) bool { return p != nil && p.Path() == "main" }

// IsUser reports whether a named type is declared in a cell.
func IsUser(t *types.Named) bool { return UserPackage(t.Obj().Pkg()) }
