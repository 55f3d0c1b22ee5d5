package runner

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"sync"

	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/sandbox"
)

// memo answers identical sub-calls of a session with the reply to the first. Calls that arrive while the first is
// in flight wait for it.
type memo struct {
	mu      sync.Mutex
	entries map[string]*memoEntry
}

type memoEntry struct {
	done  chan struct{}
	reply sandbox.Reply
}

func newMemo() *memo { return &memo{entries: map[string]*memoEntry{}} }

// keep adds a recorded reply.
func (m *memo) keep(key string, reply sandbox.Reply) {
	done := make(chan struct{})
	close(done)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.entries[key] = &memoEntry{done: done, reply: reply}
}

// memoKey is equal for calls with the same model, prompt and options.
func memoKey(model llm.Model, options []byte, prompt string) string {
	h := sha256.New()
	fmt.Fprintf(h, "%s\n%d %s\n%s", model.Name(), len(options), options, prompt)
	return hex.EncodeToString(h.Sum(nil)[:12])
}

// do returns the reply of first and stores it unless it is an error. If the key is known, do passes the stored
// reply to again and returns the result.
func (m *memo) do(
	ctx context.Context, key string, first func() sandbox.Reply,
	again func(sandbox.Reply) sandbox.Reply,
) sandbox.Reply {
	for {
		m.mu.Lock()
		e, known := m.entries[key]
		if !known {
			e = &memoEntry{done: make(chan struct{})}
			m.entries[key] = e
		}
		m.mu.Unlock()
		if !known {
			e.reply = first()
			m.settle(key, e)
			return e.reply
		}
		select {
		case <-e.done:
		case <-ctx.Done():
			return unwound(cause(ctx, ctx.Err()))
		}
		if e.reply.Error == "" {
			return again(e.reply)
		}
	}
}

// settle wakes waiting calls; a failure is forgotten, so that the next call asks again.
func (m *memo) settle(key string, e *memoEntry) {
	m.mu.Lock()
	if e.reply.Error != "" {
		delete(m.entries, key)
	}
	m.mu.Unlock()
	close(e.done)
}
