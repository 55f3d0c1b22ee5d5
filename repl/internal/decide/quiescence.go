package decide

import (
	"runtime"
	"runtime/metrics"
	"time"
)

// quiescence tells when every goroutine of the process waits for something.
type quiescence struct {
	states   []metrics.Sample
	computes bool // the cell did not come to rest when it was waited for
}

func newQuiescence() quiescence {
	return quiescence{states: []metrics.Sample{
		{Name: "/sched/goroutines/runnable:goroutines"},
		{Name: "/sched/goroutines/running:goroutines"},
		{Name: "/sched/goroutines/not-in-go:goroutines"},
	}}
}

const (
	quickLooks = 4   // before the first pause: most replies are dealt with by then
	mostLooks  = 100 // at least a millisecond apart
	firstPause = 20 * time.Microsecond
	mostPause  = time.Millisecond
)

// wait returns when nothing but the caller can run. If that takes longer than a cell needs to deal with a reply, the cell computes: it is
// not waited for again until it has come to rest. Looks are counted and not time, because a busy machine slows down both.
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

// still reports whether no other goroutine runs, can run, or is in the middle of a system call.
func (s *quiescence) still() bool {
	metrics.Read(s.states)
	return s.states[0].Value.Uint64() == 0 && s.states[1].Value.Uint64() <= 1 && s.states[2].Value.Uint64() == 0
}
