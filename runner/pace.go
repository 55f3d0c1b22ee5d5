package runner

import (
	"context"
	"sync"

	"github.com/gorlm/rlm/runner/trajectory"
)

// pace lets the one who ranges over a run set its speed: a turn begins when the reply before it has been taken. Events of
// sub-calls are not waited for one by one, so that a slow reader never holds up calls that are under way. A nil pace does not wait.
type pace struct {
	mu   sync.Mutex
	seen int64
	gone bool          // nobody reads any more
	wake chan struct{} // closed when seen grows or gone is set
}

// newPace begins after the event seq.
func newPace(seq int64) *pace { return &pace{seen: seq, wake: make(chan struct{})} }

// took says that the reader has taken the event seq.
func (p *pace) took(seq int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if seq > p.seen {
		p.seen = seq
		close(p.wake)
		p.wake = make(chan struct{})
	}
}

// leave says that nobody reads any more.
func (p *pace) leave() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.gone = true
	close(p.wake)
	p.wake = make(chan struct{})
}

// drain returns when the reader has taken everything or left.
func (p *pace) drain(log *trajectory.Log) {
	last := log.Seq()
	for {
		p.mu.Lock()
		done, wake := p.gone || p.seen >= last, p.wake
		p.mu.Unlock()
		if done {
			return
		}
		<-wake
	}
}

// wait returns when the reader has taken all that is known to be on disk.
func (p *pace) wait(ctx context.Context, j *journal) error {
	if p == nil {
		return ctx.Err()
	}
	last := j.lastSeq()
	for {
		p.mu.Lock()
		seen, wake := p.seen, p.wake
		p.mu.Unlock()
		if seen >= last {
			return ctx.Err()
		}
		select {
		case <-wake:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
