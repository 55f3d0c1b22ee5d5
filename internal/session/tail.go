package session

import (
	"context"

	"github.com/gorlm/rlm/runner/trajectory"
)

// pump forwards events until there are no more.
func (l *Session) pump(events func(func(trajectory.Event) bool)) {
	for ev := range events {
		if err := l.feed.add(ev); err != nil {
			l.feed.fail(err)
			return
		}
	}
}

// Read yields the session's frames with numbers above after, old and new, until ctx is done or yield fails. A brief
// reader gets details of the past without their JSON. Read never slows the session.
func (l *Session) Read(
	ctx context.Context, who Person, after int64, brief bool, yield func([]Frame) error,
) error {
	l.mu.Lock()
	l.readers++
	l.beginTail()
	l.announce()
	l.mu.Unlock()
	defer func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.readers--; l.readers == 0 {
			l.endTail()
		}
		l.announce()
	}()
	return l.feed.read(ctx, after, brief, func(frames []Frame) error {
		for i, fr := range frames {
			if fr.others != nil && !who.Owner {
				frames[i].JSON = fr.others
			}
		}
		return yield(frames)
	})
}

// beginTail follows the log of a session that has readers but is not open here, because another process may write
// to it. The caller holds mu.
func (l *Session) beginTail() {
	if l.readers == 0 || l.session != nil || l.tail != nil {
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	if !l.all.Begin(func() { // ends when the last reader leaves or the session is opened here
		for ev, err := range trajectory.Follow(ctx, l.dir, l.feed.at()) {
			if err == nil {
				err = l.feed.add(ev)
			}
			if ctx.Err() != nil {
				return
			}
			if err != nil {
				l.feed.fail(err)
				return
			}
		}
	}) {
		cancel()
		return
	}
	l.tail = cancel
}

// endTail stops following the log, without waiting: the broadcaster ignores events that it already has. The caller
// holds mu.
func (l *Session) endTail() {
	if l.tail != nil {
		l.tail()
		l.tail = nil
	}
}
