package html

import (
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gorlm/rlm/internal/documents/internal/markdown"
)

// maxIndent limits the indentation of lists and quotes, because the indentation of a million nested lists would
// grow with the square of their number.
const maxIndent = 8

// container is an open list, list item or quote.
type container struct {
	tag    string // ul, ol, blockquote, dd
	number int    // number of the next item in ol
	style  string // style of ol's numbers: a, A, i, I
	marked bool   // in ol and ul, an item is open, so text is indented
}

// flow formats text as Markdown: single spaces between words, empty lines between blocks, indented lists and
// quotes.
type flow struct {
	out        io.Writer
	err        error
	containers []container
	breaks     int    // line breaks before the next word
	space      bool   // a space before the next word
	some       bool   // something has been written
	last       byte   // last byte written
	marker     string // marker of a list item, to write before the next word
	hashes     string // marks of a heading, to write before its first word
	shared     int    // number of containers common to the lines before and after the next break
	buf        []byte
}

func (f *flow) write(s string) {
	if s == "" {
		return
	}
	f.buf = append(f.buf, s...)
	f.last = s[len(s)-1]
	if len(f.buf) >= 32<<10 {
		f.flush()
	}
}

func (f *flow) flush() {
	if f.err == nil && len(f.buf) > 0 {
		_, f.err = f.out.Write(f.buf)
	}
	f.buf = f.buf[:0]
}

// block requests n line breaks before the next content; 2 start a paragraph.
func (f *flow) block(n int) {
	if f.breaks == 0 {
		f.shared = len(f.containers)
	}
	f.shared = min(f.shared, len(f.containers))
	if f.marker == "" { // an item already starts a new line
		f.breaks = max(f.breaks, n)
	}
	f.space = false
}

// margin returns the prefix of each line in the first n containers, without the marker of a new item.
func (f *flow) margin(n int) string {
	var b strings.Builder
	for _, c := range f.containers[:min(n, len(f.containers), maxIndent)] {
		switch {
		case c.tag == "blockquote":
			b.WriteString("> ")
		case c.tag == "dd" || c.marked:
			b.WriteString("  ")
		}
	}
	return b.String()
}

// lead writes the separator before a word: line breaks and margins, or a space.
func (f *flow) lead() {
	switch {
	case f.breaks > 0 || !f.some:
		margin := f.margin(maxIndent)
		if f.some {
			f.write("\n")
			if f.breaks > 1 {
				f.write(strings.TrimRight(f.margin(f.shared), " ") + "\n")
			}
		}
		if f.marker != "" {
			margin = strings.TrimSuffix(margin, "  ") + f.marker
			f.marker = ""
		}
		f.write(margin + f.hashes)
		f.hashes = ""
	case f.space:
		f.write(" ")
	}
	f.breaks, f.space, f.some = 0, false, true
}

// text adds text, with runs of white space collapsed to single spaces.
func (f *flow) text(s string) {
	for len(s) > 0 {
		end := strings.IndexFunc(s, isSpace)
		if end < 0 {
			end = len(s)
		}
		if end > 0 {
			f.lead()
			f.write(s[:end])
			s = s[end:]
			continue
		}
		_, n := utf8.DecodeRuneInString(s)
		f.space = f.breaks == 0 && f.some
		s = s[n:]
	}
}

// isSpace reports whether r is collapsible white space. No-break spaces count too; zero-width ones are removed
// elsewhere.
func isSpace(r rune) bool { return r == '\u00A0' || r == '\u3000' || r < 0x80 && unicode.IsSpace(r) }

// verbatim adds lines unchanged, each with the margin.
func (f *flow) verbatim(s string) {
	margin := f.margin(maxIndent)
	for i, line := range strings.Split(s, "\n") {
		if i == 0 {
			f.lead()
		} else {
			f.write("\n" + margin)
		}
		f.write(line)
	}
}

// open starts a list, a quote or a definition.
func (f *flow) open(tag string, number int, style string) {
	f.block(2)
	if n := len(f.containers); tag != "blockquote" && n > 0 && f.containers[n-1].tag != "blockquote" {
		f.breaks = 1
	}
	if f.marker != "" {
		f.breaks = 0 // a nested list directly follows the marker of an item without text
		f.lead()
		f.breaks = 1
	}
	f.containers = append(f.containers, container{tag: tag, number: number, style: style})
}

// close ends the innermost container of a kind and everything inside it.
func (f *flow) close(tag string) {
	for i := len(f.containers) - 1; i >= 0; i-- {
		if f.containers[i].tag == tag {
			f.containers = f.containers[:i]
			f.marker = ""
			f.block(2)
			if i > 0 {
				f.breaks = 1
			}
			return
		}
		if len(f.containers)-i > 64 {
			return // unmatched closing tag
		}
	}
}

// entry starts an item of the innermost list.
func (f *flow) entry(value int) {
	f.block(1)
	for len(f.containers) > 0 && f.containers[len(f.containers)-1].tag == "dd" {
		f.containers = f.containers[:len(f.containers)-1]
	}
	if n := len(f.containers); n == 0 || f.containers[n-1].tag == "blockquote" {
		f.containers = append(f.containers, container{tag: "ul"})
	}
	c := &f.containers[len(f.containers)-1]
	if c.marked {
		f.breaks = 1
	}
	c.marked = true
	f.marker = "- "
	if c.tag == "ol" {
		if value >= 0 {
			c.number = value
		}
		f.marker = label(c.number, c.style) + ". "
		c.number++
	}
}

// label formats a number in the list's style, because contracts refer to "clause 3 b".
func label(n int, style string) string {
	switch {
	case n < 1 || n > 3999:
	case style == "a", style == "A":
		s := ""
		for ; n > 0; n = (n - 1) / 26 {
			s = string(rune(style[0])+rune((n-1)%26)) + s
		}
		return s
	case style == "i", style == "I":
		return markdown.Ordinal(n, style)
	}
	return strconv.Itoa(n)
}
