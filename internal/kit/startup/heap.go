// Package startup shortens the start of a process. Each run pays for it several times, because every worker is the
// same program.
package startup

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

const (
	least = 28 << 20 // bytes
	most  = 700      // percent that a heap may grow: the first collection is at 4 MiB times this
	usual = 100      // percent that a larger heap may grow
)

// canary is garbage from the start. It is large enough not to share its memory block with anything.
type canary struct {
	_ *canary
	_ [64]byte
}

// GrowHeap lets the heap grow to at least 28 MiB before each collection. Nearly everything that is allocated
// during a program's start is kept, and a small heap doubles quickly, so that collecting it each time would take a
// fifth of the processor time of a short run. A larger heap is collected as by default. An explicit GOGC takes
// precedence.
func GrowHeap() {
	if os.Getenv("GOGC") != "" {
		return
	}
	debug.SetGCPercent(most)
	renew(struct{}{})
}

// renew sets the percentage again after the next collection, according to the remaining heap.
func renew(struct{}) {
	runtime.AddCleanup(new(canary), func(none struct{}) {
		debug.SetGCPercent(percent(sizes()))
		renew(none)
	}, struct{}{})
}

// sizes returns the live bytes of the heap, and those of stacks and globals.
func sizes() (live, others uint64) {
	of := []metrics.Sample{
		{Name: "/gc/heap/live:bytes"},
		{Name: "/gc/scan/stack:bytes"},
		{Name: "/gc/scan/globals:bytes"},
	}
	metrics.Read(of)
	return of[0].Value.Uint64(), of[1].Value.Uint64() + of[2].Value.Uint64()
}

// percent returns by how much a heap with live bytes in use may grow. The runtime also adds that percentage of
// stacks and globals.
func percent(live, others uint64) int {
	if live >= least {
		return usual
	}
	return int(min(max((least-live)*100/max(live+others, 1), usual), most))
}
