package evidence

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"sort"
	"strings"

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

// longestRow bounds in bytes the part of a line that is read.
const longestRow = 64 << 10

// row returns the beginning of the line with a number, from 0, of the whole text; "" if it has no such line.
func (r *reader) row(n int64) string {
	// Of the offsets whose newlines are known, the last one before the line.
	after := sort.Search(int(r.text.Size()), func(at int) bool {
		_, newlines := r.text.NewlinesBefore(int64(at))
		return newlines >= n
	})
	at, newlines := r.text.NewlinesBefore(int64(max(after-1, 0)))
	buf := make([]byte, min(2*longestRow, r.text.Size()-at))
	if _, err := r.text.ReadAt(buf, at); err != nil && !errors.Is(err, io.EOF) {
		return ""
	}
	for ; newlines < n; newlines++ {
		_, rest, more := bytes.Cut(buf, []byte{'\n'})
		if buf = rest; !more {
			return ""
		}
	}
	row, _, _ := bytes.Cut(buf, []byte{'\n'})
	return string(row[:min(len(row), longestRow)])
}

// LineOf returns the line of a document in which a value stands, if a cell that printed line may have counted those of
// the documents before, too, as grep does in the whole context. It is 0 if neither line has the value.
func LineOf(text *corpus.Text, document string, line int, value string) int {
	docs := text.Documents()
	named := func(d corpus.Document) bool { return d.Name == document || strings.HasSuffix(d.Name, "/"+document) }
	i := slices.IndexFunc(docs, named)
	if i < 0 || slices.ContainsFunc(docs[i+1:], named) {
		return line
	}
	r := reader{text: text}
	_, before, err := r.passage(docs[i].Offset, 0)
	if err != nil || before == 0 {
		return line
	}
	has := func(n int64) bool { return strings.Contains(r.row(n), value) }
	switch n := int64(line) - 1; {
	case has(before + n):
		return line
	case n >= before && has(n):
		return int(n - before + 1)
	}
	return 0
}
