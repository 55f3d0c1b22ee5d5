package decide

import (
	"syscall"
	"time"
)

// rest sleeps for d and lets other goroutines run. The runtime's own sleep takes at least a millisecond when
// nothing else runs.
func rest(d time.Duration) {
	t := syscall.NsecToTimespec(d.Nanoseconds())
	_ = syscall.Nanosleep(&t, nil)
}
