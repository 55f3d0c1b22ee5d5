package sandbox

import (
	"io"
	"sync"
)

// capture keeps the head of a stream.
type capture struct {
	mu   sync.Mutex
	head []byte
}

// maxStderr bounds what is kept: a crash with many goroutines prints hundreds of megabytes.
const maxStderr = 64 << 10

// read reads to the end, or to maxStderr, when it reports that there was more.
func (c *capture) read(r io.Reader) (more bool) {
	buf := make([]byte, 8<<10)
	for {
		n, err := r.Read(buf)
		c.mu.Lock()
		c.head = append(c.head, buf[:min(n, maxStderr-len(c.head))]...)
		full := len(c.head) >= maxStderr
		c.mu.Unlock()
		if full {
			return true
		}
		if err != nil {
			return false
		}
	}
}

func (c *capture) String() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return string(c.head)
}
