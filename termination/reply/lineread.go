package reply

import (
	"bytes"

	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// lineReader reads a text line by line, as goldmark's text.Reader does: what is left of a line may begin with columns of a tab that
// a marker stands in (pad).
type lineReader struct {
	src              []byte
	start, stop, pad int
	head             int    // where the line begins
	peeked           []byte // what is left of it; nil if nobody looked yet
	padded           []byte // room for a line that begins with columns of a tab
	column           int    // of start; -1 if nobody asked yet
}

func newLineReader(src []byte) lineReader {
	r := lineReader{src: src}
	r.nextLine()
	return r
}

// peek is what is left of the line, nil at the end of the text.
func (r *lineReader) peek() []byte {
	if r.start >= len(r.src) {
		return nil
	}
	if r.peeked == nil {
		r.peeked = r.src[r.start:r.stop]
		if r.pad > 0 {
			r.padded = append(append(r.padded[:0], "   "[:r.pad]...), r.peeked...)
			r.peeked = r.padded
		}
	}
	return r.peeked
}

// rest is where what is left of the line stands.
func (r *lineReader) rest() text.Segment { return text.NewSegmentPadding(r.start, r.stop, r.pad) }

// offset is the column at which what is left of the line begins.
func (r *lineReader) offset() int {
	if r.column < 0 {
		r.column = r.columnAt(r.start) - r.pad
	}
	return r.column
}

func (r *lineReader) columnAt(at int) int {
	column := 0
	for i := r.head; i < at; i++ {
		if r.src[i] == '\t' {
			column += util.TabWidth(column)
		} else {
			column++
		}
	}
	return column
}

// advance goes on by n bytes, of which columns of a tab count as one each.
func (r *lineReader) advance(n int) {
	inLine := n < len(r.peeked) && r.pad == 0
	r.column, r.peeked = -1, nil
	if inLine {
		r.start += n
		return
	}
	for ; n > 0 && r.start < len(r.src); n-- {
		switch {
		case r.pad != 0:
			r.pad--
		case r.src[r.start] == '\n':
			r.nextLine()
		default:
			r.start++
		}
	}
}

func (r *lineReader) advanceAndPad(n, pad int) {
	r.advance(n)
	r.pad = max(r.pad, pad)
}

// toLineEnd goes to the end of the line, before the line feed if it has one.
func (r *lineReader) toLineEnd() {
	if r.start >= len(r.src) {
		return
	}
	r.start = r.stop
	if r.src[r.stop-1] == '\n' {
		r.start--
	}
	r.column, r.peeked, r.pad = -1, nil, 0
}

func (r *lineReader) nextLine() {
	r.start = r.stop
	r.head, r.column, r.peeked, r.pad = r.start, -1, nil, 0
	if r.start >= len(r.src) {
		return
	}
	r.stop = len(r.src)
	if i := bytes.IndexByte(r.src[r.start:], '\n'); i >= 0 {
		r.stop = r.start + i + 1
	}
}

// skipBlankLines goes to the next line that holds something; false if there is none.
func (r *lineReader) skipBlankLines() bool {
	for r.start < len(r.src) && util.IsBlank(r.peek()) {
		r.nextLine()
	}
	return r.start < len(r.src)
}
