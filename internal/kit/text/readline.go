package text

import (
	"bufio"
	"errors"
)

// ErrLongLine is the error for a line that exceeds its bound.
var ErrLongLine = errors.New("a line is too long")

// ReadLine reads a line, including its end, that does not exceed most bytes. Text without a line end before the end
// of the stream is the last line. Errors are those of the reader, and ErrLongLine.
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
