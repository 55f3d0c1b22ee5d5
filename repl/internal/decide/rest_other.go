//go:build !linux

package decide

import "time"

// rest sleeps for d and lets other goroutines run.
func rest(d time.Duration) { time.Sleep(d) }
