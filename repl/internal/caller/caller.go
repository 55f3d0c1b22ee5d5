// Package caller distinguishes goroutines.
package caller

import (
	"context"
	"runtime/pprof"
	"unsafe"
)

// Self identifies the calling goroutine. It is nil unless Mark was called on this goroutine or on the one that
// started it.
//
// The runtime keeps one pointer for each goroutine, its profile labels: the only goroutine-local value that can be
// read in nanoseconds. Parsing the number out of a stack trace costs tens of microseconds on the deep stacks of an
// engine. The runtime promises not to change the function used here, because other projects rely on it.
//
//go:linkname Self runtime/pprof.runtime_getProfLabel
func Self() unsafe.Pointer

// Mark gives the calling goroutine a unique identity and returns it. Goroutines that compiled code starts there
// inherit it. The identity is not reused while a goroutine has it.
func Mark() unsafe.Pointer {
	pprof.SetGoroutineLabels(pprof.WithLabels(context.Background(), pprof.Labels("cell", "")))
	return Self()
}
