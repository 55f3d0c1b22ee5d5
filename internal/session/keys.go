package session

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gorlm/rlm/internal/kit/files"
)

// Errors of keys.
var (
	// ErrOther means that the key was used earlier with another request.
	ErrOther error = &Error{
		Code:    KeyUsed,
		Message: "this idempotency key was used with another request: use each key for one request only",
	}
	// ErrKey means that a key is malformed.
	ErrKey error = &Error{Code: BadRequest, Message: "an idempotency key must be 1 to 255 printable ASCII characters"}
)

const (
	keyLife  = 7 * 24 * time.Hour // how long a key is remembered
	mostKeys = 100_000            // bound on stored keys; the oldest are dropped
	mostKey  = 255                // length of a key in bytes
)

// Keys remembers what requests with idempotency keys began, so that the same key always yields the same session,
// run or cell, even after the server was killed. An entry takes effect only once it is on disk. The session's log
// has the result, under the request's name.
//
// A data folder has one set of Keys. It is safe for concurrent use.
type Keys struct {
	kept files.Journal[string, keyEntry]
	now  atomic.Int64 // time of the last write, in Unix nanoseconds

	mu   sync.Mutex
	busy map[string]chan struct{} // claimed keys; a channel is closed on release
}

// keyEntry is a line of the file. The last line of a key is the valid one.
type keyEntry struct {
	Key     string          `json:"key"`             // hash of the key and its sender
	Request string          `json:"request"`         // hash of the request
	Value   json.RawMessage `json:"value,omitempty"` // nil: the key is free
	At      time.Time       `json:"at"`
}

// OpenKeys opens a file of keys, and creates it if it does not exist. It drops an incomplete last line that a crash
// left. Close the Keys.
func OpenKeys(file string, now time.Time) (*Keys, error) {
	k := &Keys{busy: map[string]chan struct{}{}}
	k.now.Store(now.UnixNano())
	k.kept = files.Journal[string, keyEntry]{
		Key: func(e keyEntry) string { return e.Key }, Most: mostKeys, Sync: true,
		Counts: func(e keyEntry) bool { return e.Key != "" && time.Unix(0, k.now.Load()).Sub(e.At) < keyLife },
		Gone:   func(e keyEntry) bool { return e.Value == nil },
	}
	if _, err := k.kept.Open(file); err != nil {
		return nil, fmt.Errorf("open the idempotency keys: %w", err)
	}
	return k, nil
}

// Close closes the file.
func (k *Keys) Close() error { return k.kept.Close() }

// Claim is a key that one request has claimed. Release it.
type Claim struct {
	keys  *Keys
	entry keyEntry
	// Value is the value stored under the key; nil if there is none.
	Value json.RawMessage

	release sync.Once
}

// Claim claims a key of a user for a request, and waits while another request holds it. The error is ErrKey,
// ErrOther, or that of ctx during the wait.
func (k *Keys) Claim(ctx context.Context, who, key string, request []byte) (*Claim, error) {
	if key == "" || len(key) > mostKey || strings.ContainsFunc(key, func(c rune) bool { return c < ' ' || c > '~' }) {
		return nil, ErrKey
	}
	id := hash(who, key)
	for {
		k.mu.Lock()
		other := k.busy[id]
		if other == nil {
			k.busy[id] = make(chan struct{})
		}
		k.mu.Unlock()
		if other != nil {
			select {
			case <-other:
				continue
			case <-ctx.Done():
				return nil, context.Cause(ctx)
			}
		}
		e, known := k.kept.Get(id)
		c := &Claim{keys: k, entry: keyEntry{Key: id, Request: hash(string(request))}}
		if known && e.Request != c.entry.Request {
			c.Release()
			return nil, ErrOther
		}
		c.Value = e.Value
		return c, nil
	}
}

// Keep stores a value under the key. It is on disk when Keep returns.
func (c *Claim) Keep(value any, now time.Time) error {
	b, err := json.Marshal(value)
	if err == nil {
		err = c.keys.keep(c.entry, b, now)
	}
	if err != nil {
		return fmt.Errorf("keep an idempotency key: %w", err)
	}
	c.Value = b
	return nil
}

// Drop deletes the stored value, because nothing began.
func (c *Claim) Drop(now time.Time) error {
	if err := c.keys.keep(c.entry, nil, now); err != nil {
		return fmt.Errorf("drop an idempotency key: %w", err)
	}
	c.Value = nil
	return nil
}

// keep writes a line. A nil value frees the key.
func (k *Keys) keep(e keyEntry, value json.RawMessage, now time.Time) error {
	e.At, e.Value = now.UTC(), value
	k.now.Store(now.UnixNano())
	return k.kept.Put(e)
}

// Release lets other requests claim the key. It is safe to call twice.
func (c *Claim) Release() {
	c.release.Do(func() {
		c.keys.mu.Lock()
		defer c.keys.mu.Unlock()
		done := c.keys.busy[c.entry.Key]
		delete(c.keys.busy, c.entry.Key)
		close(done)
	})
}

// hash hashes a list of texts. The same characters, divided differently, have another hash.
func hash(texts ...string) string {
	h := sha256.New()
	for _, t := range texts {
		fmt.Fprintf(h, "%d:%s", len(t), t)
	}
	return hex.EncodeToString(h.Sum(nil))
}
