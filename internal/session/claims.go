package session

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"strings"
	"time"
)

// requestEntry is the value stored under an idempotency key: the session that the request used or created, and the
// name by which the session's log records the request.
type requestEntry struct {
	Session string `json:"session"`
	Name    string `json:"name,omitempty"`
}

// claimKey claims the request's key; release the claim. A user may reuse a key only with the same command and
// arguments.
func (c *Call) claimKey(ctx context.Context) (*Claim, error) {
	args, err := json.Marshal(cmp.Or(c.Args, any(struct{}{})))
	if err != nil {
		return nil, err
	}
	method, path, _ := strings.Cut(c.command.Route, " ") // existing key files have this form
	request := method + " /api/v1/" + strings.ReplaceAll(path, "{id}", c.Session) + "\n" + string(args)
	return c.manager.keys.Claim(ctx, c.Who.Scope(), c.Key, []byte(request))
}

// before returns what an earlier request with this key began; ok is false if there was none.
func (c *Call) before() (was requestEntry, ok bool, err error) {
	if c.claim == nil || c.claim.Value == nil {
		return requestEntry{}, false, nil
	}
	return was, true, json.Unmarshal(c.claim.Value, &was)
}

// made creates a session, or returns the one that an earlier request with this key created.
func (c *Call) made(create func() (*Session, error)) (l *Session, again bool, err error) {
	was, again, err := c.before()
	if err != nil {
		return nil, false, err
	}
	if again {
		if l, err = c.manager.Find(c.Who, was.Session); err != nil {
			err = &Error{
				Code:    Deleted,
				Message: "the session created with this Idempotency-Key was deleted; use a new key to create another",
			}
		}
		return l, true, err
	}
	l, err = c.manager.CreateFor(c.Who, create)
	if err == nil && c.claim != nil {
		err = c.claim.Keep(requestEntry{Session: l.ID()}, time.Now())
	}
	return l, false, err
}

// named returns the name by which a session's log records the request. A repeated request with the same key gets
// the same name. Call drop if nothing began after all.
func (c *Call) named(l *Session) (name string, drop func() error, err error) {
	if was, again, err := c.before(); again || err != nil {
		return was.Name, func() error { return nil }, err
	}
	name = rand.Text()
	return name, func() error { return c.claim.Drop(time.Now()) }, c.claim.Keep(requestEntry{l.ID(), name}, time.Now())
}
