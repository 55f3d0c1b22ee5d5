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

// HostPath is the import path of the package that the objects of natives belong to. Hoisted files use
// natives by their plain names; an engine recognises them by Info.Uses[id].Pkg().Path() == HostPath.
const HostPath = "rlm"

// Host is what an engine gets when it is made; it stays the same for the whole session.
type Host struct {
	// Stdout takes everything that cells print, also to os.Stderr and through log. Safe for concurrent use.
	Stdout io.Writer
	// Natives are the compiled functions, variables and types that hoisted files use by their plain names.
	Natives []Native
	// Arrivals hands timers to the goroutines of cells.
	Arrivals *decide.Arrivals
	// Exit is what os.Exit and log.Fatal of a cell do: the cell ends with an error. It does not return.
	Exit func(code int)
	// Grace is how long the goroutines of a run that is to stop may take until they are given up.
	Grace time.Duration
}

// Grace is how long a cell may go on once it is to end, where nothing else is configured.
const Grace = 500 * time.Millisecond

// Symbols is the table of a package as cells see it: what is compiled in, but for os and log, which print where cells do and end the
// cell instead of the process, and text/template, which reads no files. Each call makes a table of its own.
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

// NativeKind says what a Native is.
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
	// Kind says what the object is.
	Kind NativeKind
	// Value is the func; for a variable a pointer to its storage (the host writes it between cells, and
	// cells may write it); for a type a nil pointer to it, as in yaegi's symbol tables.
	Value reflect.Value
	// Type is the static type; for a NativeType the type itself.
	Type types.Type
}
