package api

import (
	"context"
	"errors"
	"iter"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gorlm/rlm/internal/session"
	"github.com/gorlm/rlm/internal/session/history"
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

// eventWriter takes what a reader is told. It is safe for concurrent use, guards the cursors that it is given, and a failure of it is errGone.
type eventWriter interface {
	// send passes frames on and moves the cursor behind them. A reader who wants the essence is not sent the details.
	send(c *cursor, frames []session.Frame, brief bool) error
	// say passes on a transient event about a session; a nil cursor stands for the list.
	say(c *cursor, typ string, data any)
}

// errGone says that the reader is not there any more.
var errGone = errors.New("the reader is gone")

// watch sends a session's events until ctx is done or the session is gone.
func (s *Server) watch(ctx context.Context, out eventWriter, c *cursor, l *session.Session, brief bool) {
	ctx, cancel := context.WithCancel(ctx)
	var counted atomic.Bool
	counted.Store(true)
	var counting sync.WaitGroup
	if brief {
		counting.Go(func() { tally(ctx, out, c, l.History(), &counted) })
	}
	err := l.Read(ctx, c.after, brief, func(frames []session.Frame) error {
		if !s.sessions.May(personOf(ctx), l.ID()) { // any more
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
		out.say(c, "gone", toldOf(err))
	}
}

// cellTallies are the tallies of cells that changed.
type cellTallies struct {
	Cells []history.Tally `json:"cells"`
}

// tally tells how far sub-calls are and what was spent, when that changed.
func tally(ctx context.Context, out eventWriter, c *cursor, book *history.Projection, counted *atomic.Bool) {
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
					out.say(c, "calls", cellTallies{cells})
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

// removal names a session that is no more.
type removal struct {
	ID string `json:"id"`
}

// watchList tells which sessions changed, and which are gone.
func watchList(out eventWriter, changes iter.Seq[session.Change]) {
	for change := range changes {
		if change.Session != nil {
			out.say(nil, "session", *change.Session)
		} else {
			out.say(nil, "removed", removal{change.ID})
		}
	}
}

// toldEvent is a transient event that a server tells beside those of the log.
type toldEvent struct {
	Seq  int64  `json:"seq"`
	Type string `json:"type"`
	Data any    `json:"data"`
}
