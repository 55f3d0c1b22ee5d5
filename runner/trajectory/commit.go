package trajectory

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
)

// batch is what one flush makes durable: all appends that came while the flush before it was under way.
type batch struct {
	texts  []byte
	lines  []byte
	events []positionedEvent
	done   bool
	err    error
}

// positionedEvent is an event with a place in the log: where its line starts when it is being written, where it ends
// when it was read.
type positionedEvent struct {
	Event
	at int64
}

// mostRoom is the most memory that is kept for lines: that of a batch of many sub-calls.
const mostRoom = 256 << 10

func newBatch() *batch { return &batch{} }

// commit returns when b is durable. The first to come while no flush is under way does it for all; the
// others wait. The caller holds mu, which is released while writing.
func (l *Log) commit(b *batch) error {
	for !b.done {
		if l.flushing {
			l.idle.Wait()
			continue
		}
		if l.err != nil {
			return l.err
		}
		l.flush()
	}
	return b.err
}

// flush writes the current batch. The caller holds mu.
func (l *Log) flush() {
	b := l.batch
	l.batch, l.room = &batch{lines: l.room}, nil
	l.flushing, l.writing = true, b
	end := position{l.seq, l.lineEnd}
	textAt, lineAt := l.textEnd-int64(len(b.texts)), l.durable.at
	ctx, giveUp := context.WithCancelCause(context.Background())
	defer giveUp(nil)
	l.giveUp = giveUp
	l.mu.Unlock()
	err := b.handOver(ctx, l.store)
	if err == nil {
		err = l.write(b, textAt, lineAt)
	}
	l.mu.Lock()
	if err != nil {
		l.err = failure(l.dir, err)
		b.err = l.err
	} else {
		l.durable = end
		l.deliver(b.events)
		if end.at-l.summarized >= summaryEvery {
			_ = l.writeSummary() // it only spares readers time
		}
	}
	if cap(b.lines) <= mostRoom {
		l.room = b.lines[:0]
	}
	b.lines = nil
	b.done = true
	l.flushing, l.writing = false, nil
	l.idle.Broadcast()
}

// write makes the texts durable, then the lines that refer to them. After a failure the log is cut back to
// what was durable before, as far as that is possible; readers ignore a torn end anyway.
func (l *Log) write(b *batch, textAt, lineAt int64) error {
	if len(b.texts) > 0 {
		if err := l.writeAt(l.texts, b.texts, textAt); err != nil {
			return err
		}
	}
	if err := l.writeAt(l.lines, b.lines, lineAt); err != nil {
		return err
	}
	return l.inPlace()
}

var errGone = errors.New("its log was deleted or replaced")

// inPlace makes sure that what was written can be found again: a file that was deleted takes everything without an
// error.
func (l *Log) inPlace() error {
	written, err := l.lines.Stat()
	if err != nil {
		return err
	}
	now, err := os.Lstat(l.lines.Name())
	if err != nil || !os.SameFile(written, now) {
		return errGone
	}
	return nil
}

func (l *Log) writeAt(f *os.File, b []byte, at int64) error {
	_, err := f.WriteAt(b, at)
	if err == nil {
		err = l.sync(f)
	}
	if err != nil {
		return errors.Join(err, f.Truncate(at))
	}
	return nil
}

// deliver hands durable events to the summary and the subscribers, and the transient ones that came between
// them. The caller holds mu.
func (l *Log) deliver(events []positionedEvent) {
	for _, e := range events {
		if Transient(e.Data) {
			for s := range l.subs {
				s.offerTransient(e.Event)
			}
			continue
		}
		l.summary.add(e.Event)
		for s := range l.subs {
			s.offer(e)
		}
	}
}

// failure explains a failed write to people.
func failure(dir string, err error) error {
	advice := "nothing more is recorded; what was recorded before is readable and the run can be resumed"
	switch {
	case errors.Is(err, errGone):
		advice = "nothing that happens from now on would be kept"
	case errors.Is(err, syscall.ENOSPC), isQuota(err):
		advice = "the disk is full: free some space, then resume the run"
	case errors.Is(err, syscall.EIO):
		advice = "the disk reports errors: nothing more is recorded; what was recorded before is readable"
	case errors.Is(err, syscall.EFBIG):
		advice = "the file may not grow further (ulimit -f): raise the limit, then resume the run"
	}
	return fmt.Errorf("record the run in %s: %w: %s", dir, err, advice)
}
