package api

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/coder/websocket"

	"github.com/gorlm/rlm/internal/session"
)

const (
	mostFrame    = mostBody + 64<<10 // bytes of a message of a client: a body and what is around it
	mostMessage  = 1 << 20           // bytes of events in one message to a client; a larger event goes by itself
	mostCommands = 64                // of a connection at once
	shortly      = time.Second       // for what ends with a connection whose visitor has to go
)

// socket is a connection by WebSocket: it follows sessions and takes commands, each answered under its id.
type socket struct {
	server *Server
	conn   *websocket.Conn
	who    session.Person
	visit  context.Context // done when the visitor may not be here any more
	opened http.Header     // of the request that opened it: it speaks for commands too
	cut    context.CancelFunc

	mu      sync.Mutex               // held while something is written, and for the cursors
	follows map[string]*subscription // of the goroutine that takes orders
	work    sync.WaitGroup           // commands, and what follows sessions
	slots   chan struct{}            // held by commands
}

// subscription is a session that a connection follows, or the list.
type subscription struct {
	stop context.CancelFunc
	over chan struct{} // closed when nothing more comes of it
}

// socket serves a WebSocket until one side ends it.
func (s *Server) socket(w http.ResponseWriter, r *http.Request) {
	if !strings.EqualFold(r.Header.Get("Upgrade"), "websocket") {
		answer(w, http.StatusUpgradeRequired, errorBody{toldOf(badRequest("this address speaks WebSocket"))})
		return
	}
	s.open.Add(1) // the server's end waits for what is hijacked
	defer s.open.Done()
	conn, err := websocket.Accept(w, r, nil)
	if err != nil {
		s.cfg.Log.Info("a WebSocket was refused", "error", err)
		return
	}
	defer func() { _ = conn.CloseNow() }() // it is over
	conn.SetReadLimit(mostFrame)
	ctx, cancel := context.WithCancel(context.WithoutCancel(r.Context())) // the request's own says nothing of a connection that was taken over
	defer cancel()
	k := &socket{
		server: s, conn: conn, who: personOf(r.Context()), visit: r.Context(), opened: r.Header, cut: cancel,
		follows: map[string]*subscription{}, slots: make(chan struct{}, mostCommands),
	}
	streams, stop := context.WithCancel(ctx)
	var beating sync.WaitGroup
	beating.Go(func() { k.beat(ctx, stop) })
	for k.take(ctx, streams) {
	}
	cancel()
	beating.Wait()
	k.work.Wait()
}

// beat sees to it that the other side is there and may be, and ends the connection when the server ends.
func (k *socket) beat(ctx context.Context, stopStreams context.CancelFunc) {
	look := time.NewTicker(heartbeat)
	defer look.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-k.server.down.Done():
			stopStreams()
			k.end(ctx, drain, websocket.StatusGoingAway, "the server shuts down")
			return
		case <-k.visit.Done():
			stopStreams()
			k.end(ctx, shortly, websocket.StatusPolicyViolation, "this user was removed, or logged out")
			return
		case <-look.C:
		}
		alive, cancel := context.WithTimeout(ctx, writeTime)
		err := k.conn.Ping(alive)
		cancel()
		if err != nil {
			k.cut()
			return
		}
	}
}

// end ends the connection when what was begun is answered, at the latest after some time. Nothing else begins.
func (k *socket) end(ctx context.Context, within time.Duration, code websocket.StatusCode, why string) {
	late := time.After(within)
	for open := mostCommands; open > 0; open-- {
		select {
		case k.slots <- struct{}{}:
		case <-late:
			open = 0
		case <-ctx.Done():
			return
		}
	}
	defer time.AfterFunc(shortly, k.cut).Stop() // the other side need not say that it has heard it
	_ = k.conn.Close(code, why)
	k.cut()
}

// take takes the next order; it reports whether another may come.
func (k *socket) take(ctx, streams context.Context) bool {
	kind, r, err := k.conn.Reader(ctx)
	if err != nil {
		return false
	}
	slow := time.AfterFunc(bodyTime, k.cut)
	data, err := io.ReadAll(r)
	slow.Stop()
	if err != nil {
		return false
	}
	var o socketRequest
	if kind != websocket.MessageText {
		k.refuse(o, badRequest("orders are texts of JSON"))
		return true
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := whole(d, &o); err != nil {
		var named struct{ ID string }
		_ = json.Unmarshal(data, &named) // it may still say which one it is
		k.refuse(socketRequest{ID: named.ID}, badRequest("the order is not the JSON that is expected: "+err.Error()))
		return true
	}
	switch o.Do {
	case "follow":
		k.follow(streams, o)
	case "unfollow":
		k.unfollow(o)
	default:
		k.begin(ctx, o)
	}
	return true
}

// begin begins a command. The connection is read on meanwhile: other commands, and signs of life, may come.
func (k *socket) begin(ctx context.Context, o socketRequest) {
	select {
	case k.slots <- struct{}{}:
		k.work.Go(func() {
			defer func() { <-k.slots }()
			k.command(ctx, o)
		})
	case <-k.server.down.Done():
		k.refuse(o, session.ErrClosing)
	default:
		k.refuse(o, &session.Error{Code: session.Limit, Message: fmt.Sprintf("a connection does %d things at once: wait for an answer", mostCommands)})
	}
}

func (k *socket) refuse(o socketRequest, err error) { k.reply(refusal(o, err)) }

// refusal answers an order that failed.
func refusal(o socketRequest, err error) reply {
	e := refusalOf(err)
	return reply{ID: o.ID, Status: statusOf(e), RetryAfter: retryAfter(e), Error: encoded(toldOf(err))}
}

func (k *socket) reply(r reply) {
	k.mu.Lock()
	defer k.mu.Unlock()
	_ = k.write(encoded(r)) // then the connection ends
}

func (k *socket) send(c *cursor, frames []session.Frame, brief bool) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	before := c.after
	var events [][]byte
	size := 0
	for _, f := range frames {
		if !brief || !f.Detail {
			if size > 0 && size+len(f.JSON) > mostMessage {
				if err := k.tell(c, events); err != nil {
					return err
				}
				before, size, events = c.after, 0, nil
			}
			size += len(f.JSON)
			events = append(events, f.JSON)
		}
		c.after = max(c.after, f.Seq)
	}
	if len(events) == 0 && c.after == before {
		return nil
	}
	return k.tell(c, events)
}

func (k *socket) say(c *cursor, typ string, data any) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if c == nil {
		c = &cursor{id: listID}
	}
	_ = k.tell(c, [][]byte{encoded(toldEvent{c.after, typ, data})}) // then the connection ends
}

// tell writes events of one session in one message; after is where the reader is when he has had them. The caller holds mu.
func (k *socket) tell(c *cursor, events [][]byte) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, `{"session":%q,"after":%d,"events":[`, c.id, c.after)
	b.Write(bytes.Join(events, []byte(",")))
	b.WriteString("]}")
	return k.write(b.Bytes())
}

// write writes a message, which the reader must take within a time. The caller holds mu.
func (k *socket) write(b []byte) error {
	ctx, cancel := context.WithTimeout(context.Background(), writeTime)
	defer cancel()
	if k.conn.Write(ctx, websocket.MessageText, b) != nil {
		k.cut()
		return errGone
	}
	return nil
}

// encoded is a value as JSON; all that is told can be encoded.
func encoded(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		return json.RawMessage("null")
	}
	return b
}
