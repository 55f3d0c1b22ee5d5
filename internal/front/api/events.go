package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/gorlm/rlm/internal/session"
)

// events streams the events of one or more sessions: ?session=ID:AFTER, repeatable. list=1 and batches=1 add
// changes of the list of sessions and of batches. The id of each message contains all cursors, so that a browser
// that reconnects continues where it was.
func (s *Server) events(w http.ResponseWriter, r *http.Request) {
	who := personOf(r.Context())
	q := r.URL.Query()
	brief, list := q.Get("detail") == "brief", q.Get("list") == "1"
	bulk := q.Get("batches") == "1"
	more := list || bulk
	cursors, err := cursorsOf(r, more)
	var batches Batches
	if err == nil && bulk {
		batches, err = s.batches(who)
	}
	watched, lost := map[*cursor]*session.Session{}, map[*cursor]error{}
	for _, c := range cursors {
		l, missing := s.sessions.Find(who, c.id)
		if missing != nil {
			lost[c] = missing
			continue
		}
		watched[c] = l
	}
	if err == nil && len(watched) == 0 && !more {
		err = lost[cursors[0]]
	}
	if err != nil {
		refuse(w, err)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("X-Accel-Buffering", "no")
	if r.Method == http.MethodHead { // its connection would be held by a stream that nobody reads
		return
	}
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer context.AfterFunc(s.down, cancel)()
	out := &messages{w: w, control: http.NewResponseController(w), cursors: cursors, cut: cancel}
	changes := s.sessions.Changes(ctx, who) // subscribe before the reader knows that the stream is open
	out.comment("rlm")
	var readers sync.WaitGroup
	defer readers.Wait()
	defer cancel()
	for c, err := range lost { // the stream continues without these sessions
		out.say(c, "gone", toldOf(err))
	}
	for c, l := range watched {
		readers.Go(func() { s.watch(ctx, out, c, l, brief) })
	}
	if list {
		readers.Go(func() { watchList(out, changes) })
	}
	if batches != nil {
		readers.Go(func() { s.watchBatches(ctx, out, batches) })
	}
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	for {
		select {
		case <-ctx.Done():
			if err := context.Cause(ctx); errors.Is(err, errNoAccess) {
				for c := range watched {
					out.say(c, "gone", toldOf(err))
				}
			}
			return
		case <-beat.C:
			if out.comment(""); list { // the page does not see comments, so it gets an event
				out.say(nil, "beat", empty{})
			}
		}
	}
}

func cursorsOf(r *http.Request, more bool) ([]*cursor, error) {
	asked := r.URL.Query()["session"]
	if last := r.Header.Get("Last-Event-ID"); last != "" {
		asked = strings.Split(last, ",")
	}
	if len(asked) == 0 && !more || len(asked) > mostWatched {
		return nil, badRequest(fmt.Sprintf("give 1 to %d sessions: ?session=ID:AFTER", mostWatched))
	}
	var out []*cursor
	for _, a := range asked {
		id, after, _ := strings.Cut(a, ":")
		c := &cursor{id: id}
		if after != "" {
			n, err := strconv.ParseInt(after, 10, 64)
			if err != nil || n < 0 {
				return nil, badRequest("a cursor must be ID:NUMBER")
			}
			c.after = n
		}
		out = append(out, c)
	}
	return out, nil
}

// messages writes server-sent events.
type messages struct {
	mu      sync.Mutex
	w       http.ResponseWriter
	control *http.ResponseController
	cursors []*cursor
	cut     context.CancelFunc // ends the stream
}

func (m *messages) send(c *cursor, frames []session.Frame, brief bool) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.write(func() error {
		for n, f := range frames {
			c.after = max(c.after, f.Seq)
			if brief && f.Detail {
				if last := n == len(frames)-1; last && !f.Transient { // advances the reader's cursor
					if _, err := fmt.Fprintf(m.w,
						"id: %s\ndata: {\"session\":%q,\"event\":{\"seq\":%d,\"type\":\"passed\",\"data\":{}}}\n\n",
						m.place(), c.id, f.Seq); err != nil {
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
			if _, err := fmt.Fprintf(m.w, "data: {\"session\":%q,\"event\":%s}\n\n", c.id, f.JSON); err != nil {
				return err
			}
		}
		return nil
	})
}

// write calls do and flushes. If the reader does not receive the data in time, write ends the stream.
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

// place returns the reader's position in all sessions.
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
	_ = m.write(func() error { // an error has ended the stream
		_, err := fmt.Fprintf(m.w, ": %s\n\n", text)
		return err
	})
}

func (m *messages) say(c *cursor, typ string, data any) {
	m.mu.Lock()
	defer m.mu.Unlock()
	id, seq := listID, int64(0)
	if c != nil {
		id, seq = c.id, c.after
	}
	b, err := json.Marshal(struct {
		Session string         `json:"session"`
		Event   transientEvent `json:"event"`
	}{id, transientEvent{seq, typ, data}})
	if err != nil {
		return // unreachable: all data can be encoded
	}
	_ = m.write(func() error { // an error has ended the stream
		_, err := fmt.Fprintf(m.w, "data: %s\n\n", b)
		return err
	})
}
