package journal

import (
	"slices"

	"github.com/gorlm/rlm/repl"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/sandbox"
)

// progress is how far a cell came, as its calls have told: the order of its replies, and what it was given besides.
type progress struct {
	replies []Key
	clock   []int64
	fired   []repl.Fire
	placed  int // replies that were recorded by this process
}

// at is the progress of a cell. The caller holds mu, or nobody else has the journal yet.
func (j *Journal) at(path string, cell int) *progress {
	k := cellAt{path, cell}
	if j.progress[k] == nil {
		j.progress[k] = &progress{}
	}
	return j.progress[k]
}

// learn adds what a recorded call tells. Calls that were made at once may stand in the log in another order, but each tells where
// its piece begins; after a gap nothing more is known.
func (p *progress) learn(g trajectory.CellInputs) {
	p.clock = append(p.clock, beyond(len(p.clock)-g.ClockFrom, g.Clock)...)
	for _, f := range beyond(len(p.fired)-g.FiredFrom, g.Fired) {
		p.fired = append(p.fired, repl.Fire{Timer: f.Timer, After: f.After})
	}
}

// beyond is what a piece holds after its first n values, which are known; nothing if there is a gap before it.
func beyond[T any](n int, piece []T) []T {
	if n < 0 {
		return nil
	}
	return piece[min(n, len(piece)):]
}

// given is what a call tells that no call before it has told.
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

// Resumed adds to a cell that did not come to its end what it was given until then: it goes on from there, at no cost.
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
