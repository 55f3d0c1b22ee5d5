package server

import (
	"context"
	"errors"
	"iter"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gorlm/rlm/internal/server/internal/live"
	"github.com/gorlm/rlm/internal/server/internal/past"
)

const (
	heartbeat   = 15 * time.Second       // so that whatever is in between keeps the connection, and a reader notices a dead one
	writeTime   = 30 * time.Second       // for a reader to take what was sent; one that takes nothing is cut off
	mostWatched = 64                     // sessions of one connection
	tallyEvery  = 200 * time.Millisecond // that a reader hears of sub-calls
	listID      = "*"                    // stands for the list of sessions
)

// cursor is how far a reader has read a session.
type cursor struct {
	id    string
	after int64
}

// outlet takes what a reader is told. It is safe for concurrent use, guards the cursors that it is given, and a failure of it is errGone.
type outlet interface {
	// send passes frames on and moves the cursor behind them. A reader who wants the essence is not sent the details.
	send(c *cursor, frames []live.Frame, brief bool) error
	// say passes on a transient event about a session; a nil cursor stands for the list.
	say(c *cursor, typ string, data any)
}

// errGone says that the reader is not there any more.
var errGone = errors.New("the reader is gone")

// watch sends a session's events until ctx is done or the session is gone.
func (s *Server) watch(ctx context.Context, out outlet, c *cursor, l *live.Session, brief bool) {
	ctx, cancel := context.WithCancel(ctx)
	var counted atomic.Bool
	counted.Store(true)
	var counting sync.WaitGroup
	if brief {
		counting.Go(func() { tally(ctx, out, c, l.Book(), &counted) })
	}
	err := l.Read(ctx, c.after, brief, func(frames []live.Frame) error {
		if !s.owners.may(personOf(ctx), l.ID()) { // any more
			return notFound("there is no session " + l.ID())
		}
		for _, f := range frames {
			if f.Counts {
				counted.Store(true)
			}
		}
		return out.send(c, frames, brief)
	})
	cancel()
	counting.Wait()
	if err != nil && !errors.Is(err, errGone) {
		out.say(c, "gone", goneFor(err))
	}
}

// goneFor says why nothing more comes for a session.
func goneFor(err error) toldError {
	f := failureOf(err)
	return toldError{f.code, f.message, nil}
}

// callsTold are the tallies of cells that changed.
type callsTold struct {
	Cells []past.Tally `json:"cells"`
}

// tally tells how far sub-calls are and what was spent, when that changed.
func tally(ctx context.Context, out outlet, c *cursor, book *past.Book, counted *atomic.Bool) {
	look := time.NewTicker(tallyEvery)
	defer look.Stop()
	version := int64(0)
	for {
		if counted.Swap(false) {
			cells, spent, now, late, err := book.Recent(version)
			if late {
				counted.Store(true)
			}
			if err == nil && now > version {
				if len(cells) > 0 {
					out.say(c, "calls", callsTold{cells})
				}
				out.say(c, "spent", spent)
			}
			version = now
		}
		select {
		case <-look.C:
		case <-ctx.Done():
			return
		}
	}
}

// removed names a session that is no more.
type removed struct {
	ID string `json:"id"`
}

// watchList tells which sessions changed, and which are gone of those that somebody could see.
func (s *Server) watchList(ctx context.Context, out outlet, who Person, changes iter.Seq[[]string]) {
	seen := s.owners.seenBy(who)
	for ids := range changes {
		for _, id := range ids {
			l, err := s.session(who, id)
			var sum Session
			if err == nil {
				sum, err = s.summary(l)
			}
			switch {
			case err == nil:
				seen[id] = true
				out.say(nil, "session", sum)
			case who.Owner || seen[id]:
				delete(seen, id)
				out.say(nil, "removed", removed{id})
			}
		}
		select { // changes come in bursts
		case <-time.After(tallyEvery):
		case <-ctx.Done():
		}
	}
}

// toldEvent is a transient event that a server tells beside those of the log.
type toldEvent struct {
	Seq  int64  `json:"seq"`
	Type string `json:"type"`
	Data any    `json:"data"`
}

// present reports whether somebody who was let in may still be here: a user who was removed may not.
func (s *Server) present(who Person) bool { return who.Owner || s.users.has(who.Name) }
