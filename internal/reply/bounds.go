package reply

import "bytes"

// The bounds of what is read. goldmark passes every line through all open blocks, and allocates a node or two for
// every list item. No model writes text beyond these bounds.
const (
	// maxNesting is how deep quotations and lists may be nested on one line.
	maxNesting = 32
	// maxIndent is how many columns of white space count at the start of a line, enough for maxNesting lists. It
	// bounds lists in which each line is nested deeper than the line before.
	maxIndent = 128
	tabWidth  = 4
	// maxBlank is how many consecutive empty lines are read one by one.
	maxBlank = 1 << 13
	// maxDigits is the maximal length of an item number.
	maxDigits = 9
	// maxMarkers is how many markers of quotations and lists are read.
	maxMarkers = 1 << 16
)

// Reasons why the rest of a reply is not read.
const (
	tooMany = "the reply holds too many items of lists and lines of quotations, and nothing from here on was " +
		"read or run: send what matters, on its own"
	tooDeep = "this fence is nested too deep in lists and quotations, and nothing from here on was read or run: " +
		"put ```" + CellTag + " at the start of a line"
)

// within returns the part of src to read, or a copy of it with harmless bytes in place of whatever makes reading
// slow: on lines with more than maxNesting markers the next marker becomes plain text, so does white space beyond
// maxIndent, and after maxBlank empty lines further ones are joined. Offsets stay valid, and text is always taken
// from src itself. unread explains why reading stops before the end of src, and is empty if it does not. Reading
// also stops at a fence nested too deeply, whose content could be mistaken for a cell.
func within(src []byte) (out []byte, unread string) {
	out = src
	set := func(i int, c byte) {
		if &out[0] == &src[0] {
			out = bytes.Clone(src)
		}
		out[i] = c
	}
	count, blank, below := 0, 0, false
	next := 0
	for line := range bytes.Lines(src) {
		i := next
		next += len(line)
		m := markersAt(src[:next], i)
		count += min(m.count, maxNesting)
		if count > maxMarkers {
			return out[:i], tooMany
		}
		if m.count > maxNesting {
			if beginsWithFence(src[m.end:next]) {
				return out[:i], tooDeep
			}
			set(m.excess, 'x')
		}
		empty := len(bytes.TrimSpace(line)) == 0
		if at := deepIndent(line); at != -1 && !empty {
			set(i+at, 'x')
		}
		if empty && below {
			if blank++; blank > maxBlank {
				set(i-1, ' ')
			}
		}
		below = empty
	}
	return out, ""
}

// deepIndent returns the offset of the white space at the start of a line that exceeds maxIndent, or -1. Quotation
// marks count as white space.
func deepIndent(line []byte) int {
	width := 0
	for i, c := range line {
		switch c {
		case ' ', '>':
			width++
		case '\t':
			width += tabWidth
		default:
			return -1
		}
		if width > maxIndent {
			return i
		}
	}
	return -1
}

// markers are the markers of lists and quotations at the start of a line.
type markers struct {
	count  int
	excess int // offset of the first marker beyond maxNesting
	end    int // offset of the text after the markers
}

// markersAt finds the markers of the line at i, which is the last one of src.
func markersAt(src []byte, i int) markers {
	m := markers{}
	for {
		m.end = len(src) - len(bytes.TrimLeft(src[i:], " \t"))
		width := markerWidth(src[m.end:])
		if width == 0 {
			return m
		}
		if m.count == maxNesting {
			m.excess = m.end
		}
		m.count++
		i = m.end
		i += width
	}
}

// markerWidth returns the length of the quotation or list marker at the start of s; 0 if there is none.
func markerWidth(s []byte) int {
	if len(s) == 0 {
		return 0
	}
	width := 1
	switch s[0] {
	case '>':
		return 1
	case '-', '+', '*':
	default:
		digits := s[:min(len(s), maxDigits)]
		n := len(digits) - len(bytes.TrimLeft(digits, "0123456789"))
		if n == 0 || n == len(s) || !isOneOf(s[n], ".)") {
			return 0
		}
		width = n + 1
	}
	if behind := s[width:]; len(behind) > 0 && !isOneOf(behind[0], " \t\n") {
		return 0
	}
	return width
}
