package journal

import (
	"slices"

	"github.com/gorlm/rlm/repl"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/sandbox"
)

// progress is how far a cell got, according to its recorded calls: the order of its replies, and its other input.
type progress struct {
	replies []Key
	clock   []int64
	fired   []repl.Fire
	placed  int // replies recorded by this process
}

// at returns the progress of a cell. The caller holds mu, unless no other goroutine has the journal yet.
func (j *Journal) at(path string, cell int) *progress {
	k := cellAt{path, cell}
	if j.progress[k] == nil {
		j.progress[k] = &progress{}
	}
	return j.progress[k]
}

// learn adds the input that a call recorded. Concurrent calls may be out of order in the log, but each record
// states where its piece starts; pieces after a gap are not used.
func (p *progress) learn(g trajectory.CellInputs) {
	p.clock = append(p.clock, beyond(len(p.clock)-g.ClockFrom, g.Clock)...)
	for _, f := range beyond(len(p.fired)-g.FiredFrom, g.Fired) {
		p.fired = append(p.fired, repl.Fire{Timer: f.Timer, After: f.After})
	}
}

// beyond returns a piece without its first n values, which are known. A negative n means a gap before the piece:
// beyond then returns nothing.
func beyond[T any](n int, piece []T) []T {
	if n < 0 {
		return nil
	}
	return piece[min(n, len(piece)):]
}

// given returns the input that no earlier call has recorded.
func (p *progress) given(call sandbox.Call) trajectory.CellInputs {
	g := trajectory.CellInputs{ClockFrom: len(p.clock), FiredFrom: len(p.fired)}
	g.Clock = beyond(len(p.clock), call.Clock)
	fired := beyond(len(p.fired), call.Fired)
	for _, f := range fired {
		g.Fired = append(g.Fired, trajectory.TimerFired{Timer: f.Timer, After: f.After})
	}
	p.clock, p.fired = append(p.clock, g.Clock...), append(p.fired, fired...)
	if len(g.Clock)+len(g.Fired) == 0 {
		return trajectory.CellInputs{}
	}
	return g
}

// Resumed returns an interrupted cell with its recorded input, with which it can repeat its calls from the log at
// no cost.
func (j *Journal) Resumed(path string, cell sandbox.Cell) sandbox.Cell {
	j.mu.Lock()
	defer j.mu.Unlock()
	p := j.at(path, cell.Number)
	cell.Clock, cell.Fired = slices.Clone(p.clock), slices.Clone(p.fired)
	for _, k := range p.replies {
		cell.Calls = append(cell.Calls, sandbox.CallRecord{Hash: k.Hash, N: k.N, Reply: Reply(j.calls[k])})
	}
	return cell
}
