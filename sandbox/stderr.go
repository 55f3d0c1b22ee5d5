package sandbox

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"sync"
)

// capture keeps a part of a worker's stderr: the end of what it wrote before it was ready, and the head of the
// rest.
type capture struct {
	mu    sync.Mutex
	head  []byte
	early string // what the process wrote before it was ready
	ready bool   // the process is ready: whatever it writes now is a crash report
}

// maxStderr bounds what is kept: a crash with many goroutines prints hundreds of megabytes.
const maxStderr = 64 << 10

// read reads to the end, or until it has maxStderr bytes of a crash report; more reports whether there was more to
// read. Init functions may write any amount, of which only the end is kept.
func (c *capture) read(r io.Reader) (more bool) {
	buf := make([]byte, 8<<10)
	for {
		n, err := r.Read(buf)
		c.mu.Lock()
		if over := len(c.head) + n - maxStderr; !c.ready && over > 0 {
			c.head = append(c.head[:0], c.head[over:]...)
		}
		c.head = append(c.head, buf[:min(n, maxStderr-len(c.head))]...)
		full := c.ready && len(c.head) >= maxStderr
		c.mu.Unlock()
		if full {
			return true
		}
		if err != nil {
			return false
		}
	}
}

// started sets aside what was written before the process was ready. A crash report is kept: the process may have
// crashed before this one learns that it was ready.
func (c *capture) started() {
	c.mu.Lock()
	defer c.mu.Unlock()
	crash := len(c.head)
	for _, begin := range []string{"panic: ", "fatal error: "} {
		if bytes.HasPrefix(c.head, []byte(begin)) {
			crash = 0
		} else if i := bytes.LastIndex(c.head, []byte("\n"+begin)); i >= 0 {
			crash = min(crash, i+1)
		}
	}
	c.early, c.head, c.ready = string(c.head[:crash]), c.head[crash:], true
}

func (c *capture) String() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return string(c.head)
}

// last quotes the last words written to stderr, if there are any.
func (c *capture) last() string { return quoted(c.String()) }

// ever quotes the last words of the crash report or, if there are none, those written before the process was ready.
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
