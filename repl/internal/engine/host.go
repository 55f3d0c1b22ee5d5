package engine

import (
	"go/types"
	"io"
	"reflect"
	"time"

	"github.com/gorlm/rlm/repl/internal/decide"
	"github.com/gorlm/rlm/repl/internal/fakelog"
	"github.com/gorlm/rlm/repl/internal/fakeos"
	template "github.com/gorlm/rlm/repl/internal/faketemplate"
	"github.com/gorlm/rlm/repl/internal/stdlib/symbols"
)

// HostPath is the import path of the package that natives belong to. Hoisted files use natives by their plain
// names; an engine recognises them by Info.Uses[id].Pkg().Path() == HostPath.
const HostPath = "rlm"

// Host is the environment of an engine; it stays the same for the whole session.
type Host struct {
	// Stdout receives everything that cells print, including what they print to os.Stderr and through log. It is
	// safe for concurrent use.
	Stdout io.Writer
	// Natives are the compiled functions, variables and types that hoisted files use by their plain names.
	Natives []Native
	// Arrivals delivers timers to the goroutines of cells.
	Arrivals *decide.Arrivals
	// Exit implements os.Exit and log.Fatal for cells: it ends the cell with an error. It does not return.
	Exit func(code int)
	// Grace is how long a stopping run waits for its goroutines before it abandons them.
	Grace time.Duration
}

// Grace is the default time that a cell may continue to run once it should end.
const Grace = 500 * time.Millisecond

// Symbols returns the symbol table of a package as cells see it. That is the compiled package, except for os and
// log, which print to the cell's output and end the cell instead of the process, and text/template, which reads no
// files. Each call makes a new table.
func (h Host) Symbols(path string) map[string]reflect.Value {
	switch path {
	case "os":
		return fakeos.Symbols(h.Stdout, h.Exit)
	case "log":
		return fakelog.Symbols(h.Stdout, h.Exit)
	case "text/template":
		return template.Symbols()
	}
	return symbols.Table(path)
}

// NativeKind is the kind of a Native.
type NativeKind int

// The kinds of natives.
const (
	NativeFunc NativeKind = iota
	NativeVar
	NativeType
)

// Native is a compiled object of the host.
type Native struct {
	// Name is the object's name in hoisted files. It need not be exported, and may end in ʹ and letters.
	Name string
	// Kind is the kind of the object.
	Kind NativeKind
	// Value is the func of a NativeFunc. For a variable it is a pointer to the storage, which the host writes
	// between cells and cells may also write; for a type it is a nil pointer to the type, as in yaegi's symbol
	// tables.
	Value reflect.Value
	// Type is the static type; for a NativeType the type itself.
	Type types.Type
}
