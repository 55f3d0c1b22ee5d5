package text

import "bytes"

// LineEnds converts the line ends \r\n and \r of a text that arrives in pieces to \n.
type LineEnds struct{ returned bool }

// In converts a piece in place and returns the result. A \r counts without waiting for the next byte, so that a
// line is available as soon as it ends.
func (l *LineEnds) In(piece []byte) []byte {
	if !l.returned && bytes.IndexByte(piece, '\r') < 0 {
		return piece
	}
	out := piece[:0]
	for _, c := range piece {
		after := l.returned
		l.returned = c == '\r'
		switch {
		case l.returned:
			out = append(out, '\n')
		case c != '\n' || !after:
			out = append(out, c)
		}
	}
	return out
}
