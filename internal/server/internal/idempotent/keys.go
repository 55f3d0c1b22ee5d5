// Package idempotent remembers what was begun under the idempotency keys of requests, so that the same key is the same run, also after the
// server was killed. What is kept is on disk before it counts.
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
	"sync"
	"time"

	"github.com/gorlm/rlm/internal/wholefile"
)

// ErrOther says that a key came before, with another request.
var ErrOther = errors.New("this idempotency key was used with another request: a key stands for one request")

const (
	life     = 7 * 24 * time.Hour // of a key
	mostKeys = 100_000            // that are kept; the oldest go first
	mostKey  = 255                // bytes of a key
)

// Keys are those of a data folder. They are safe for concurrent use.
type Keys struct {
	mu   sync.Mutex
	file *os.File
	all  map[string]entry
	busy map[string]chan struct{} // keys that somebody claims, closed when he is done
}

// entry is a line of the file; the last one of a key counts.
type entry struct {
	Key     string          `json:"key"`     // hash of who sent it and of the key
	Request string          `json:"request"` // hash of what was asked
	Value   json.RawMessage `json:"value"`
	At      time.Time       `json:"at"`
}

// Open reads the keys of a file, which is made if it is not there. What a crash left half written at its end is dropped. Close them.
func Open(file string, now time.Time) (*Keys, error) {
	k := &Keys{all: map[string]entry{}, busy: map[string]chan struct{}{}}
	lines, err := k.read(file, now)
	if err == nil {
		err = k.rewrite(file, lines)
	}
	if err != nil {
		return nil, fmt.Errorf("open the idempotency keys: %w", err)
	}
	return k, nil
}

// read returns the lines that still count, in order.
func (k *Keys) read(file string, now time.Time) (lines [][]byte, err error) {
	b, err := os.ReadFile(file)
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
		k.all[e.Key], last[e.Key] = e, i
	}
	for i, e := range order {
		if last[e.Key] == i {
			line, _ := json.Marshal(e) // it was JSON before
			lines = append(lines, append(line, '\n'))
		}
	}
	return lines, err
}

// rewrite replaces the file by these lines and leaves it open for more.
func (k *Keys) rewrite(file string, lines [][]byte) error {
	if err := wholefile.Replace(file, bytes.Join(lines, nil)); err != nil {
		return err
	}
	var err error
	k.file, err = os.OpenFile(file, os.O_WRONLY|os.O_APPEND, 0o600)
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
	if key == "" || len(key) > mostKey {
		return nil, fmt.Errorf("an idempotency key has 1 to %d bytes", mostKey)
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

// Keep writes down what was begun under the key. It is on disk when Keep returns.
func (c *Claim) Keep(value any, now time.Time) error {
	e := c.entry
	e.At = now.UTC()
	var err error
	if e.Value, err = json.Marshal(value); err != nil {
		return fmt.Errorf("keep an idempotency key: %w", err)
	}
	line, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("keep an idempotency key: %w", err)
	}
	c.keys.mu.Lock()
	defer c.keys.mu.Unlock()
	if _, err = c.keys.file.Write(append(line, '\n')); err == nil {
		err = c.keys.file.Sync()
	}
	if err != nil {
		return fmt.Errorf("keep an idempotency key: %w", err)
	}
	c.keys.all[e.Key] = e
	c.Value = e.Value
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
