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
	heartbeat   = 15 * time.Second       // interval of messages that keep the connection open and detect dead readers
	writeTime   = 30 * time.Second       // for a reader to receive what was sent; a slower one is cut off
	mostWatched = 64                     // sessions per connection
	tallyEvery  = 200 * time.Millisecond // minimum interval of updates about sub-calls
	listID      = "*"                    // stands for the list of sessions
)

// cursor is a reader's position in a session.
type cursor struct {
	id    string
	after int64
}

// eventWriter sends events to a reader. It is safe for concurrent use, and guards the cursors passed to it.
type eventWriter interface {
	// send sends frames and moves the cursor past them. A brief reader gets no details. The only error is errGone.
	send(c *cursor, frames []session.Frame, brief bool) error
	// say sends a transient event about a session, or about the list of sessions if c is nil.
	say(c *cursor, typ string, data any)
}

// errGone means that the reader has gone.
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
	err := l.Read(ctx, personOf(ctx), c.after, brief, func(frames []session.Frame) error {
		if !s.sessions.May(personOf(ctx), l.ID()) { // the person may have lost access
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

// cellTallies are the tallies that have changed, one per cell.
type cellTallies struct {
	Cells []history.Tally `json:"cells"`
}

// tally sends the progress of sub-calls and the usage whenever they have changed.
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

// removal names a deleted session or batch.
type removal struct {
	ID string `json:"id"`
}

// watchList sends the sessions that change, and the ids of those that are deleted.
func watchList(out eventWriter, changes iter.Seq[session.Change]) {
	for change := range changes {
		if change.Session != nil {
			out.say(nil, "session", *change.Session)
		} else {
			out.say(nil, "removed", removal{change.ID})
		}
	}
}

// transientEvent is an event that is sent to readers but is not in the log.
type transientEvent struct {
	Seq  int64  `json:"seq"`
	Type string `json:"type"`
	Data any    `json:"data"`
}
