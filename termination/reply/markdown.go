package reply

import (
	"bytes"
	"sort"

	"github.com/yuin/goldmark/text"
)

// layout is a reply's Markdown structure as far as it matters here. Offsets are into src.
type layout struct {
	str    string
	src    []byte // the bytes of str
	blocks []codeBlock
	leaves []leaf
	used   int // the length of src without trailing white space
}

// codeBlock is a fenced or indented block of code.
type codeBlock struct {
	fenced     bool
	fence      string // the run of backticks or tildes that opens a fenced block
	info       string // what stands after it
	body       string
	start, end int // the whole block, with its fences where it has them
	first      int // where the first line of the body begins
	open       bool
	isGo       int8 // whether it may be a cell: 1 if it may, -1 if not, 0 as long as nobody asked
}

// leaf is a block that holds text: a paragraph, a heading, an HTML block.
type leaf struct {
	start, end int
	lines      []text.Segment
	html       bool
	hidden     bool // an HTML comment, a script
	quoted     bool
	listed     bool
}

// readMarkdown finds the blocks of src. Code spans are looked for where a signal stands (codeSpans), and definitions of links stay text.
func readMarkdown(str string) *layout {
	src := []byte(str)
	l := &layout{str: str, src: src, used: len(bytes.TrimRight(src, " \t\n\r"))}
	l.readBlocks(flatten(src))
	for i := range max(len(l.blocks)-1, 0) { // a fence after the end of a quotation opens a block, it closes none
		l.blocks[i].end = min(l.blocks[i].end, lineStart(l.src, l.blocks[i+1].start))
	}
	return l
}

// lineEnd is the offset just after the line that holds offset i.
func lineEnd(src []byte, i int) int {
	if nl := bytes.IndexByte(src[i:], '\n'); nl >= 0 {
		return i + nl + 1
	}
	return len(src)
}

// lineStart is the offset at which the line that holds offset i begins.
func lineStart(src []byte, i int) int {
	return bytes.LastIndexByte(src[:i], '\n') + 1
}

// leafAt is the text block that holds offset i, or nil.
func (l *layout) leafAt(i int) *leaf {
	n := sort.Search(len(l.leaves), func(k int) bool { return l.leaves[k].end > i })
	if n < len(l.leaves) && l.leaves[n].start <= i {
		return &l.leaves[n]
	}
	return nil
}

// nextFence is the offset of the first fenced block after i, or the end of the text.
func (l *layout) nextFence(i int) int {
	n := sort.Search(len(l.blocks), func(k int) bool { return l.blocks[k].start > i })
	for ; n < len(l.blocks); n++ {
		if l.blocks[n].fenced {
			return l.blocks[n].start
		}
	}
	return len(l.src)
}

// maxNesting is how deep quotations and lists may be nested on one line. Reading takes quadratic time in
// that depth, and nobody means a 33rd level.
const maxNesting = 32

// maxIndent is how many bytes of white space at the start of a line count, which is what maxNesting lists need. The white space
// of a line is read once for each list that is open, so lists that go deeper line by line would take more than linear time.
const maxIndent = 4 * maxNesting

// maxBlank is how many empty lines in a row are looked at: they are taken one by one through all open lists.
const maxBlank = 64

// flatten returns src, or a copy of the same length without what makes reading slow: on lines with more
// than maxNesting container markers the next marker is plain text, white space beyond maxIndent is text too, and empty lines after
// the maxBlank-th in a row are joined to one. Offsets stay, and text is always taken from src itself.
func flatten(src []byte) []byte {
	out := src
	set := func(i int, c byte) {
		if &out[0] == &src[0] {
			out = bytes.Clone(src)
		}
		out[i] = c
	}
	blank := 0
	for i := 0; i < len(src); {
		next := lineEnd(src, i)
		if at := deepMarker(src[:next], i); at >= 0 {
			set(at, 'x')
		}
		if len(bytes.TrimSpace(src[i:next])) > 0 {
			blank = 0
			if margin(src[i:next]) > maxIndent {
				set(i+maxIndent, 'x')
			}
		} else if blank++; blank > maxBlank {
			set(i-1, ' ')
		}
		i = next
	}
	return out
}

// margin is the length of the white space and quotation marks at the start of a line.
func margin(line []byte) int {
	i := 0
	for i < len(line) && (line[i] == ' ' || line[i] == '\t' || line[i] == '>') {
		i++
	}
	return i
}

// deepMarker is the offset of the marker that exceeds maxNesting on the line at i, or -1.
func deepMarker(src []byte, i int) int {
	for n := 0; ; n++ {
		for i < len(src) && (src[i] == ' ' || src[i] == '\t') {
			i++
		}
		width := markerWidth(src[i:])
		if width == 0 {
			return -1
		}
		if n == maxNesting {
			return i
		}
		i += width
	}
}

// markerWidth is the length of the quotation or list marker at the start of s; 0 if there is none.
func markerWidth(s []byte) int {
	if len(s) == 0 {
		return 0
	}
	width := 0
	switch c := s[0]; {
	case c == '>':
		return 1
	case c == '-' || c == '+' || c == '*':
		width = 1
	case c >= '0' && c <= '9':
		n := 1
		for n < len(s) && n < 9 && s[n] >= '0' && s[n] <= '9' {
			n++
		}
		if n < len(s) && (s[n] == '.' || s[n] == ')') {
			width = n + 1
		}
	}
	if width == 0 || width < len(s) && s[width] != ' ' && s[width] != '\t' && s[width] != '\n' {
		return 0
	}
	return width
}
