package corpus

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/gorlm/rlm/internal/kit/callback"
)

// stream reads from a source that may block for any time, such as a terminal or a pipe, and stops when the context
// is done. A read in progress is then abandoned.
type stream struct {
	ctx  context.Context
	src  io.ReadCloser
	buf  []byte
	rest []byte // read but not yet returned
	err  error
	read chan result
}

// result is the result of one read.
type result struct {
	n   int
	err error
}

func newStream(ctx context.Context, src io.ReadCloser) *stream {
	return &stream{ctx: ctx, src: src, buf: make([]byte, 64<<10), read: make(chan result, 1)}
}

// Read waits for bytes or for the context.
func (s *stream) Read(p []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	for len(s.rest) == 0 {
		if s.err != nil {
			return 0, s.err
		}
		go func(src io.Reader) {
			var r result
			defer func() { s.read <- r }()
			callback.Guard("the reader of a document", &r.err, func() (err error) {
				if r.n, err = src.Read(s.buf); r.n < 0 || r.n > len(s.buf) {
					err, r.n = fmt.Errorf("it claims to have read %d bytes of at most %d", r.n, len(s.buf)), 0
				}
				return err
			})
		}(s.src)
		select {
		case r := <-s.read:
			s.rest, s.err = s.buf[:r.n], r.err
		case <-s.ctx.Done():
			s.src = nopCloser{s.src} // closing during a read could block too
			return 0, s.ctx.Err()
		}
	}
	n := copy(p, s.rest)
	s.rest = s.rest[n:]
	return n, nil
}

// Close closes the source.
func (s *stream) Close() error { return s.src.Close() }

// lateFile is opened by its first read: opening a named pipe blocks until somebody writes to it.
type lateFile struct {
	path string
	f    *os.File
}

func (l *lateFile) Read(p []byte) (int, error) {
	if l.f == nil {
		f, err := os.Open(l.path)
		if err != nil {
			return 0, err
		}
		l.f = f
	}
	return l.f.Read(p)
}

// Close closes the file if it was opened.
func (l *lateFile) Close() error {
	if l.f == nil {
		return nil
	}
	return l.f.Close()
}

type nopCloser struct{ io.Reader }

func (nopCloser) Close() error { return nil }
