package sandbox

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/gorlm/rlm/sandbox/internal/worker"
)

// capture keeps a part of a worker's stderr: the end of what init functions wrote, up to worker.Divider, and the head
// of the rest, which is a crash report.
type capture struct {
	mu      sync.Mutex
	early   string
	head    []byte
	divided bool // until the divider was read, head is the end of everything
}

// maxStderr bounds what is kept: a crash with many goroutines prints hundreds of megabytes.
const maxStderr = 64 << 10

// read reads to the end, or until it has maxStderr bytes of a crash report; more reports whether there was more to
// read. Init functions may write any amount, of which only the end is kept.
func (c *capture) read(r io.Reader) (more bool) {
	buf := make([]byte, 8<<10)
	for {
		n, err := r.Read(buf)
		if c.add(buf[:n]) {
			return true
		}
		if err != nil {
			return false
		}
	}
}

// add appends what was read, and reports whether the crash report is as long as it may get. Only the first divider
// counts: a worker that ran a cell may write others.
func (c *capture) add(p []byte) (full bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	old := max(0, len(c.head)-len(worker.Divider)) // a divider may have begun here
	c.head = append(c.head, p...)
	if !c.divided {
		i := bytes.Index(c.head[old:], []byte(worker.Divider))
		if i < 0 {
			c.head = append(c.head[:0], c.head[max(0, len(c.head)-maxStderr):]...)
			return false
		}
		early, rest := c.head[:old+i], c.head[old+i+len(worker.Divider):]
		c.early, c.head, c.divided = string(early), bytes.Clone(rest), true
	}
	c.head = c.head[:min(len(c.head), maxStderr)]
	return len(c.head) == maxStderr
}

// join takes everything for a crash report: a process that has exited may have begun its report before the divider.
func (c *capture) join() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.early, c.head = "", append([]byte(c.early), c.head...)
}

func (c *capture) String() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return string(c.head)
}

// last quotes the last words written to stderr, if there are any.
func (c *capture) last() string { return quoted(c.String()) }

// ever quotes the last words of the crash report or, if there are none, those of init functions.
func (c *capture) ever() string {
	if last := c.last(); last != "" {
		return last
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return quoted(c.early)
}

func quoted(words string) string {
	const most = 500
	words = strings.TrimSpace(words)
	if words == "" {
		return ""
	}
	return fmt.Sprintf("; its last words: %q", words[max(0, len(words)-most):])
}
