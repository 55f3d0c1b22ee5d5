package front

import (
	"go/types"
	"io"
	"reflect"
	"time"
)

// HostPath is the import path of the package that the objects of natives belong to. In a hoisted file natives
// are used by their plain names; an engine recognises them by Info.Uses[id].Pkg().Path() == HostPath.
const HostPath = "rlm"

// Host is what an engine gets when it is made; it stays the same for the whole session.
type Host struct {
	// Stdout takes everything that cells print, also to os.Stderr and through log. Safe for concurrent use.
	Stdout io.Writer
	// Natives are the compiled functions, variables and types that hoisted files use by their plain names.
	Natives []Native
	// Exit is what os.Exit and log.Fatal of a cell do: the cell ends with an error. It does not return.
	Exit func(code int)
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
	Kind NativeKind
	// Value is the func; for a variable a pointer to its storage (it is written by the host between cells, and
	// may be written by cells); for a type a nil pointer to it, as in yaegi's symbol tables.
	Value reflect.Value
	// Type is the static type; for a NativeType the type itself.
	Type types.Type
}

// Inspector is what an engine offers besides, if its values do not carry their Go types: formatting and digests of
// values walk them along their static types, and ask here where those end.
type Inspector interface {
	// Unbox returns what a value of an interface type holds, and its Go type; ok is false if v is an ordinary Go value.
	Unbox(v any) (value any, typ types.Type, ok bool)
	// Text is the value's own text where static type t has a method Error or String (interpreted ones too). It never
	// panics: what such a method panics with becomes the text.
	Text(v any, t types.Type) (text string, ok bool)
}

// Conditions are what a cell must not take from the machine, so that it can be repeated.
type Conditions struct {
	// Seed seeds the top-level functions of math/rand and math/rand/v2.
	Seed int64
	// Now answers every reading of the clock (time.Now, time.Since, time.Until). Safe for concurrent use.
	Now func() time.Time
}
