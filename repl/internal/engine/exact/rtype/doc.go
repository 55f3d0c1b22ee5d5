// Package rtype makes run-time types for types that the program was not compiled with: named, with methods, recursive. To the runtime,
// to reflect and to every compiled function they are types like any other.
//
// It depends on the layout of type descriptors in the Go release that the program is built with (internal/abi); layout.go mirrors it and is
// the only file that does. Check compares the mirror with types the compiler made and is called before the first use: with another
// layout no engine starts.
//
// Run-time types live as long as the process: the runtime itself keeps them (itabs, the caches of reflect). So do method stubs, of which there
// are a fixed number. A worker process holds one session, so that both are bounded by what its cells declare.
//
//go:generate go run ./gen
package rtype
