package decide

import (
	"syscall"
	"time"
)

// rest lets others run. The run-time's own sleep takes a millisecond at least when nothing else runs.
func rest(d time.Duration) {
	t := syscall.NsecToTimespec(d.Nanoseconds())
	_ = syscall.Nanosleep(&t, nil)
}
