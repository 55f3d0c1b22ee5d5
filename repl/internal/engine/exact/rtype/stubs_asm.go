//go:build amd64 || arm64

package rtype

func stubs()

func stubAddress() uintptr
