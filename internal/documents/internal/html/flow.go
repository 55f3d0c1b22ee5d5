package html

import (
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gorlm/rlm/internal/documents/internal/markdown"
)

// maxIndent bounds how deep lists and quotes are shown, so that a page of a million nested lists is not a square of
// spaces.
const maxIndent = 8

// container is a list, an entry of one or a quote that is open.
type container struct {
	tag    string // ul, ol, blockquote, dd
	number int    // of the next entry of ol
	style  string // of its numbers: a, A, i, I
	marked bool   // ol and ul: an entry is open, its text is indented
}

// flow lays out text as Markdown: words with single spaces, blocks with empty lines between them, lists and quotes
// with their margin.
type flow struct {
	out        io.Writer
	err        error
	containers []container
	breaks     int    // line breaks that stand before the next word
	space      bool   // a space stands before the next word
	some       bool   // something is written
	last       byte   // that was written
	marker     string // of a list entry, before the next word
	hashes     string // of a heading, before its first word
	shared     int    // how many containers the lines before and after the next break have in common
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

// block asks for n line breaks before what comes next: 2 begin a paragraph.
func (f *flow) block(n int) {
	if f.breaks == 0 {
		f.shared = len(f.containers)
	}
	f.shared = min(f.shared, len(f.containers))
	if f.marker == "" { // An entry's own line is the next already.
		f.breaks = max(f.breaks, n)
	}
	f.space = false
}

// margin is what each line in the first n containers begins with, without the entry that begins on this line.
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

// lead writes what stands before a word: line breaks and margins, or a space.
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

// text adds text whose runs of space are single spaces.
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

// isSpace is the space that pages fold; a no-break space is one for the reader too. What has no width is kept out
// elsewhere.
func isSpace(r rune) bool { return r == '\u00A0' || r == '\u3000' || r < 0x80 && unicode.IsSpace(r) }

// verbatim adds lines as they are, each with the margin.
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

// open begins a list, a quote or a definition.
func (f *flow) open(tag string, number int, style string) {
	f.block(2)
	if n := len(f.containers); tag != "blockquote" && n > 0 && f.containers[n-1].tag != "blockquote" {
		f.breaks = 1
	}
	if f.marker != "" {
		f.breaks = 0 // a list in a list whose entry has no text of its own
		f.lead()
		f.breaks = 1
	}
	f.containers = append(f.containers, container{tag: tag, number: number, style: style})
}

// close ends the innermost container of that kind and all inside it.
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
			return // a closing tag without its opening one
		}
	}
}

// entry begins an entry of the innermost list.
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

// label is a number as the list writes it: contracts refer to "clause 3 b".
func label(n int, style string) string {
	switch {
	case n < 1 || n > 3999:
	case style == "a", style == "A":
		s := ""
		for ; n > 0; n = (n - 1) / 26 {
			s = string(rune(style[0])+rune((n-1)%26)) + s
		}
		return s
	case style == "i":
		return markdown.Ordinal(n, "lowerRoman")
	case style == "I":
		return markdown.Ordinal(n, "upperRoman")
	}
	return strconv.Itoa(n)
}
