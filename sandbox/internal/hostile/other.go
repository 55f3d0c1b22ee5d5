//go:build !linux

package hostile

// Native and Large are empty except on Linux, where a worker can be locked in and a host can read how much memory
// the worker has used.
var Native, Large map[string]Act
