package check

import (
	"go/types"
	"strconv"

	"github.com/gorlm/rlm/repl/internal/cell"
	"github.com/gorlm/rlm/repl/internal/stdlib"
)

// Symbol is one package-level name of a session.
type Symbol struct {
	// Name is the name in cells; Obj.Name() is the name in hoisted files.
	Name string
	// Obj is the object in hoisted files.
	Obj types.Object
	// Cell is the number of the cell that declared the symbol; 0 for the host.
	Cell int
	// Patch is the variable through which a later cell can replace the function; empty if there is none.
	Patch string
	// older are earlier functions of the same name and type, whose callers now call this one.
	older []*Symbol
	// address is set once a cell has taken the variable's address. After that, := must declare a new variable.
	address bool
	// users contains the functions that refer to the symbol.
	users map[string]bool
	// uses lists the names in hoisted files that a function refers to.
	uses []string
	// methods are the methods that cells declared for the type, by name.
	methods map[string]*method
	// text is a type's declaration in the hoisted file; to recognise the same declaration.
	text string
}

// Var reports whether the symbol is a variable.
func (s *Symbol) Var() bool { _, ok := s.Obj.(*types.Var); return ok }

// reserved reports whether hoisted files cannot declare a name at package level, because it has another meaning
// there: a predeclared name, a package, or an object of the host.
func (s *Session) reserved(name string) bool {
	if types.Universe.Lookup(name) != nil || s.hostObjects[name] != nil || name == "main" || name == "init" {
		return true
	}
	if _, ok := s.aliases[name]; ok {
		return true
	}
	_, ok := stdlib.ByName(name)
	return ok
}

// fresh returns an unused name for a new declaration of name in hoisted files.
func (s *Session) fresh(name string, taken map[string]bool) string {
	if !s.reserved(name) && s.free(name) && !taken[name] {
		taken[name] = true
		return name
	}
	for n := 2; ; n++ {
		engine := name + cell.Mark + strconv.Itoa(n)
		if s.free(engine) && !taken[engine] {
			taken[engine] = true
			return engine
		}
	}
}

// free reports whether no object of the session has the name. A name that was given to a refused cell's object is
// not free either.
func (s *Session) free(name string) bool { return s.pkg.Scope().Lookup(name) == nil }
