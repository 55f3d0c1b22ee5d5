package api

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"strings"
	"sync"
	"time"

	"github.com/coder/websocket"

	"github.com/gorlm/rlm/internal/kit/jsondoc"
	"github.com/gorlm/rlm/internal/session"
)

const (
	mostFrame    = mostBody + 64<<10 // bytes of a client's message: a body, and the JSON around it
	mostMessage  = 1 << 20           // bytes of events in one message to a client; a larger event gets its own message
	mostCommands = 64                // of one connection, in progress at the same time
	shortly      = time.Second       // for ending a connection whose visitor has lost access
)

// socket is a WebSocket connection. It follows sessions and receives commands; each reply has the id of its
// command.
type socket struct {
	server *Server
	conn   *websocket.Conn
	who    session.Person
	visit  context.Context // done when the visitor has lost access
	opened http.Header     // headers of the opening request, which also apply to commands
	cut    context.CancelFunc

	mu      sync.Mutex               // held while writing; guards the cursors
	follows map[string]*subscription // used only by the goroutine that reads requests
	work    sync.WaitGroup           // commands and subscriptions in progress
	slots   chan struct{}            // one element for each command in progress
}

// subscription is a session, the list or the batches that a connection follows.
type subscription struct {
	stop context.CancelFunc
	over chan struct{} // closed when nothing more will be sent
}

// socket serves a WebSocket connection until either side closes it.
func (s *Server) socket(w http.ResponseWriter, r *http.Request) {
	if !strings.EqualFold(r.Header.Get("Upgrade"), "websocket") {
		answer(w, http.StatusUpgradeRequired, errorBody{toldOf(badRequest("this address accepts only WebSocket connections"))})
		return
	}
	s.open.Add(1) // http.Server does not wait for hijacked connections
	defer s.open.Done()
	conn, err := websocket.Accept(w, r, nil)
	if err != nil {
		s.cfg.Log.Info("a WebSocket was refused", "error", err)
		return
	}
	defer func() { _ = conn.CloseNow() }() // usually it is already closed
	conn.SetReadLimit(mostFrame)
	ctx, cancel := context.WithCancel(context.WithoutCancel(r.Context())) // beat handles the end of r.Context()
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

// beat pings the client, and ends the connection if the client is gone, the visitor has lost access, or the server
// shuts down.
func (k *socket) beat(ctx context.Context, stopStreams context.CancelFunc) {
	look := time.NewTicker(heartbeat)
	defer look.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-k.server.down.Done():
			stopStreams()
			k.end(ctx, drain, websocket.StatusGoingAway, "the server is shutting down")
			return
		case <-k.visit.Done():
			stopStreams()
			k.end(ctx, shortly, websocket.StatusPolicyViolation, errNoAccess.Message)
			return
		case <-look.C:
		}
		if k.ping(ctx) != nil {
			k.cut()
			return
		}
	}
}

// ping waits for the client's answer, unless the connection has to end anyway.
func (k *socket) ping(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, writeTime)
	defer cancel()
	defer context.AfterFunc(k.visit, cancel)()
	defer context.AfterFunc(k.server.down, cancel)()
	err := k.conn.Ping(ctx)
	if k.visit.Err() != nil || k.server.down.Err() != nil {
		return nil
	}
	return err
}

// end closes the connection once the commands in progress are answered, but at the latest after within. It prevents
// new commands.
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
	defer time.AfterFunc(shortly, k.cut).Stop() // in case the client does not acknowledge the close
	_ = k.conn.Close(code, why)
	k.cut()
}

// take reads and handles the next request, and reports whether another may follow.
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
		k.refuse(o, badRequest("orders must be JSON text messages"))
		return true
	}
	if err := whole(jsondoc.Meant(data, reflect.TypeFor[socketRequest]()), &o); err != nil {
		var named struct{ ID string }
		_ = json.Unmarshal(data, &named) // the id may still be readable
		k.refuse(socketRequest{ID: named.ID}, badRequest("the order is not the expected JSON: "+jsondoc.Refusal(err)))
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

// begin starts a command in the background, so that further commands and pings can be handled meanwhile.
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
		k.refuse(o, &session.Error{
			Code:    session.Limit,
			Message: fmt.Sprintf("a connection can run %d commands at once: wait for an answer", mostCommands),
		})
	}
}

func (k *socket) refuse(o socketRequest, err error) { k.reply(refusal(o, err)) }

// refusal is the reply to a failed request.
func refusal(o socketRequest, err error) reply {
	e := refusalOf(err)
	return reply{ID: o.ID, Status: statusOf(e), RetryAfter: retryAfter(e), Error: encoded(toldOf(err))}
}

func (k *socket) reply(r reply) {
	k.mu.Lock()
	defer k.mu.Unlock()
	_ = k.write(encoded(r)) // an error has ended the connection
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
	_ = k.tell(c, [][]byte{encoded(transientEvent{c.after, typ, data})}) // an error has ended the connection
}

// tell sends events of one session in a message, with the position of the reader after them. The caller holds mu.
func (k *socket) tell(c *cursor, events [][]byte) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, `{"session":%q,"after":%d,"events":[`, c.id, c.after)
	b.Write(bytes.Join(events, []byte(",")))
	b.WriteString("]}")
	return k.write(b.Bytes())
}

// write sends a message. If the reader does not receive it in time, write ends the connection. The caller holds mu.
func (k *socket) write(b []byte) error {
	ctx, cancel := context.WithTimeout(context.Background(), writeTime)
	defer cancel()
	if k.conn.Write(ctx, websocket.MessageText, b) != nil {
		k.cut()
		return errGone
	}
	return nil
}

// encoded encodes a value as JSON. All values that are sent can be encoded.
func encoded(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		return json.RawMessage("null")
	}
	return b
}
