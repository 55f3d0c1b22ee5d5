//go:build !amd64 && !arm64

package rtype

// Other architectures have no stubs. Check returns an error there.
const stubSize = 0

func stubAddress() uintptr { return 0 }
