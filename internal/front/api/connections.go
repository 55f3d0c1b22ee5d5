package api

import (
	"container/list"
	"context"
	"net"
	"net/http"
	"sync"
)

const (
	mostConnections = 4096 // open at the same time; further ones wait until they are accepted
	mostUnknown     = 1024 // without an authenticated request; if there are more, the oldest are closed
	mostOfUser      = 256  // per user; further ones are closed after their response
)

// connections are the server's open connections. Strangers cannot crowd out authenticated users: they get only a
// part of the connections, and each of theirs is closed after its response.
type connections struct {
	closed context.Context
	close  context.CancelFunc // closes connections without a request, for which http.Server.Shutdown would wait

	mu      sync.Mutex
	all     map[net.Conn]*connection
	unknown *list.List // of connections, oldest first
	of      map[string]int
}

// connection is an open connection to the server.
type connection struct {
	net.Conn
	stop    func() bool   // prevents the closing at shutdown; nil once a request has arrived
	unknown *list.Element // nil once an authenticated request has arrived
	user    string        // who sent that request; empty for the owner
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
			_ = c.unknown.Remove(c.unknown.Front()).(*connection).Close() // no authenticated user waits for it
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

// known records an authenticated request on a connection, and reports whether the connection may stay open.
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
