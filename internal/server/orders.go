package server

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/gorlm/rlm/runner"
)

// order is what a client says.
type order struct {
	ID string `json:"id"` // its answer has the same
	// Do is "follow", "unfollow", or a route of the API: "POST sessions/ID/ask".
	Do string `json:"do"`

	Session string `json:"session"` // to follow or not any more; "*" is the list, "*batches" the batches
	After   int64  `json:"after"`
	Detail  string `json:"detail"` // full (default) or brief

	Key         string          `json:"key"`         // the Idempotency-Key
	Traceparent string          `json:"traceparent"` // the span that a run is begun for; default: that of the connection
	Body        json.RawMessage `json:"body"`
}

// reply answers an order.
type reply struct {
	ID         string          `json:"id,omitempty"`
	Status     int             `json:"status"`
	RetryAfter string          `json:"retry_after,omitempty"` // in seconds
	Answer     json.RawMessage `json:"answer,omitempty"`
	Error      json.RawMessage `json:"error,omitempty"`
}

// follow begins to tell what happens in a session, in the list of all, or in batches.
func (k *socket) follow(ctx context.Context, o order) {
	ctx, stop := context.WithCancel(ctx)
	id, watch, err := k.watch(ctx, o)
	if err != nil {
		stop()
		k.refuse(o, err)
		return
	}
	f := &followed{stop, make(chan struct{})}
	k.follows[id] = f
	k.reply(reply{ID: o.ID, Status: http.StatusOK, Answer: encoded(map[string]string{"session": id})})
	k.work.Go(func() {
		defer close(f.over)
		defer stop()
		watch()
	})
}

// watch returns what follows the session that is meant, the list or the batches, until ctx is done.
func (k *socket) watch(ctx context.Context, o order) (id string, watch func(), err error) {
	for id, f := range k.follows {
		select {
		case <-f.over:
			delete(k.follows, id)
		default:
		}
	}
	switch {
	case len(k.follows) >= mostWatched:
		return "", nil, &failure{http.StatusTooManyRequests, "limit", fmt.Sprintf("a connection follows at most %d sessions", mostWatched), nil}
	case o.After < 0 || o.Detail != "" && o.Detail != "brief" && o.Detail != "full":
		return "", nil, badRequest("after is the number of an event, detail is brief or full")
	case o.Session == listID:
		id = listID
		changes := k.server.sessions.Changes(ctx)
		watch = func() { k.server.watchList(ctx, k, k.who, changes) }
	case o.Session == batchesID:
		batches, err := k.server.batches(k.who)
		if err != nil {
			return "", nil, err
		}
		id = batchesID
		watch = func() { k.server.watchBatches(ctx, k, batches) }
	default:
		l, err := k.server.session(k.who, o.Session)
		if err != nil {
			return "", nil, err
		}
		id = l.ID()
		c := &cursor{id, o.After}
		watch = func() { k.server.watch(ctx, k, c, l, o.Detail == "brief") }
	}
	if k.follows[id] != nil {
		return "", nil, badRequest("this connection follows the session already; unfollow ends that")
	}
	return id, watch, nil
}

// unfollow ends that: nothing comes of the session behind the answer.
func (k *socket) unfollow(o order) {
	id := o.Session
	f := k.follows[id]
	if f == nil {
		if l, err := k.server.session(k.who, id); err == nil { // by the beginning of its id
			id = l.ID()
			f = k.follows[id]
		}
	}
	if f == nil {
		k.refuse(o, notFound("this connection does not follow "+o.Session))
		return
	}
	f.stop()
	<-f.over
	delete(k.follows, id)
	k.reply(reply{ID: o.ID, Status: http.StatusNoContent})
}

// command does what a request of the API would do, and answers as that would.
func (k *socket) command(ctx context.Context, o order) {
	method, path, _ := strings.Cut(o.Do, " ")
	req, err := http.NewRequestWithContext(ctx, method, "/api/v1/"+path, bytes.NewReader(o.Body))
	if err != nil {
		k.refuse(o, badRequest(`do is follow, unfollow or a route such as "POST sessions/ID/ask"`))
		return
	}
	if !k.server.present(k.who) {
		k.refuse(o, &failure{http.StatusUnauthorized, "token", "this user was removed", nil})
		return
	}
	req.Header.Set("Rlm-Client", k.opened.Get("Rlm-Client"))
	req = req.WithContext(runner.UnderSpan(ctx, o.Traceparent, ""))
	if len(o.Body) > 0 {
		req.Header.Set("Content-Type", "application/json")
	}
	if o.Key != "" {
		req.Header.Set("Idempotency-Key", o.Key)
	}
	var got gathered
	k.server.routes.ServeHTTP(&got, req)
	r := reply{ID: o.ID, Status: got.status, RetryAfter: got.Header().Get("Retry-After")}
	var failed struct{ Error json.RawMessage }
	switch {
	case got.status < 300:
		r.Answer = bytes.TrimSpace(got.body.Bytes())
	case json.Unmarshal(got.body.Bytes(), &failed) == nil && failed.Error != nil:
		r.Error = failed.Error
	default: // of the one who chooses the route
		k.refuse(o, notFound("there is no "+o.Do+" here"))
		return
	}
	k.reply(r)
}

// gathered keeps the answer of a route.
type gathered struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (g *gathered) Header() http.Header {
	if g.header == nil {
		g.header = http.Header{}
	}
	return g.header
}

func (g *gathered) WriteHeader(status int) { g.status = status }

func (g *gathered) Write(b []byte) (int, error) { return g.body.Write(b) }
