// Package caller tells goroutines apart.
package caller

import (
	"context"
	"runtime/pprof"
	"unsafe"
)

// Self names the calling goroutine: nil where nobody has called Mark.
//
// The run-time keeps one pointer for each goroutine, its profile labels, which is the only thing of a goroutine's own that can be had
// in nanoseconds; the number in the head of a stack trace costs some tens of microseconds on the deep stacks of an engine. The run-time
// promises not to change the function, because others rely on it.
//
//go:linkname Self runtime/pprof.runtime_getProfLabel
func Self() unsafe.Pointer

// Mark gives the calling goroutine a name of its own and returns it. Goroutines that compiled code starts inherit it. The name is not
// given again as long as a goroutine has it.
func Mark() unsafe.Pointer {
	pprof.SetGoroutineLabels(pprof.WithLabels(context.Background(), pprof.Labels("cell", "")))
	return Self()
}
