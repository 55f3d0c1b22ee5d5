package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"strconv"
	"strings"
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

// events streams the events of one or several sessions: ?session=ID:AFTER, repeatable. The id of each message holds the cursors of all, so
// that a browser that comes back by itself goes on where it was.
func (s *Server) events(w http.ResponseWriter, r *http.Request) {
	who := personOf(r.Context())
	q := r.URL.Query()
	brief, list := q.Get("detail") == "brief", q.Get("list") == "1"
	cursors, err := cursorsOf(r, list)
	var watched []*live.Session
	for _, c := range cursors {
		l, ferr := s.session(who, c.id)
		if err == nil {
			err = ferr
		}
		watched = append(watched, l)
	}
	if err != nil {
		refuse(w, err)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("X-Accel-Buffering", "no")
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer context.AfterFunc(s.down, cancel)()
	out := &messages{w: w, control: http.NewResponseController(w), cursors: cursors, cut: cancel}
	changes := s.sessions.Changes(ctx) // from before the reader hears that the connection stands
	out.comment("rlm")
	var readers sync.WaitGroup
	defer readers.Wait()
	defer cancel()
	for i, l := range watched {
		readers.Go(func() { s.watch(ctx, out, i, l, brief) })
	}
	if list {
		readers.Go(func() { s.watchList(ctx, out, who, changes) })
	}
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-beat.C:
			out.comment("")
		}
	}
}

func cursorsOf(r *http.Request, list bool) ([]cursor, error) {
	asked := r.URL.Query()["session"]
	if last := r.Header.Get("Last-Event-ID"); last != "" {
		asked = strings.Split(last, ",")
	}
	if len(asked) == 0 && !list || len(asked) > mostWatched {
		return nil, badRequest(fmt.Sprintf("name 1 to %d sessions: ?session=ID:AFTER", mostWatched))
	}
	var out []cursor
	for _, a := range asked {
		id, after, _ := strings.Cut(a, ":")
		c := cursor{id: id}
		if after != "" {
			n, err := strconv.ParseInt(after, 10, 64)
			if err != nil || n < 0 {
				return nil, badRequest("a cursor is ID:NUMBER")
			}
			c.after = n
		}
		out = append(out, c)
	}
	return out, nil
}

// watch sends a session's events until ctx is done.
func (s *Server) watch(ctx context.Context, out *messages, i int, l *live.Session, brief bool) {
	ctx, cancel := context.WithCancel(ctx)
	var counted atomic.Bool
	counted.Store(true)
	var counting sync.WaitGroup
	if brief {
		counting.Go(func() { out.tally(ctx, i, l.Book(), &counted) })
	}
	err := l.Read(ctx, out.cursors[i].after, brief, func(frames []live.Frame) error {
		if !s.owners.may(personOf(ctx), l.ID()) { // any more
			return notFound("there is no session " + l.ID())
		}
		for _, f := range frames {
			if f.Counts {
				counted.Store(true)
			}
		}
		return out.send(i, frames, brief)
	})
	cancel()
	counting.Wait()
	if err != nil && !errors.Is(err, errGone) {
		f := failureOf(err)
		out.say(i, "gone", toldError{f.code, f.message, nil})
	}
}

// watchList tells which sessions changed, and which are gone of those that somebody could see.
func (s *Server) watchList(ctx context.Context, out *messages, who Person, changes iter.Seq[[]string]) {
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
				out.say(-1, "session", sum)
			case who.Owner || seen[id]:
				delete(seen, id)
				out.say(-1, "removed", removed{id})
			}
		}
		select { // changes come in bursts
		case <-time.After(tallyEvery):
		case <-ctx.Done():
		}
	}
}

// removed names a session that is no more.
type removed struct {
	ID string `json:"id"`
}

// errGone says that the reader is not there any more.
var errGone = errors.New("the reader is gone")

// messages writes Server-Sent Events.
type messages struct {
	mu      sync.Mutex
	w       http.ResponseWriter
	control *http.ResponseController
	cursors []cursor
	cut     context.CancelFunc // ends the stream
}

// send writes frames. A reader who wants the essence is not sent the others, and is behind them all the same.
func (m *messages) send(i int, frames []live.Frame, brief bool) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.write(func() error {
		for n, f := range frames {
			m.cursors[i].after = max(m.cursors[i].after, f.Seq)
			if brief && f.Detail {
				if last := n == len(frames)-1; last && !f.Transient { // so that the cursor goes on
					if _, err := fmt.Fprintf(m.w, "id: %s\ndata: {\"session\":%q,\"event\":{\"seq\":%d,\"type\":\"passed\",\"data\":{}}}\n\n",
						m.place(), m.cursors[i].id, f.Seq); err != nil {
						return err
					}
				}
				continue
			}
			if !f.Transient {
				if _, err := fmt.Fprintf(m.w, "id: %s\n", m.place()); err != nil {
					return err
				}
			}
			if _, err := fmt.Fprintf(m.w, "data: {\"session\":%q,\"event\":%s}\n\n", m.cursors[i].id, f.JSON); err != nil {
				return err
			}
		}
		return nil
	})
}

// write writes something that a reader must take within a time.
func (m *messages) write(do func() error) error {
	err := m.control.SetWriteDeadline(time.Now().Add(writeTime))
	if err == nil {
		err = do()
	}
	if err == nil {
		err = m.control.Flush()
	}
	if err != nil {
		m.cut()
		return errGone
	}
	return nil
}

// place is where the reader is in all sessions.
func (m *messages) place() string {
	var b strings.Builder
	for i, c := range m.cursors {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(c.id + ":" + strconv.FormatInt(c.after, 10))
	}
	return b.String()
}

func (m *messages) comment(text string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	_ = m.write(func() error { // then the stream ends
		_, err := fmt.Fprintf(m.w, ": %s\n\n", text)
		return err
	})
}

// say sends a transient event about a session, or about the list for -1.
func (m *messages) say(i int, typ string, data any) {
	type event struct {
		Seq  int64  `json:"seq"`
		Type string `json:"type"`
		Data any    `json:"data"`
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	id, seq := listID, int64(0)
	if i >= 0 {
		id, seq = m.cursors[i].id, m.cursors[i].after
	}
	b, err := json.Marshal(struct {
		Session string `json:"session"`
		Event   event  `json:"event"`
	}{id, event{seq, typ, data}})
	if err != nil {
		return // nothing that is said cannot be encoded
	}
	_ = m.write(func() error { // then the stream ends
		_, err := fmt.Fprintf(m.w, "data: %s\n\n", b)
		return err
	})
}

// callsTold are the tallies of cells that changed.
type callsTold struct {
	Cells []past.Tally `json:"cells"`
}

// tally tells how far sub-calls are and what was spent, when that changed.
func (m *messages) tally(ctx context.Context, i int, book *past.Book, counted *atomic.Bool) {
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
					m.say(i, "calls", callsTold{cells})
				}
				m.say(i, "spent", spent)
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
