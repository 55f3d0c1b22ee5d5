//go:build !linux

package hostile

// Native and Large only have acts on Linux, where a worker can be locked in and a host can read how much memory it
// has used.
var Native, Large map[string]Act
