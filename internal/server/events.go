package server

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/gorlm/rlm/internal/server/internal/live"
)

const (
	heartbeat   = 15 * time.Second // so that whatever is in between keeps the connection, and a reader notices a dead one
	writeTime   = 30 * time.Second // for a reader to take what was sent; one that takes nothing is cut off
	mostWatched = 64               // sessions of one connection
)

// cursor is how far a reader has read a session.
type cursor struct {
	id    string
	after int64
}

// events streams the events of one or several sessions: ?session=ID:AFTER, repeatable. The id of each message holds the cursors of all, so
// that a browser that comes back by itself goes on where it was.
func (s *Server) events(w http.ResponseWriter, r *http.Request) {
	cursors, err := cursorsOf(r)
	var watched []*live.Session
	for _, c := range cursors {
		l, ferr := s.sessions.Get(c.id)
		if err == nil {
			err = ferr
		}
		watched = append(watched, l)
	}
	if err != nil {
		f := failureOf(err)
		fail(w, f.status, f.code, f.message)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("X-Accel-Buffering", "no")
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer context.AfterFunc(s.down, cancel)()
	out := &messages{w: w, control: http.NewResponseController(w), cursors: cursors}
	out.comment("rlm") // the connection stands
	var readers sync.WaitGroup
	defer readers.Wait()
	defer cancel()
	for i, l := range watched {
		readers.Go(func() {
			defer cancel() // a stream that has lost a session ends; the reader comes back and hears why
			_ = l.Read(ctx, cursors[i].after, func(frames []live.Frame) error { return out.send(i, frames) })
		})
	}
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-beat.C:
			if out.comment("") != nil {
				return
			}
		}
	}
}

func cursorsOf(r *http.Request) ([]cursor, error) {
	asked := r.URL.Query()["session"]
	if last := r.Header.Get("Last-Event-ID"); last != "" {
		asked = strings.Split(last, ",")
	}
	if len(asked) == 0 || len(asked) > mostWatched {
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

// messages writes Server-Sent Events.
type messages struct {
	mu      sync.Mutex
	w       http.ResponseWriter
	control *http.ResponseController
	cursors []cursor
}

func (m *messages) send(i int, frames []live.Frame) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.control.SetWriteDeadline(time.Now().Add(writeTime)); err != nil {
		return err
	}
	for _, f := range frames {
		m.cursors[i].after = max(m.cursors[i].after, f.Seq)
		if !f.Transient {
			if _, err := fmt.Fprintf(m.w, "id: %s\n", m.place()); err != nil {
				return err
			}
		}
		if _, err := fmt.Fprintf(m.w, "data: {\"session\":%q,\"event\":%s}\n\n", m.cursors[i].id, f.JSON); err != nil {
			return err
		}
	}
	return m.control.Flush()
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

func (m *messages) comment(text string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.control.SetWriteDeadline(time.Now().Add(writeTime)); err != nil {
		return err
	}
	if _, err := fmt.Fprintf(m.w, ": %s\n\n", text); err != nil {
		return err
	}
	return m.control.Flush()
}
