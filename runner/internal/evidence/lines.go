package evidence

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/gorlm/rlm/runner/internal/corpus"
)

// reader reads passages of a text, each starting from the nearest earlier offset whose line is known.
type reader struct {
	text *corpus.Text
	buf  []byte
}

// passage reads length bytes at an offset and counts the newlines before them. The result is valid until the next
// call.
func (r *reader) passage(offset, length int64) (passage []byte, newlines int64, err error) {
	at, newlines := r.text.NewlinesBefore(offset)
	if n := int(offset + length - at); cap(r.buf) < n {
		r.buf = make([]byte, n+n/2)
	}
	buf := r.buf[:offset+length-at]
	if n, err := r.text.ReadAt(buf, at); n < len(buf) {
		if err == nil || errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return nil, 0, fmt.Errorf("read a passage: %w", err)
	}
	return buf[offset-at:], newlines + int64(bytes.Count(buf[:offset-at], []byte{'\n'})), nil
}

// line is the line number of an offset, from 1, in the document that begins at start.
func (r *reader) line(start, offset int64) (int64, error) {
	_, before, err := r.passage(start, 0)
	if err != nil {
		return 0, err
	}
	_, newlines, err := r.passage(offset, 0)
	return newlines - before + 1, err
}
