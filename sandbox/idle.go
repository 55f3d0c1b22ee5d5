package sandbox

import "time"

const (
	idleCPU   = 5 * time.Millisecond // CPU time that the Go runtime may use in an idle process
	idleLimit = 16 * time.Second     // the longest time before a cell is suspected again
)

// idleDetector notices a cell that does nothing at all.
type idleDetector struct {
	at     time.Time     // when something last happened in the cell
	cpu    time.Duration // the worker's CPU time at that moment
	wait   time.Duration // how long the cell must be idle before it is suspected
	stirs  int           // calls received and replies sent when last compared
	asked  bool
	broken bool // something has happened since the worker was asked
}

func newIdleDetector(cpu, wait time.Duration) idleDetector {
	return idleDetector{at: time.Now(), cpu: cpu, wait: wait}
}

// frame notes that the worker sent something.
func (i *idleDetector) frame() { i.at = time.Now() }

// heard compares the number of calls received and replies sent so far with the last one. A change means that the
// cell is not idle, even if its worker's report, which may be older, claims that it is.
func (i *idleDetector) heard(stirs int) {
	if stirs != i.stirs {
		i.at, i.stirs, i.broken = time.Now(), stirs, true
	}
}

// since returns how long the cell has been idle; cpu is the worker's CPU time.
func (i *idleDetector) since(cpu time.Duration) time.Duration {
	if cpu-i.cpu > idleCPU {
		i.at, i.cpu, i.broken = time.Now(), cpu, true
	}
	return time.Since(i.at)
}

// suspicious reports whether it is time to ask the worker if anything in the cell can still run.
func (i *idleDetector) suspicious(cpu time.Duration) bool {
	if i.since(cpu) < i.wait || i.asked {
		return false
	}
	i.asked, i.broken = true, false
	return true
}

// still reports whether nothing has happened since the worker was asked.
func (i *idleDetector) still() bool { return i.asked && !i.broken }

// wrong notes that the suspicion was wrong. The next one comes later, unless the cell waits for a timer, because
// then asking is cheap.
func (i *idleDetector) wrong(timer bool) {
	i.asked, i.at = false, time.Now()
	if !timer {
		i.wait = min(2*i.wait, idleLimit)
	}
}
