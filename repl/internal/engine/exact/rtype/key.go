package rtype

import (
	"go/types"

	"github.com/gorlm/rlm/repl/internal/engine/typekey"
)

// Key is the same for identical types and for no others.
func Key(t types.Type) string { return typekey.Of(t) }

// Name is a type as %T prints it, but for types that instances of generic functions declare: those have a
// Builder's Name.
func Name(t types.Type) string { return typekey.Name(t, nil) }

// Name is a type as %T prints it.
func (b *Builder) Name(t types.Type) string { return typekey.Name(t, b.Local) }
