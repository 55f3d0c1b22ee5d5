package rtype

import (
	"go/types"

	"github.com/gorlm/rlm/repl/internal/engine/typekey"
)

// Key returns a key for a type; only identical types have the same key.
func Key(t types.Type) string { return typekey.Of(t) }

// Name returns a type as %T prints it, except for types that instances of generic functions declare: use
// Builder.Name for those.
func Name(t types.Type) string { return typekey.Name(t, nil) }

// Name returns a type as %T prints it.
func (b *Builder) Name(t types.Type) string { return typekey.Name(t, b.Local) }
