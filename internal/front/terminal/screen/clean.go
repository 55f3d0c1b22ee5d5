package screen

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Clean removes everything that a terminal would act on: escape sequences, control characters and marks that
// reorder text. A context is data from others; showing it must not move the cursor, rename the window or write to
// the clipboard. Line ends and tabs stay. Bytes that are not UTF-8 become U+FFFD.
func Clean(text string) string {
	if !needsCleaning(text) {
		return text
	}
	var f filter
	return string(f.end(f.add(make([]byte, 0, len(text)), text)))
}

// Line is Clean for a single line: line ends and tabs become blanks.
func Line(text string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' {
			return ' '
		}
		return r
	}, Clean(text))
}

// WithLineEnd returns text with a line end at its end.
func WithLineEnd(text string) string {
	if strings.HasSuffix(text, "\n") {
		return text
	}
	return text + "\n"
}

// styled is like Clean, but keeps colours and other text styles.
func styled(text string) string {
	if !needsCleaning(text) {
		return text
	}
	f := filter{styles: true}
	return string(f.end(f.add(make([]byte, 0, len(text)), text)))
}

func needsCleaning(text string) bool {
	return !utf8.ValidString(text) || strings.ContainsFunc(text, obeyed)
}

// obeyed reports whether a terminal may act on r instead of showing it.
func obeyed(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case unicode.IsControl(r): // C0, DEL, C1
		return true
	case r == '\u061C' || r == '\u200E' || r == '\u200F': // marks of direction
		return true
	default: // overrides and isolates of the direction of text
		return r >= '\u202A' && r <= '\u202E' || r >= '\u2066' && r <= '\u2069'
	}
}

// filter cleans a text in pieces. An escape sequence or a character may extend over several pieces.
type filter struct {
	styles bool // keep sequences that only style text

	state state
	seq   []byte // the sequence so far, if it is one that may be kept
	part  []byte // an incomplete character at the end of the last piece
}

// state is a filter's position in an escape sequence.
type state int

const (
	inText        state = iota
	inEscape            // after ESC
	inControl           // after ESC [, up to its final byte
	inCommand           // after ESC ] and similar, up to BEL, ESC \ or the end of the line
	endingCommand       // after ESC within such a command
)

// longestStyle is the maximum length of a sequence that is kept.
const longestStyle = 64

// add cleans a piece and appends it to the given slice.
func (f *filter) add(to []byte, piece string) []byte {
	if len(f.part) > 0 {
		piece, f.part = string(f.part)+piece, nil
	}
	for len(piece) > 0 {
		if !utf8.FullRuneInString(piece) {
			f.part = []byte(piece)
			return to
		}
		r, n := utf8.DecodeRuneInString(piece)
		piece = piece[n:]
		to = f.rune(to, r)
	}
	return to
}

// end appends U+FFFD to the given slice if the last piece ended in an incomplete character.
func (f *filter) end(to []byte) []byte {
	if len(f.part) > 0 {
		f.part = nil
		to = f.rune(to, utf8.RuneError)
	}
	return to
}

func (f *filter) rune(to []byte, r rune) []byte {
	switch f.state {
	case inEscape:
		return f.afterEscape(to, r)
	case inControl:
		return f.control(to, r)
	case inCommand:
		return f.command(to, r)
	case endingCommand:
		if f.state = inText; r == '\\' {
			return to
		}
		return f.afterEscape(to, r)
	}
	if r == '\x1b' {
		f.state = inEscape
		return to
	}
	if obeyed(r) {
		return to
	}
	return utf8.AppendRune(to, r)
}

func (f *filter) afterEscape(to []byte, r rune) []byte {
	switch {
	case r == '[':
		f.state, f.seq = inControl, append(f.seq[:0], "\x1b["...)
	case r == ']' || r == 'P' || r == 'X' || r == '^' || r == '_':
		f.state = inCommand
	case r >= ' ' && r <= '/': // more characters follow: ESC ( B
		f.state = inEscape
	case r >= '0' && r <= '~':
		f.state = inText
	default: // not a sequence
		f.state = inText
		return f.rune(to, r)
	}
	return to
}

func (f *filter) control(to []byte, r rune) []byte {
	switch {
	case r >= ' ' && r <= '?':
		if len(f.seq) < longestStyle {
			f.seq = append(f.seq, byte(r))
		}
	case r >= '@' && r <= '~':
		f.state = inText
		if f.styles && r == 'm' && isStyle(f.seq) {
			return append(append(to, f.seq...), 'm')
		}
	default:
		f.state = inText
		return f.rune(to, r)
	}
	return to
}

// isStyle reports whether a sequence without its final m only styles text: it has no private markers.
func isStyle(seq []byte) bool {
	if len(seq) >= longestStyle {
		return false
	}
	for _, b := range seq[len("\x1b["):] {
		if (b < '0' || b > '9') && b != ';' && b != ':' {
			return false
		}
	}
	return true
}

// command skips a terminal command. A line end ends it, because a document with an unterminated command must not
// hide everything after it.
func (f *filter) command(to []byte, r rune) []byte {
	switch r {
	case '\x1b':
		f.state = endingCommand
	case '\a', '\x18', '\x1a', '\u009c':
		f.state = inText
	case '\n':
		f.state = inText
		return append(to, '\n')
	}
	return to
}
