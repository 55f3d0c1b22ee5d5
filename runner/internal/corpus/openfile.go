package corpus

import (
	"bytes"
	"errors"
	"io"
	"os"
)

// openFile is an open candidate that is text or will be converted.
type openFile struct {
	candidate
	src  *countingReader
	head []byte
}

// rest is the number of bytes not yet reported as progress.
func (o *openFile) rest() int64 { return max(o.size, o.src.n) - o.src.told }

// again returns the beginning, to read it a second time.
func (o *openFile) again() io.Reader { return bytes.NewReader(o.head) }

// countingReader counts the bytes read from a file, which may grow meanwhile.
type countingReader struct {
	io.ReadCloser
	n    int64
	tell func(n int64) // reports progress; may be nil
	told int64
}

// tellAfter is the number of bytes between two reports.
const tellAfter = 1 << 20

func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.ReadCloser.Read(p)
	c.n += int64(n)
	if fresh := c.n - c.told; c.tell != nil && fresh >= tellAfter {
		c.told = c.n
		c.tell(fresh)
	}
	return n, err
}

func readHead(r io.Reader) ([]byte, error) {
	head := make([]byte, sniffLen)
	n, err := io.ReadFull(r, head)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil
	}
	return head[:n], err
}

// file is the regular file that is being read from its start, or nil.
func (c *countingReader) file() *os.File {
	var f *os.File
	switch r := c.ReadCloser.(type) {
	case *os.File:
		f = r
	case boundedFile:
		f = r.file
	default:
		return nil
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	return f
}
