package mail

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// delimiters normalises the line ends around the boundaries of a part to CRLF. In a message that several programs
// wrote, only some lines may end in LF; multipart.Reader expects the first kind of line end everywhere, and would
// miss the start of a part.
type delimiters struct {
	in    *bufio.Reader
	mark  []byte
	ended []byte // line end not yet returned
	out   []byte
	mid   bool // the next piece continues a line
	err   error
}

func delimited(r io.Reader, boundary string) *delimiters {
	return &delimiters{in: lines(r), mark: []byte("--" + boundary)}
}

func (d *delimiters) Read(p []byte) (int, error) {
	for len(d.out) == 0 {
		if d.err != nil {
			return 0, d.err
		}
		d.line()
	}
	n := copy(p, d.out)
	d.out = d.out[n:]
	return n, nil
}

// line reads a line, or a piece of a long one. Its line end is returned with the next line, because it may belong
// to a boundary.
func (d *delimiters) line() {
	line, err := d.in.ReadSlice('\n')
	text := bytes.TrimSuffix(line, []byte("\n"))
	if len(text) < len(line) {
		text = bytes.TrimSuffix(text, []byte("\r"))
	}
	ended := line[len(text):]
	if d.mid || !d.isBoundary(text) {
		d.out = append(append(d.out[:0], d.ended...), text...)
		d.ended = append(d.ended[:0], ended...)
	} else {
		d.out = append(append(d.out[:0], "\r\n"...), bytes.TrimRight(text, " \t")...)
		d.ended = append(d.ended[:0], "\r\n"...)
	}
	d.mid = errors.Is(err, bufio.ErrBufferFull)
	if err != nil && !d.mid {
		d.out, d.ended, d.err = append(d.out, d.ended...), nil, err
	}
}

// isBoundary reports whether a line starts a part or ends the last one.
func (d *delimiters) isBoundary(text []byte) bool {
	rest, ok := bytes.CutPrefix(text, d.mark)
	return ok && len(bytes.TrimRight(bytes.TrimPrefix(rest, []byte("--")), " \t")) == 0
}
