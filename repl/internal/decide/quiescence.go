package decide

import (
	"runtime"
	"runtime/metrics"
	"time"
)

// quiescence detects when every goroutine of the process is waiting.
type quiescence struct {
	states   []metrics.Sample
	computes bool // the cell was still computing when the last wait ended
}

func newQuiescence() quiescence {
	return quiescence{states: []metrics.Sample{
		{Name: "/sched/goroutines/runnable:goroutines"},
		{Name: "/sched/goroutines/running:goroutines"},
		{Name: "/sched/goroutines/not-in-go:goroutines"},
	}}
}

const (
	quickLooks = 4   // looks without a pause: most replies are processed by then
	mostLooks  = 100 // total number of looks, most of them a millisecond apart
	firstPause = 20 * time.Microsecond
	mostPause  = time.Millisecond
)

// wait returns when only the caller can run. If that takes longer than a cell needs to process a reply, the cell is
// computing; then wait gives up. From then on it looks only quickLooks times, until the cell is at rest once. It
// counts looks instead of time, because a busy machine slows down both.
func (s *quiescence) wait() {
	pause := firstPause
	for look := 0; ; look++ {
		switch {
		case s.still():
			s.computes = false
			return
		case s.computes && look == quickLooks:
			return
		case look < quickLooks:
			runtime.Gosched()
			continue
		case look == mostLooks:
			s.computes = true
			return
		}
		rest(pause)
		pause = min(2*pause, mostPause)
	}
}

// still reports whether no other goroutine is running, runnable, or in a system call.
func (s *quiescence) still() bool {
	metrics.Read(s.states)
	return s.states[0].Value.Uint64() == 0 && s.states[1].Value.Uint64() <= 1 && s.states[2].Value.Uint64() == 0
}
