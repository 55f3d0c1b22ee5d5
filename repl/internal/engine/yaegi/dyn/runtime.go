// Package dyn is the run-time support of lowered cells: the types of values in interfaces, deferred calls, the
// order of maps.
package dyn

import (
	"go/types"
	"io"
	"reflect"
	"sync"

	"github.com/gorlm/rlm/repl/internal/decide"
	"github.com/gorlm/rlm/repl/internal/engine/typekey"
)

// Runtime is the state of one session.
type Runtime struct {
	Stdout  io.Writer
	symbols func(path string) map[string]reflect.Value
	host    func(name string) reflect.Type

	mu      sync.RWMutex
	types   []reflect.Type // types by their numbers; number 0 stands for no type
	numbers map[reflect.Type]int
	cases   [][][]int // numbers of the types in the clauses of each type switch

	compiled map[string]reflect.Type // by key
	globals  map[string]func() any
	unitExit
	cellChoices
	decide.Timers
}

// NewRuntime makes the state of a session.
func NewRuntime(
	stdout io.Writer, symbols func(path string) map[string]reflect.Value,
	host func(name string) reflect.Type,
) *Runtime {
	r := &Runtime{
		Stdout: stdout, symbols: symbols, host: host, types: []reflect.Type{nil}, numbers: map[reflect.Type]int{},
		compiled: map[string]reflect.Type{}, globals: map[string]func() any{},
	}
	r.Stream = r.main.Load
	return r
}

// TypeID returns the number of a compiled type.
func (r *Runtime) TypeID(t reflect.Type) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	if id, ok := r.numbers[t]; ok {
		return id
	}
	r.types = append(r.types, t)
	r.numbers[t] = len(r.types) - 1
	return len(r.types) - 1
}

func (r *Runtime) typ(id int) reflect.Type {
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

// Global registers how to read a package-level variable. It takes a function instead of an address, because the
// interpreter moves a variable when it assigns a struct to it; an address would still refer to the old value.
func (r *Runtime) Global(name string, read func() any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.globals[name] = read
}

// Plain passes a value through compiled code, which removes the interpreter's wrapping.
func (r *Runtime) Plain(v any) any { return v }

// Var returns the current value of a package-level variable.
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

// Key returns a key for a type; only identical types have the same key.
func Key(t types.Type) string { return typekey.Of(t) }

// UserPackage reports whether a package is the package of cells.
func UserPackage(p *types.Package) bool { return p != nil && p.Path() == "main" }

// IsUser reports whether a named type is declared in a cell.
func IsUser(t *types.Named) bool { return UserPackage(t.Obj().Pkg()) }
