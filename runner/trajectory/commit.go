package trajectory

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
)

// batch is the content of one flush: everything appended while the flush before it was in progress.
type batch struct {
	texts  []byte
	lines  []byte
	events []positionedEvent
	done   bool
	err    error
}

// positionedEvent is an event with an offset in the log: the start of its line when it is being written, the end
// when it was read.
type positionedEvent struct {
	Event
	at int64
}

// mostRoom bounds the buffer for lines that is kept for reuse: enough for a batch of many sub-calls.
const mostRoom = 256 << 10

func newBatch() *batch { return &batch{} }

// commit returns when b is durable. The first caller while no flush is in progress flushes for all; the others
// wait. The caller holds mu, which is released while writing.
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
			_ = l.writeSummary() // optional: it only saves readers time
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

// write makes the texts durable, then the lines that refer to them. After a failure the files are cut back to
// their durable part if possible; readers ignore a torn end anyway.
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

// inPlace checks that the log file still has its name: writing to a deleted file succeeds and loses everything.
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

// deliver passes durable events, and the transient ones between them, to the summary and the subscribers. The
// caller holds mu.
func (l *Log) deliver(events []positionedEvent) {
	for _, e := range events {
		if Transient(e.Data) {
			for s := range l.subs {
				s.offerTransient(e.Event)
			}
			continue
		}
		l.summary.add(e.Event)
		if l.observe != nil {
			l.observe(e.Event)
		}
		for s := range l.subs {
			s.offer(e)
		}
	}
}

// failure explains a failed write to people.
func failure(dir string, err error) error {
	advice := "nothing more is recorded; what was recorded before is readable, and the run can be resumed"
	switch {
	case errors.Is(err, errGone):
		advice = "nothing that happens from now on would be saved"
	case errors.Is(err, syscall.ENOSPC), isQuota(err):
		advice = "the disk is full: free some space, then resume the run"
	case errors.Is(err, syscall.EIO):
		advice = "the disk reports errors: nothing more is recorded; what was recorded before is readable"
	case errors.Is(err, syscall.EFBIG):
		advice = "the file size limit is reached (ulimit -f): raise it, then resume the run"
	}
	return fmt.Errorf("record the run in %s: %w: %s", dir, err, advice)
}
