// Package firstgc puts off the first garbage collection of a process. Nearly all that is made while a program starts stays, and collecting it
// again and again as the heap grows from nothing is a fifth of the processor time of a short run.
package firstgc

import (
	"os"
	"runtime"
	"runtime/debug"
)

// percent lets the heap grow to 32 MiB before the first collection: 4 MiB, times percent in a hundred.
const percent = 800

// canary is garbage from the start. It is as large as it is so that it shares its place in memory with nothing.
type canary struct {
	_ *canary
	_ [64]byte
}

// Delay puts the first collection off; from then on the collector works as it does by default. Where GOGC is set, that holds.
func Delay() {
	if os.Getenv("GOGC") != "" {
		return
	}
	debug.SetGCPercent(percent)
	runtime.AddCleanup(new(canary), func(back int) { debug.SetGCPercent(back) }, 100)
}
