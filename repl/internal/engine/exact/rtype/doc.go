// Package rtype makes run-time types for types that the program was not compiled with: named types, types with
// methods, recursive types. To the runtime, to reflect and to every compiled function they are types like any
// other.
//
// It depends on the layout of type descriptors in the Go release that the program is built with (internal/abi),
// which only layout.go and package mem mirror. Check, called before the first use, compares the mirror with types
// that the compiler made: if the layout differs, no engine starts.
//
// Run-time types live as long as the process, because the runtime itself keeps them (itabs, the caches of reflect).
// So do method stubs, of which there is a fixed number. A worker process holds only one session, so the session's
// declarations bound both.
//
//go:generate go run ./gen
package rtype

import "github.com/gorlm/rlm/repl/internal/engine/exact/mem"

// Type is the descriptor of a run-time type.
type Type = mem.Type
