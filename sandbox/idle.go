package sandbox

import "time"

const (
	idleCPU   = 5 * time.Millisecond // CPU time of an idle Go process before its cell is suspected of hanging
	idleLimit = 16 * time.Second     // between two suspicions
)

// idleDetector notices a cell that does nothing at all.
type idleDetector struct {
	at     time.Time     // when something last happened
	cpu    time.Duration // CPU time then
	wait   time.Duration // how long it must be idle
	stirs  int           // calls and replies at the last look
	asked  bool
	broken bool // something happened since the question
}

func newIdleDetector(cpu, wait time.Duration) idleDetector {
	return idleDetector{at: time.Now(), cpu: cpu, wait: wait}
}

// frame notes that the worker sent something.
func (i *idleDetector) frame() { i.at = time.Now() }

// heard takes the number of calls received and replies sent so far. A cell's report about itself may be older than
// the last of them.
func (i *idleDetector) heard(stirs int) {
	if stirs != i.stirs {
		i.at, i.stirs, i.broken = time.Now(), stirs, true
	}
}

// since returns how long the cell has been idle, given its CPU time.
func (i *idleDetector) since(cpu time.Duration) time.Duration {
	if cpu-i.cpu > idleCPU {
		i.at, i.cpu, i.broken = time.Now(), cpu, true
	}
	return time.Since(i.at)
}

// suspicious reports whether to ask now if anything in the cell can still run.
func (i *idleDetector) suspicious(cpu time.Duration) bool {
	if i.since(cpu) < i.wait || i.asked {
		return false
	}
	i.asked, i.broken = true, false
	return true
}

// still reports that nothing has happened since the question.
func (i *idleDetector) still() bool { return i.asked && !i.broken }

// wrong notes that the suspicion was wrong. The next one comes later, unless the cell waits for a timer: asking
// about that is cheap.
func (i *idleDetector) wrong(timer bool) {
	i.asked, i.at = false, time.Now()
	if !timer {
		i.wait = min(2*i.wait, idleLimit)
	}
}
