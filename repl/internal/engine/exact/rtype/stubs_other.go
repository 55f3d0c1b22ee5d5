//go:build !amd64 && !arm64

package rtype

// There are no stubs for other architectures; Check reports that.
const stubSize = 0

func stubAddress() uintptr { return 0 }
