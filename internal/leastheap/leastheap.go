// Package leastheap lets a heap grow to a least size before it is collected. Nearly all that is made while a program starts stays, and what a small
// program keeps is soon reached again: collecting it each time it has doubled is a fifth of the processor time of a short run, and a tenth of that
// of many sub-calls.
package leastheap

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

const (
	least = 32 << 20 // bytes
	most  = 800      // percent that a heap may grow by: the runtime collects at 4 MiB, times this in a hundred, for the first time
	usual = 100      // percent, by which a larger heap grows
)

// canary is garbage from the start. It is as large as it is so that it shares its place in memory with nothing.
type canary struct {
	_ *canary
	_ [64]byte
}

// Keep has the heap grow to 32 MiB at least before each collection. A larger one is collected as it is by default. Where GOGC is set, that holds.
func Keep() {
	if os.Getenv("GOGC") != "" {
		return
	}
	debug.SetGCPercent(most)
	renew(struct{}{})
}

// renew has the percentage set once more after the next collection, by what that leaves.
func renew(struct{}) {
	runtime.AddCleanup(new(canary), func(none struct{}) {
		live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		metrics.Read(live)
		debug.SetGCPercent(percent(live[0].Value.Uint64()))
		renew(none)
	}, struct{}{})
}

// percent is how much a heap with so many live bytes may grow.
func percent(live uint64) int {
	if live >= least {
		return usual
	}
	return int(min(max((least-live)*100/max(live, 1), usual), most))
}
