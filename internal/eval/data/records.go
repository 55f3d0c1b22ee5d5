package data

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"

	"github.com/gorlm/rlm/internal/kit/text/decoding"
)

// mostRecord bounds one item of a file: a context of four million tokens has some 20 MB.
const mostRecord = 1 << 30

// open opens the records of a file: the file itself, or a temporary one, with the rows of Parquet as JSON Lines,
// or with text converted from another encoding or other line ends.
func (f *File) open(ctx context.Context, path string, o Options) error {
	in, err := os.Open(path)
	if err != nil {
		return err
	}
	head := make([]byte, 8<<10)
	n, err := io.ReadFull(in, head)
	raw := head[:n]
	head = bytes.TrimLeft(decoding.Bytes(raw), space)
	head = head[:min(len(head), 16)]
	switch {
	case errors.Is(err, io.EOF):
		err = errors.New("the file is empty")
	case err != nil && !errors.Is(err, io.ErrUnexpectedEOF):
	case bytes.HasPrefix(head, []byte("PAR1")) && o.Convert != nil:
		f.records, err = rowsOf(ctx, path, o.Convert)
		f.copied = err == nil
	case len(head) > 0 && head[0] != '{' && head[0] != '[':
		err = fmt.Errorf("unknown format: it looks like %s; supported are JSON Lines, a JSON array and Parquet", looks(head))
	case decoding.Plain(raw):
		f.records = in
		return nil
	default:
		f.records, err = temporary(func(w *bufio.Writer) error {
			_, err := io.Copy(w, decoding.Lines(io.NewSectionReader(in, 0, math.MaxInt64)))
			return err
		})
		f.copied = err == nil
	}
	return errors.Join(err, in.Close())
}

// looks describes what a file without items seems to be, judging by its beginning.
func looks(head []byte) string {
	for magic, what := range map[string]string{
		"PAR1": "Parquet", "\x1f\x8b": "gzip (unpack it first)", "\x28\xb5\x2f\xfd": "zstd (unpack it first)",
		"PK\x03\x04": "a zip archive (unpack it first)",
		"ARROW1":     "an Arrow file", "\xff\xff\xff\xff": "an Arrow stream", "SQLite format 3": "an SQLite database",
		"version https://": "a Git LFS pointer, not the file itself",
		"<":                "HTML or XML", "\x80": "a Python pickle", "\x93NUMPY": "a NumPy array",
	} {
		if bytes.HasPrefix(head, []byte(magic)) {
			return what
		}
	}
	for _, c := range head {
		if c < ' ' && c != '\n' && c != '\r' && c != '\t' {
			return "binary data"
		}
	}
	return fmt.Sprintf("text that begins with %q, perhaps CSV", head)
}

// recordFile is a file of records, which is scanned once and then read at their positions.
type recordFile interface {
	io.ReadSeeker
	io.ReaderAt
}

// eachRecord calls take for each item of a file, one at a time: each line that is not empty, or each element of a
// list. The record is overwritten afterwards.
func eachRecord(file recordFile, take func(record []byte, offset int64) error) error {
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	s := &scanner{in: bufio.NewReaderSize(file, 256<<10)}
	next := s.line
	if c, err := s.skipSpace(); err == nil && c == '[' {
		s.take() // consumes the opening bracket
		next = s.element
	}
	var room []byte
	for {
		offset, size, err := next()
		if err != nil || size == 0 {
			return err
		}
		if size > int64(cap(room)) {
			room = nil // frees the old buffer before the new one is allocated
			room = make([]byte, size+size/8)
		}
		record := room[:size]
		if _, err := file.ReadAt(record, offset); err != nil {
			return err
		}
		trimmed := bytes.TrimLeft(record, space)
		offset += int64(len(record) - len(trimmed))
		if trimmed = bytes.TrimRight(trimmed, space); len(trimmed) == 0 {
			continue
		}
		if err := take(trimmed, offset); err != nil {
			return err
		}
	}
}

const space = " \t\r\n"

// scanner finds the records of a file without keeping them: memory for a record is allocated once its size is
// known.
type scanner struct {
	in *bufio.Reader
	at int64
}

// line finds the next line; a size of 0 is the end.
func (s *scanner) line() (offset, size int64, err error) {
	offset = s.at
	for {
		piece, err := s.in.ReadSlice('\n')
		s.at += int64(len(piece))
		switch size = s.at - offset; {
		case size > mostRecord:
			return 0, 0, fmt.Errorf("a line is longer than %d bytes", mostRecord)
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil && !errors.Is(err, io.EOF):
			return 0, 0, err
		}
		return offset, size, nil
	}
}

var errList = errors.New("its JSON array is damaged or cut off")

// element finds the next value of a list; a size of 0 is the end.
func (s *scanner) element() (offset, size int64, err error) {
	c, err := s.skipSpace()
	if err == nil && c == ',' {
		s.take()
		c, err = s.skipSpace()
	}
	switch {
	case err != nil:
		return 0, 0, errList
	case c == ']':
		return 0, 0, nil
	case c != '{':
		return 0, 0, errors.New("its array contains something other than objects")
	}
	offset = s.at
	depth, quoted, escaped := 0, false, false
	for s.at-offset < mostRecord {
		c, err := s.in.ReadByte()
		if err != nil {
			return 0, 0, errList
		}
		s.at++
		switch {
		case escaped:
			escaped = false
		case quoted && c == '\\':
			escaped = true
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			if depth--; depth == 0 {
				return offset, s.at - offset, nil
			}
		}
	}
	return 0, 0, fmt.Errorf("an element of its array is longer than %d bytes", mostRecord)
}

// skipSpace skips white space and returns the next byte without consuming it.
func (s *scanner) skipSpace() (byte, error) {
	for {
		c, err := s.in.Peek(1)
		if err != nil {
			return 0, err
		}
		if c[0] != ' ' && c[0] != '\n' && c[0] != '\r' && c[0] != '\t' {
			return c[0], nil
		}
		s.take()
	}
}

func (s *scanner) take() {
	_, _ = s.in.Discard(1) // Peek returned this byte
	s.at++
}
