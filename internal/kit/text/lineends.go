package text

import "bytes"

// LineEnds makes \n of the line ends \r\n and \r of a text that comes in pieces.
type LineEnds struct{ returned bool }

// In changes a piece where it stands and returns what is left of it. A \r counts at once: who waits for a line need not
// wait for what follows it.
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
