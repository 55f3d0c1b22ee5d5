package sandbox

import "time"

const (
	idleCPU   = 5 * time.Millisecond // what an idle Go process may use before a cell is suspected to hang for ever
	idleLimit = 16 * time.Second     // between two suspicions
)

// idleDetector notices that a cell does nothing at all.
type idleDetector struct {
	at     time.Time     // since when nothing happened
	cpu    time.Duration // CPU time then
	wait   time.Duration // how long it must last
	stirs  int           // of calls and replies, at the last look
	asked  bool
	broken bool // something happened since the question was asked
}

func newIdleDetector(cpu, wait time.Duration) idleDetector {
	return idleDetector{at: time.Now(), cpu: cpu, wait: wait}
}

// frame says that the worker sent something.
func (i *idleDetector) frame() { i.at = time.Now() }

// heard says how many calls came and replies went so far. What a cell says of itself may be older than the last of them.
func (i *idleDetector) heard(stirs int) {
	if stirs != i.stirs {
		i.at, i.stirs, i.broken = time.Now(), stirs, true
	}
}

// since says how long the cell has been idle, given the CPU time that it has used.
func (i *idleDetector) since(cpu time.Duration) time.Duration {
	if cpu-i.cpu > idleCPU {
		i.at, i.cpu, i.broken = time.Now(), cpu, true
	}
	return time.Since(i.at)
}

// suspicious says that it is time to ask whether anything in the cell can still run.
func (i *idleDetector) suspicious(cpu time.Duration) bool {
	if i.since(cpu) < i.wait || i.asked {
		return false
	}
	i.asked, i.broken = true, false
	return true
}

// still says that nothing happened since the question was asked.
func (i *idleDetector) still() bool { return i.asked && !i.broken }

// wrong says that the suspicion was wrong. The next one comes later, unless it was a timer that the cell waits for, of which
// it costs little to ask.
func (i *idleDetector) wrong(timer bool) {
	i.asked, i.at = false, time.Now()
	if !timer {
		i.wait = min(2*i.wait, idleLimit)
	}
}
