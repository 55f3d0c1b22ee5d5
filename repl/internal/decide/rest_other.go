//go:build !linux

package decide

import "time"

// rest lets others run.
func rest(d time.Duration) { time.Sleep(d) }
