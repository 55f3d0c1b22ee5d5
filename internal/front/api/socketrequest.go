package api

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/gorlm/rlm/internal/session"
	"github.com/gorlm/rlm/runner/host"
)

// socketRequest is a message from a client.
type socketRequest struct {
	ID string `json:"id"` // repeated in the reply
	// Do is "follow", "unfollow", or a route of the API: "POST sessions/ID/ask".
	Do string `json:"do"`

	Session string `json:"session"` // what to follow or unfollow: a session's id, "*" (the list) or "*batches"
	After   int64  `json:"after"`
	Detail  string `json:"detail"` // full (default) or brief

	Key         string          `json:"key"`         // the Idempotency-Key
	Traceparent string          `json:"traceparent"` // parent span of the run; default: the connection's
	Body        json.RawMessage `json:"body"`
}

// reply answers a socketRequest.
type reply struct {
	ID         string          `json:"id,omitempty"`
	Status     int             `json:"status"`
	RetryAfter string          `json:"retry_after,omitempty"` // in seconds
	Answer     json.RawMessage `json:"answer,omitempty"`
	Error      json.RawMessage `json:"error,omitempty"`
}

// follow starts sending the events of a session, of the list, or of the batches.
func (k *socket) follow(ctx context.Context, o socketRequest) {
	ctx, stop := context.WithCancel(ctx)
	id, watch, err := k.watch(ctx, o)
	if err != nil {
		stop()
		k.refuse(o, err)
		return
	}
	f := &subscription{stop, make(chan struct{})}
	k.follows[id] = f
	k.reply(reply{ID: o.ID, Status: http.StatusOK, Answer: encoded(map[string]string{"session": id})})
	k.work.Go(func() {
		defer close(f.over)
		defer stop()
		watch()
	})
}

// watch returns a function that sends the events of the requested session, list or batches until ctx is done, and
// the id of the subscription.
func (k *socket) watch(ctx context.Context, o socketRequest) (id string, watch func(), err error) {
	for id, f := range k.follows {
		select {
		case <-f.over:
			delete(k.follows, id)
		default:
		}
	}
	switch {
	case len(k.follows) >= mostWatched:
		return "", nil, &session.Error{
			Code: session.Limit, Message: fmt.Sprintf("a connection can follow at most %d sessions", mostWatched),
		}
	case o.After < 0 || o.Detail != "" && o.Detail != "brief" && o.Detail != "full":
		return "", nil, badRequest("after must be the number of an event, and detail brief or full")
	case o.Session == listID:
		id = listID
		changes := k.server.sessions.Changes(ctx, k.who)
		watch = func() { watchList(k, changes) }
	case o.Session == batchesID:
		batches, err := k.server.batches(k.who)
		if err != nil {
			return "", nil, err
		}
		id = batchesID
		watch = func() { k.server.watchBatches(ctx, k, batches) }
	default:
		l, err := k.server.sessions.Find(k.who, o.Session)
		if err != nil {
			return "", nil, err
		}
		id = l.ID()
		c := &cursor{id, o.After}
		watch = func() { k.server.watch(ctx, k, c, l, o.Detail == "brief") }
	}
	if k.follows[id] != nil {
		return "", nil, badRequest("this connection already follows the session; unfollow ends that")
	}
	return id, watch, nil
}

// unfollow ends a subscription. After the reply to it, none of the subscription's events are sent.
func (k *socket) unfollow(o socketRequest) {
	id := o.Session
	f := k.follows[id]
	if f == nil {
		if l, err := k.server.sessions.Find(k.who, id); err == nil { // the client may have sent a shortened id
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

// command runs the command that an HTTP request with this route would run, and sends its result.
func (k *socket) command(ctx context.Context, o socketRequest) {
	began := time.Now()
	method, path, _ := strings.Cut(o.Do, " ")
	req, err := http.NewRequestWithContext(
		host.UnderSpan(ctx, o.Traceparent, ""), method, "/api/v1/"+path, bytes.NewReader(o.Body))
	if err != nil {
		k.refuse(o, badRequest(`do must be follow, unfollow or a route such as "POST sessions/ID/ask"`))
		return
	}
	if !k.server.may(visitorOf(k.visit)) {
		k.refuse(o, errNoAccess)
		return
	}
	req.Header.Set("Rlm-Client", k.opened.Get("Rlm-Client"))
	req.Header.Set("Idempotency-Key", o.Key)
	out, err := k.do(o, req)
	r := reply{ID: o.ID, Status: succeeded(out)}
	if err != nil {
		r = refusal(o, err)
	} else if out != nil {
		r.Answer = encoded(out)
	}
	k.server.log(req, r.Status, k.who.Name, began)
	k.reply(r)
}

// do finds the command for a request, and runs it.
func (k *socket) do(o socketRequest, r *http.Request) (any, error) {
	for _, c := range k.server.table {
		if _, ok := match(c.Route, r); ok {
			return k.server.do(c, r, k.who, func(in any) error {
				return decode(http.MaxBytesReader(nil, r.Body, mostBody), in)
			})
		}
	}
	return nil, notFound("there is no " + o.Do + " here")
}
