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
func (p *progress) learn(g trajectory.Given) {
	if from := g.ClockFrom; from <= len(p.clock) && from+len(g.Clock) > len(p.clock) {
		p.clock = append(p.clock[:from:from], g.Clock...)
	}
	if from := g.FiredFrom; from <= len(p.fired) && from+len(g.Fired) > len(p.fired) {
		p.fired = p.fired[:from:from]
		for _, f := range g.Fired {
			p.fired = append(p.fired, repl.Fire{Timer: f.Timer, After: f.After})
		}
	}
}

// given is what a call tells that no call before it has told.
func (p *progress) given(call sandbox.Call) trajectory.Given {
	g := trajectory.Given{ClockFrom: len(p.clock), FiredFrom: len(p.fired)}
	if len(call.Clock) > len(p.clock) {
		g.Clock = call.Clock[len(p.clock):]
	}
	if len(call.Fired) > len(p.fired) {
		for _, f := range call.Fired[len(p.fired):] {
			g.Fired = append(g.Fired, trajectory.TimerFired{Timer: f.Timer, After: f.After})
		}
	}
	p.clock, p.fired = append(p.clock, g.Clock...), append(p.fired, call.Fired[min(len(p.fired), len(call.Fired)):]...)
	if len(g.Clock)+len(g.Fired) == 0 {
		return trajectory.Given{}
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
