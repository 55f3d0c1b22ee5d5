// Package startup keeps the start of a process short, which each run pays for several times: every worker is the same
// program.
package startup

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

const (
	least = 28 << 20 // bytes
	most  = 700      // percent that a heap may grow by: the runtime collects at 4 MiB, times this in a hundred, for the first time
	usual = 100      // percent, by which a larger heap grows
)

// canary is garbage from the start. It is as large as it is so that it shares its place in memory with nothing.
type canary struct {
	_ *canary
	_ [64]byte
}

// GrowHeap lets the heap grow to 28 MiB at least before each collection: nearly all that is made while a program starts
// stays, and what a small program keeps is soon reached again, so that collecting it each time it has doubled is a fifth
// of the processor time of a short run. A larger heap is collected as it is by default. Where GOGC is set, that holds.
func GrowHeap() {
	if os.Getenv("GOGC") != "" {
		return
	}
	debug.SetGCPercent(most)
	renew(struct{}{})
}

// renew has the percentage set once more after the next collection, by what that leaves.
func renew(struct{}) {
	runtime.AddCleanup(new(canary), func(none struct{}) {
		debug.SetGCPercent(percent(sizes()))
		renew(none)
	}, struct{}{})
}

// sizes are the live bytes of the heap, and those of stacks and globals.
func sizes() (live, others uint64) {
	of := []metrics.Sample{{Name: "/gc/heap/live:bytes"}, {Name: "/gc/scan/stack:bytes"}, {Name: "/gc/scan/globals:bytes"}}
	metrics.Read(of)
	return of[0].Value.Uint64(), of[1].Value.Uint64() + of[2].Value.Uint64()
}

// percent is how much a heap with so many live bytes may grow. The runtime has it grow by that part of stacks and globals, too.
func percent(live, others uint64) int {
	if live >= least {
		return usual
	}
	return int(min(max((least-live)*100/max(live+others, 1), usual), most))
}
