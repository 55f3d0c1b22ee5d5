//go:build amd64 || arm64

package rtype

// stubs are the entries; only their address is used.
//
//lint:ignore U1000 assembly
func stubs()

func stubAddress() uintptr
