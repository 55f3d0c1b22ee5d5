//go:build !amd64 && !arm64

package mem

// StackUsed returns 0: package rtype has no stubs for this processor, so no engine starts.
func StackUsed() uintptr { return 0 }
