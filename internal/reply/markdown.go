package reply

import (
	"bytes"
	"sort"

	"github.com/yuin/goldmark/text"
)

// layout is a reply's Markdown structure as far as it matters here. Offsets are into src.
type layout struct {
	str    string // the reply as far as it is read
	src    []byte // the bytes of str
	blocks []codeBlock
	leaves []textBlock
	used   int    // the length of src without trailing white space
	unread string // why reading ends before the reply does; empty if it does not

	paragraphs []paragraph // that the walk through the tree has not come to
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

// textBlock is a block that holds text: a paragraph, a heading, an HTML block.
type textBlock struct {
	start, end int
	lines      []text.Segment
	html       bool
	hidden     bool // an HTML comment, a script
	quoted     bool
	listed     bool
}

// readMarkdown finds the blocks of a reply in goldmark's tree. Code spans are looked for where a signal stands (inSpan).
func readMarkdown(str string) *layout {
	src := []byte(str)
	read, unread := within(src)
	l := &layout{str: str[:len(read)], src: src[:len(read)], unread: unread}
	l.used = len(bytes.TrimRight(l.src, " \t\n\r"))
	doc, paragraphs := parseBlocks(text.NewReader(read))
	l.paragraphs = paragraphs
	l.blocks = make([]codeBlock, 0, fences(doc))
	l.walk(doc, textBlock{})
	for i := range max(len(l.blocks)-1, 0) { // a fence after the end of a quotation opens a block, it closes none
		l.blocks[i].end = min(l.blocks[i].end, lineStart(l.src, l.blocks[i+1].start))
	}
	return l
}

// lineEnd is the offset just after the line that holds offset i.
func lineEnd(src []byte, i int) int {
	_, behind, _ := bytes.Cut(src[i:], []byte("\n"))
	return len(src) - len(behind)
}

// lineStart is the offset at which the line that holds offset i begins.
func lineStart(src []byte, i int) int {
	return bytes.LastIndexByte(src[:i], '\n') + 1
}

// leafAt is the text block that holds offset i, or nil.
func (l *layout) leafAt(i int) *textBlock {
	n := l.leafFrom(i)
	if n < len(l.leaves) && l.leaves[n].start <= i {
		return &l.leaves[n]
	}
	return nil
}

// leafFrom is the index of the first text block that ends after offset i.
func (l *layout) leafFrom(i int) int {
	return sort.Search(len(l.leaves), func(k int) bool { return l.leaves[k].end > i })
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
