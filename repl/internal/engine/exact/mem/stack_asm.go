//go:build amd64 || arm64

package mem

// StackUsed returns how many bytes of its stack the calling goroutine uses.
func StackUsed() uintptr
