package xmlread

import (
	"bytes"
	"fmt"
	"io"
)

// scanner has the current piece of a part in memory, and possibly bytes after it. Indexes are relative to the
// piece.
type scanner struct {
	in       io.Reader
	buf      []byte
	pos, end int // range of the unprocessed bytes
	lines    int // lines before buf
	err      error
}

// more appends more bytes to the buffer. The error is io.EOF at the end of the part.
func (s *scanner) more() error {
	if s.err != nil {
		return s.err
	}
	if s.pos > 0 {
		s.lines += bytes.Count(s.buf[:s.pos], newline)
		copy(s.buf, s.buf[s.pos:s.end])
		s.end -= s.pos
		s.pos = 0
	}
	if s.end == len(s.buf) {
		if s.end >= maxToken {
			s.err = errToken
			return s.err
		}
		s.buf = append(s.buf, make([]byte, max(s.end, firstBuffer))...)
	}
	for range 100 {
		n, err := s.in.Read(s.buf[s.end:])
		s.end += n
		if s.err = err; n > 0 {
			return nil
		}
		if err != nil {
			return err
		}
	}
	s.err = io.ErrNoProgress
	return s.err
}

// firstBuffer is the initial size of the buffer, in bytes; longer pieces make it grow.
const firstBuffer = 64 << 10

var newline = []byte{'\n'}

// piece returns the bytes of the piece read so far.
func (s *scanner) piece() []byte { return s.buf[s.pos:s.end] }

// at returns the byte at i.
func (s *scanner) at(i int) (byte, error) {
	if s.pos+i < s.end {
		return s.buf[s.pos+i], nil
	}
	return s.await(i)
}

// await reads until the byte at i is available.
func (s *scanner) await(i int) (byte, error) {
	for s.pos+i >= s.end {
		if err := s.more(); err != nil {
			return 0, s.cutOff(err)
		}
	}
	return s.buf[s.pos+i], nil
}

// index returns the index of the first c at or after i.
func (s *scanner) index(i int, c byte) (int, error) {
	for {
		if s.pos+i < s.end {
			if n := bytes.IndexByte(s.buf[s.pos+i:s.end], c); n >= 0 {
				return i + n, nil
			}
			i = s.end - s.pos
		}
		if err := s.more(); err != nil {
			return i, err
		}
	}
}

// after returns the index after the first mark at or after i. A mark ends with >.
func (s *scanner) after(i int, mark string) (int, error) {
	for from := i; ; {
		end, err := s.index(from, '>')
		if err != nil {
			return 0, s.cutOff(err)
		}
		from = end + 1
		if from-len(mark) >= i && string(s.piece()[from-len(mark):from]) == mark {
			return from, nil
		}
	}
}

// take consumes n bytes.
func (s *scanner) take(n int) { s.pos += n }

// damaged returns an error for invalid XML.
func (s *scanner) damaged(what string) error {
	return fmt.Errorf("its XML is damaged in line %d: %s", 1+s.lines+bytes.Count(s.buf[:s.pos], newline), what)
}

// cutOff returns an error for a truncated part.
func (s *scanner) cutOff(err error) error {
	if err == io.EOF {
		return s.damaged("it ends too early")
	}
	return err
}
