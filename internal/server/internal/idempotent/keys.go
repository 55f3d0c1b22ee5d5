// Package idempotent remembers under which names requests with idempotency keys were begun, so that the same key is the same session, run or
// cell, also after the server was killed. What is kept is on disk before it counts; what came of it stands in the session's log, by its name.
package idempotent

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/gorlm/rlm/internal/wholefile"
)

// What is wrong with a key.
var (
	// ErrOther says that a key came before, with another request.
	ErrOther = errors.New("this idempotency key was used with another request: a key stands for one request")
	// ErrKey says that a key is none.
	ErrKey = errors.New("an idempotency key has 1 to 255 printable ASCII characters")
)

const (
	life     = 7 * 24 * time.Hour // of a key
	mostKeys = 100_000            // that are kept; the oldest go first
	mostKey  = 255                // bytes of a key
	oftener  = 1000               // lines beyond those, after which the file is written again
)

// Keys are those of a data folder. They are safe for concurrent use.
type Keys struct {
	mu    sync.Mutex
	name  string
	file  *os.File
	lines int
	all   map[string]entry
	busy  map[string]chan struct{} // keys that are claimed, closed when they are released
}

// entry is a line of the file; the last one of a key counts.
type entry struct {
	Key     string          `json:"key"`             // hash of who sent it and of the key
	Request string          `json:"request"`         // hash of what was asked
	Value   json.RawMessage `json:"value,omitempty"` // nil: nothing is kept
	At      time.Time       `json:"at"`
}

// Open reads the keys of a file, which is made if it is not there. What a crash left half written at its end is dropped. Close them.
func Open(file string, now time.Time) (*Keys, error) {
	k := &Keys{name: file, busy: map[string]chan struct{}{}}
	if err := k.renew(now); err != nil {
		return nil, fmt.Errorf("open the idempotency keys: %w", err)
	}
	return k, nil
}

// renew reads the file and leaves in it what still counts. The caller holds mu or is alone.
func (k *Keys) renew(now time.Time) error {
	k.all = map[string]entry{}
	lines, err := k.read(now)
	if err == nil {
		err = k.rewrite(lines)
	}
	return err
}

// read returns the lines that still count, in order.
func (k *Keys) read(now time.Time) (lines [][]byte, err error) {
	b, err := os.ReadFile(k.name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var order []entry
	for line := range bytes.Lines(b) {
		var e entry
		if json.Unmarshal(line, &e) == nil && e.Key != "" && now.Sub(e.At) < life {
			order = append(order, e)
		}
	}
	order = order[max(0, len(order)-mostKeys):]
	last := map[string]int{}
	for i, e := range order {
		if k.all[e.Key], last[e.Key] = e, i; e.Value == nil {
			delete(k.all, e.Key)
		}
	}
	for i, e := range order {
		if last[e.Key] == i && e.Value != nil {
			line, _ := json.Marshal(e) // it was JSON before
			lines = append(lines, append(line, '\n'))
		}
	}
	return lines, err
}

// rewrite replaces the file by these lines and leaves it open for more.
func (k *Keys) rewrite(lines [][]byte) error {
	if err := wholefile.Replace(k.name, bytes.Join(lines, nil)); err != nil {
		return err
	}
	file, err := os.OpenFile(k.name, os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	if k.file != nil {
		err = k.file.Close()
	}
	k.file, k.lines = file, len(lines)
	return err
}

// Close closes the file.
func (k *Keys) Close() error { return k.file.Close() }

// Claim is a key in the hands of one request. Release it.
type Claim struct {
	keys  *Keys
	entry entry
	// Value is what was kept under the key, nil if it is new.
	Value json.RawMessage

	release sync.Once
}

// Claim takes the key of somebody for a request and waits while another request has it. The error is ErrOther if the key came before with
// another request, and that of ctx while it waits.
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
		e, known := k.all[id]
		k.mu.Unlock()
		if other != nil {
			select {
			case <-other:
				continue
			case <-ctx.Done():
				return nil, context.Cause(ctx)
			}
		}
		c := &Claim{keys: k, entry: entry{Key: id, Request: hash(string(request))}}
		if known && e.Request != c.entry.Request {
			c.Release()
			return nil, ErrOther
		}
		c.Value = e.Value
		return c, nil
	}
}

// Keep writes down what is begun under the key. It is on disk when Keep returns.
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

// Drop forgets what was kept: nothing began.
func (c *Claim) Drop(now time.Time) error {
	if err := c.keys.keep(c.entry, nil, now); err != nil {
		return fmt.Errorf("drop an idempotency key: %w", err)
	}
	c.Value = nil
	return nil
}

// keep writes a line; without a value it takes the key out.
func (k *Keys) keep(e entry, value json.RawMessage, now time.Time) error {
	e.At, e.Value = now.UTC(), value
	line, err := json.Marshal(e)
	if err != nil {
		return err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if _, err = k.file.Write(append(line, '\n')); err == nil {
		err = k.file.Sync()
	}
	if err != nil {
		return err
	}
	if k.all[e.Key] = e; value == nil {
		delete(k.all, e.Key)
	}
	if k.lines++; k.lines > mostKeys+oftener {
		return k.renew(now)
	}
	return nil
}

// Release lets other requests have the key. It is safe to call twice.
func (c *Claim) Release() {
	c.release.Do(func() {
		c.keys.mu.Lock()
		defer c.keys.mu.Unlock()
		done := c.keys.busy[c.entry.Key]
		delete(c.keys.busy, c.entry.Key)
		close(done)
	})
}

// hash names texts without telling them; where one ends and the next begins counts.
func hash(texts ...string) string {
	h := sha256.New()
	for _, t := range texts {
		fmt.Fprintf(h, "%d:%s", len(t), t)
	}
	return hex.EncodeToString(h.Sum(nil))
}
