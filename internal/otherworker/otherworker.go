// Package otherworker defines what a host exchanges with a worker that runs no cells: messages, and how the worker
// ended.
package otherworker

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/gorlm/rlm/internal/kit/jsondoc"
)

// Message is a message between a host and its worker.
type Message struct {
	Op   string // its kind, in one word
	JSON []byte // its contents
	Body []byte // raw bytes besides JSON
	File *os.File
}

// Decode fills v from the message. It rejects a message with more than n values before it allocates
// anything for them.
func (m Message) Decode(v any, n int) error {
	if jsondoc.CountValues(m.JSON) > n {
		return fmt.Errorf("%s with more than %d values", m.Op, n)
	}
	if err := json.Unmarshal(m.JSON, v); err != nil {
		return fmt.Errorf("%s: %w", m.Op, err)
	}
	return nil
}

// Admit decides on a worker's message before it is read, by its length. An error ends the worker.
type Admit func(op string, meta, body int) error

// ErrEnded means that a worker is gone. Closing it reports how it ended.
var ErrEnded = errors.New("the worker ended")

// ExitReason is how a worker ended.
type ExitReason string

// The ways in which a worker ends.
const (
	ByHost     ExitReason = "host"     // it was killed or closed
	ByRules    ExitReason = "rules"    // it sent something forbidden
	ByKernel   ExitReason = "kernel"   // it tried something that its lock-down forbids
	ByMemory   ExitReason = "memory"   // it exceeded its memory limit
	ByStack    ExitReason = "stack"    // its stack overflowed
	ByCrash    ExitReason = "crash"    // it panicked, or the runtime gave up
	ByUnstated ExitReason = "unstated" // it ended without any report
)
