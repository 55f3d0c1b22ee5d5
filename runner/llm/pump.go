package llm

import (
	"slices"
	"sync"
	"time"

	"github.com/gorlm/rlm/internal/kit/callback"
)

// pump passes the pieces of a reply to a reader from one goroutine, in order, combined into at most 25 updates a
// second. Adding a piece never waits for the reader.
type pump struct {
	on     func(Delta)
	failed error // a panic of on, which is not called again

	mu      sync.Mutex
	before  []Delta // retries and earlier pieces, to deliver before the present piece
	restart bool
	content []byte
	reason  []byte

	wake chan struct{}
	done chan struct{}
}

// newPump starts the goroutine that calls on; close ends it. A nil on makes a nil pump, which does nothing.
func newPump(on func(Delta)) *pump {
	if on == nil {
		return nil
	}
	p := &pump{on: on, wake: make(chan struct{}, 1), done: make(chan struct{})}
	go p.run()
	return p
}

func (p *pump) add(d Delta) {
	if p == nil || d == (Delta{}) {
		return
	}
	p.mu.Lock()
	if d.Retry != nil {
		p.cut()
		p.before = append(p.before, d)
		d = Delta{}
	}
	if d.Restart {
		p.before = slices.DeleteFunc(p.before, func(d Delta) bool { return d.Retry == nil })
		p.restart, p.content, p.reason = true, nil, nil
	}
	p.reason = append(p.reason, d.Reasoning...)
	p.content = append(p.content, d.Content...)
	p.mu.Unlock()
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// close delivers the rest and waits until the reader has it. The error is the reader's panic.
func (p *pump) close() error {
	if p == nil {
		return nil
	}
	close(p.wake)
	<-p.done
	return p.failed
}

func (p *pump) run() {
	defer close(p.done)
	var last time.Time
	for range p.wake {
		p.rest(last)
		last = time.Now()
		p.deliver()
	}
	p.deliver()
}

// rest waits until the next update is due, at 25 a second, or until the pump is closed.
func (p *pump) rest(last time.Time) {
	due := time.NewTimer(time.Until(last.Add(time.Second / 25)))
	defer due.Stop()
	for {
		select {
		case <-due.C:
			return
		case _, open := <-p.wake:
			if !open {
				return
			}
		}
	}
}

// deliver passes everything collected to the reader, as one update unless there are retries in between.
func (p *pump) deliver() {
	p.mu.Lock()
	p.cut()
	deltas := p.before
	p.before = nil
	p.mu.Unlock()
	for _, d := range deltas {
		if p.failed == nil {
			callback.Guard("the function for updates", &p.failed, func() error { p.on(d); return nil })
		}
	}
}

// cut ends the present piece. The caller holds mu.
func (p *pump) cut() {
	d := Delta{Restart: p.restart, Reasoning: string(p.reason), Content: string(p.content)}
	p.restart, p.reason, p.content = false, p.reason[:0], p.content[:0]
	if d != (Delta{}) {
		p.before = append(p.before, d)
	}
}
