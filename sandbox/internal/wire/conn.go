package wire

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
)

// maxFiles bounds the files sent with one frame.
const maxFiles = 4

// Conn sends and receives frames. Send is safe for concurrent use; Receive is for one goroutine.
type Conn struct {
	rw    io.ReadWriteCloser
	in    *bufio.Reader
	admit Admit
	got   *fileReader // nil on the end that does not accept files

	mu sync.Mutex
}

// Admit decides on a frame of which only the header has been read; meta and body are the numbers of bytes still to
// come. While it waits, the peer can send no more than fits into the socket buffers. An error ends the connection.
// Release, which may be nil, becomes Frame.Release; it is also called if the frame does not arrive.
type Admit func(h Header, meta, body int) (release func(), err error)

// Host returns the host's end: it accepts the frames that admit allows, and no files.
func Host(rw io.ReadWriteCloser, admit Admit) *Conn {
	return &Conn{rw: rw, in: bufio.NewReaderSize(rw, 32<<10), admit: admit}
}

// Worker returns the worker's end: it trusts the host, and accepts all frames and the files sent with them.
func Worker(rw io.ReadWriteCloser) *Conn {
	c := &Conn{rw: rw, admit: func(Header, int, int) (func(), error) { return nil, nil }}
	if u, ok := rw.(*net.UnixConn); ok {
		c.got = &fileReader{conn: u}
		c.in = bufio.NewReaderSize(c.got, 32<<10)
	} else {
		c.in = bufio.NewReaderSize(rw, 32<<10)
	}
	return c
}

// Send writes one frame. It blocks while the peer does not read.
func (c *Conn) Send(h Header, meta any, body []byte, files ...*os.File) error {
	h.Files = len(files)
	head, err := encode(h, meta, len(body))
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.write(h.Op, head, body, files)
}

// SendNext is Send for frames whose order matters: it calls next while no other frame can be sent. next returns the
// frame's id, or an error that prevents sending.
func (c *Conn) SendNext(h Header, next func() (uint64, error), meta any, body []byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	id, err := next()
	if err != nil {
		return err
	}
	h.ID = id
	head, err := encode(h, meta, len(body))
	if err != nil {
		return err
	}
	return c.write(h.Op, head, body, nil)
}

func (c *Conn) write(op Op, head, body []byte, files []*os.File) error {
	var err error
	if len(files) > 0 {
		n := 0
		if n, err = sendFiles(c.rw, head, files); err == nil {
			head = head[n:]
		}
	}
	if err == nil {
		if len(body) <= 16<<10 {
			_, err = c.rw.Write(append(head, body...))
		} else {
			parts := net.Buffers{head, body}
			_, err = parts.WriteTo(c.rw)
		}
	}
	if err != nil {
		return fmt.Errorf("send %s: %w", op, err)
	}
	return nil
}

// Receive reads one frame. io.EOF is the orderly end. ErrTooLarge and ErrMalformed mean that the peer breaks the
// rules; nothing can be read after them.
func (c *Conn) Receive() (Frame, error) {
	f, err := read(c.in, c.admit)
	if err != nil || f.Files == 0 {
		return f, err
	}
	if c.got == nil {
		f.Release()
		return Frame{}, fmt.Errorf("%w: files are not accepted", ErrMalformed)
	}
	if f.Attached = c.got.take(f.Files); len(f.Attached) < f.Files {
		return Frame{}, fmt.Errorf("%w: announced files are missing", ErrMalformed)
	}
	return f, nil
}

// Close closes the connection.
func (c *Conn) Close() error { return c.rw.Close() }
