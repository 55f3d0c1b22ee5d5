package api

import (
	"container/list"
	"context"
	"net"
	"net/http"
	"sync"
)

const (
	mostConnections = 4096 // at once; others wait to be taken
	mostUnknown     = 1024 // of them on which nobody who is known has asked; the oldest make way for others
	mostOfUser      = 256  // of one user; those beyond are closed behind their answer
)

// connections are those of the server. Strangers cannot keep it from those who are known: they have a part of the
// connections only, and none of theirs outlives its answer.
type connections struct {
	closed context.Context
	close  context.CancelFunc // ends those on which no request has come yet, for which http.Server.Shutdown would wait

	mu      sync.Mutex
	all     map[net.Conn]*connection
	unknown *list.List // of connections, the oldest first
	of      map[string]int
}

// connection is one of them.
type connection struct {
	net.Conn
	stop    func() bool   // of its closing at the end; nil when a request has come
	unknown *list.Element // nil when somebody who is known has asked on it
	user    string        // who that was; empty for the owner
}

type connectionKey struct{}

func (c *connections) init() {
	c.closed, c.close = context.WithCancel(context.Background())
	c.all, c.unknown, c.of = map[net.Conn]*connection{}, list.New(), map[string]int{}
}

// context is the server's ConnContext hook.
func (c *connections) context(ctx context.Context, conn net.Conn) context.Context {
	return context.WithValue(ctx, connectionKey{}, conn)
}

// state is the server's ConnState hook.
func (c *connections) state(conn net.Conn, state http.ConnState) {
	c.mu.Lock()
	defer c.mu.Unlock()
	one := c.all[conn]
	switch {
	case state == http.StateNew:
		if c.unknown.Len() >= mostUnknown {
			_ = c.unknown.Remove(c.unknown.Front()).(*connection).Close() // nobody who is known waits for an answer on it
		}
		one = &connection{Conn: conn, stop: context.AfterFunc(c.closed, func() { _ = conn.Close() })}
		one.unknown = c.unknown.PushBack(one)
		c.all[conn] = one
		return
	case one == nil:
		return
	case one.stop != nil:
		one.stop()
		one.stop = nil
	}
	if state == http.StateClosed || state == http.StateHijacked {
		delete(c.all, conn)
		switch {
		case one.unknown != nil:
			c.unknown.Remove(one.unknown)
		case one.user != "":
			if c.of[one.user]--; c.of[one.user] == 0 {
				delete(c.of, one.user)
			}
		}
	}
}

// known notes that somebody who is known asks on a connection, and reports whether it may stay for other requests.
func (c *connections) known(ctx context.Context, user string) bool {
	conn, _ := ctx.Value(connectionKey{}).(net.Conn)
	c.mu.Lock()
	defer c.mu.Unlock()
	one := c.all[conn]
	if one == nil {
		return true
	}
	if one.unknown != nil {
		c.unknown.Remove(one.unknown)
		one.unknown = nil
		if one.user = user; user != "" {
			c.of[user]++
		}
	}
	return one.user == "" || c.of[one.user] <= mostOfUser
}
