package text

import (
	"bufio"
	"errors"
)

// ErrLongLine is the error of a line that is longer than it may be.
var ErrLongLine = errors.New("a line is too long")

// ReadLine reads a line, with its end, of at most so many bytes. What stands before the end of the stream is the last line; errors are
// those of the reader, and ErrLongLine.
func ReadLine(in *bufio.Reader, most int) (line []byte, err error) {
	for {
		part, err := in.ReadSlice('\n')
		switch line = append(line, part...); {
		case len(line) > most:
			return nil, ErrLongLine
		case errors.Is(err, bufio.ErrBufferFull):
		case err == nil || len(line) > 0:
			return line, nil
		default:
			return nil, err
		}
	}
}
