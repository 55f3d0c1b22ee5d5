package trajectory

import (
	"bufio"
	"errors"
	"fmt"
	"io"
)

// mostLine bounds a line of the log, in bytes. Long texts are in the side file, so that no event comes near it.
const mostLine = 64 << 20

var errLongLine = fmt.Errorf("it is longer than %d MB", mostLine/1_000_000)

// lineReader reads lines up to a bound, counting bytes and lines.
type lineReader struct {
	r     *bufio.Reader
	n     int   // lines returned so far
	start int64 // offset of the latest line
	at    int64 // offset after the latest line
	held  *bufferedLine
}

// bufferedLine is a line read ahead.
type bufferedLine struct {
	line []byte
	size int64
	err  error
}

func newLineReader(r io.ReaderAt, at int64) lineReader {
	return lineReader{r: bufio.NewReaderSize(io.NewSectionReader(r, at, 1<<62), 64<<10), at: at}
}

// next returns the next line without its newline; io.EOF if there is no further complete one, and errLongLine for
// one that is longer than mostLine, after which reading can continue. The line is valid until the next call.
func (l *lineReader) next() ([]byte, error) {
	line, size, err := l.read()
	if err != nil && !errors.Is(err, errLongLine) {
		return nil, err
	}
	l.n++
	l.start, l.at = l.at, l.at+size
	return line, err
}

// last reports whether no complete line follows the latest.
func (l *lineReader) last() bool {
	if l.held == nil {
		line, size, err := l.read()
		l.held = &bufferedLine{append([]byte(nil), line...), size, err}
	}
	return errors.Is(l.held.err, io.EOF)
}

// read returns a line and its length, including the newline.
func (l *lineReader) read() (line []byte, size int64, err error) {
	if h := l.held; h != nil {
		l.held = nil
		return h.line, h.size, h.err
	}
	line, err = l.r.ReadSlice('\n')
	size = int64(len(line))
	if errors.Is(err, bufio.ErrBufferFull) {
		long := append([]byte(nil), line...)
		for errors.Is(err, bufio.ErrBufferFull) {
			line, err = l.r.ReadSlice('\n')
			size += int64(len(line))
			if size <= mostLine {
				long = append(long, line...)
			}
		}
		line = long
	}
	switch {
	case err != nil:
		return nil, 0, err
	case size > mostLine:
		return nil, size, errLongLine
	}
	return line[:len(line)-1], size, nil
}
