//go:build amd64 || arm64

package rtype

// stubs contains the stubs' entry points; only its address is used.
//
//lint:ignore U1000 assembly
func stubs()

func stubAddress() uintptr
