package dyn

import (
	"context"
	"runtime/pprof"
	"unsafe"
)

// self names the calling goroutine: nil where nobody has called Mark.
//
// The run-time keeps one pointer for each goroutine, its profile labels, which is the only thing of a goroutine's own that can be had
// in nanoseconds; the number in the head of a stack trace costs some tens of microseconds on the deep stacks of an interpreter. The
// run-time promises not to change the function, because others rely on it.
//
//go:linkname self runtime/pprof.runtime_getProfLabel
func self() unsafe.Pointer

// Mark gives the calling goroutine a name of its own. Goroutines that compiled code starts inherit it.
func Mark() {
	pprof.SetGoroutineLabels(pprof.WithLabels(context.Background(), pprof.Labels("cell", "")))
}
