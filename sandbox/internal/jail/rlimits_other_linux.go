//go:build !amd64 && !arm64

package jail

// Rlimits returns none: on this architecture a worker is not locked in.
func Rlimits() map[int]uint64 { return nil }
