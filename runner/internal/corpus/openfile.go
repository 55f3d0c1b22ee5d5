package corpus

import (
	"bytes"
	"errors"
	"io"
	"os"
)

// openFile is a candidate that turned out to be text.
type openFile struct {
	candidate
	src  *countingReader
	head []byte
}

// rest is what was not told as progress while it was read.
func (o *openFile) rest() int64 { return max(o.size, o.src.n) - o.src.told }

// again is the beginning, to be read once more.
func (o *openFile) again() io.Reader { return bytes.NewReader(o.head) }

// countingReader counts the bytes of a file as they are read: it may grow meanwhile.
type countingReader struct {
	io.ReadCloser
	n    int64
	tell func(n int64) // nil: nobody is told
	told int64
}

// tellAfter is how much is read before it is told.
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

// file is the regular file that is read from its beginning, or nil.
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
