package sandbox

import (
	"bytes"
	"time"

	"github.com/gorlm/rlm/sandbox/internal/wire"
)

// moveState decides whether a cell moves to the other engine, and stores what the cell showed before it moved.
type moveState struct {
	may    bool
	first  time.Duration // CPU time when the first sample of a round was taken
	rest   bool          // the round found compiled code: sample again after more CPU time
	until  time.Duration // CPU time at which to sample again; 0: not yet known
	asked  bool
	looks  int
	hits   int
	now    bool // the cell should start again in the other engine
	again  bool // the cell has started again
	given  wire.PeekMeta
	began  func() error // called when the engine has accepted the cell; nil from then on
	failed error        // the error that began returned
	done   *Move

	shown   []byte // what was shown before the cell began again; nil once its output has caught up
	differs bool
}

// A cell that uses much CPU time is sampled a few times, by asking its worker: interpreted code runs faster in the
// other engine; compiled code, such as a regular expression over the whole context, does not.
const (
	mostLooksAt = 5
	enoughHits  = 3
	// restFor determines how long the cell is left alone after a round of samples: this many times as much CPU time
	// as the round took. To take a sample the worker stops the cell, and with ten thousand goroutines that takes
	// longer than the cell itself computes.
	restFor = 3
)

// due reports whether the cell should be sampled now.
func (m *moveState) due(used, after time.Duration) bool {
	if m.rest {
		if m.until == 0 {
			m.until = used + max(after/2, restFor*(used-m.first))
		}
		after = m.until
	}
	if !m.may || m.now || m.asked || used <= after {
		return false
	}
	if m.looks == 0 {
		m.first = used
	}
	m.asked, m.rest, m.until = true, false, 0
	return true
}

// looked handles a sample. It returns false if none was asked for.
func (m *moveState) looked(meta wire.PeekMeta) bool {
	if !m.asked {
		return false
	}
	m.asked, m.given = false, meta
	if m.looks++; meta.Computes {
		m.hits++
	}
	switch {
	case m.hits == enoughHits:
		m.now = true
	case m.looks == mostLooksAt:
		m.looks, m.hits, m.rest = 0, 0, true
	}
	return true
}

// taken handles the worker's report that the engine has accepted the cell.
func (r *cellRun) taken() (violation string) {
	began := r.moving.began
	if r.moving.began = nil; began == nil {
		return ""
	}
	if r.moving.failed = began(); r.moving.failed != nil {
		r.p.kill(&cause{what: causeCancelled})
	}
	return ""
}

// again reports whether the cell has run before, so that it must receive the same replies and timers again.
func (r *cellRun) again() bool {
	return r.moving.again || len(r.record.Calls)+len(r.record.Fired) > 0
}

// rewind detaches the cell from its worker. What the cell has received so far is kept.
func (r *cellRun) rewind() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.calls.learn(r.moving.given)
	if r.result != nil {
		r.calls.learn(wire.PeekMeta{Clock: r.result.Clock, Fired: r.result.Fired})
	}
	if len(r.calls.clock) > len(r.record.Clock) {
		r.record.Clock = r.calls.clock
	}
	if len(r.calls.fired) > len(r.record.Fired) {
		r.record.Fired = r.calls.fired
	}
	r.calls.rewind()
	r.moving.again, r.moving.given = true, wire.PeekMeta{}
	if len(r.out.stream) > len(r.moving.shown) {
		r.moving.shown = r.out.stream
	}
	r.out, r.result, r.ending, r.kill = cellOutput{}, nil, nil, nil
	r.p = nil
}

// attach assigns the cell to another worker.
func (r *cellRun) attach(p *process) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.s.workers.inherit(p, r.lease)
	r.p = p
}

// learn adds the clock readings and timers that the cell received since its last call.
func (b *callTable) learn(m wire.PeekMeta) {
	if clock := wire.UnpackClock(m.Clock); m.ClockFrom >= 0 && m.ClockFrom <= len(b.clock) &&
		m.ClockFrom+len(clock) > len(b.clock) {
		b.clock = append(b.clock[:m.ClockFrom:m.ClockFrom], clock...)
	}
	if fired := wire.UnpackFires(m.Fired); m.FiredFrom >= 0 && m.FiredFrom <= len(b.fired) &&
		m.FiredFrom+len(fired) > len(b.fired) {
		b.fired = append(b.fired[:m.FiredFrom:m.FiredFrom], fired...)
	}
}

// show passes on what the cell printed.
func (r *cellRun) show(p []byte) {
	if len(p) > 0 && r.s.cfg.Print != nil {
		r.s.cfg.Print(r.number, p)
	}
}

// otherwise precedes the whole output of a cell that began again and prints something else.
const otherwise = "\n[the cell began again in the other engine and prints something else:]\n"

// unseen returns the part of stream that was not shown before the cell began again; p is the piece that was
// appended last.
func (m *moveState) unseen(stream, p []byte) []byte {
	if m.shown == nil {
		return p
	}
	n := min(len(stream), len(m.shown))
	from := min(n, len(stream)-len(p))
	switch {
	case !bytes.Equal(stream[from:n], m.shown[from:n]):
		return m.differ(stream)
	case len(stream) > n:
		m.shown = nil
		return stream[n:]
	}
	return nil
}

// shorter returns what to show at the end of a cell that printed less than before it began again.
func (m *moveState) shorter(stream []byte) []byte {
	if m.shown == nil || len(stream) >= len(m.shown) {
		return nil
	}
	return m.differ(stream)
}

func (m *moveState) differ(stream []byte) []byte {
	m.shown, m.differs = nil, true
	return append([]byte(otherwise), stream...)
}
