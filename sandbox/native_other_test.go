//go:build !linux

package sandbox

// nativeActs are tried where a worker can be locked in.
var nativeActs map[string]func(h *hostile, cell int)
