package reply

import (
	"bytes"
	"sort"

	"github.com/yuin/goldmark/text"
)

// layout is the relevant Markdown structure of a reply. Offsets are into src.
type layout struct {
	str    string // the part of the reply that is read
	src    []byte // the bytes of str
	blocks []codeBlock
	leaves []textBlock
	used   int    // length of src without trailing white space
	unread string // why reading stops before the end of the reply; empty if it does not

	paragraphs []paragraph // not yet reached by the walk through the tree
}

// codeBlock is a fenced or indented block of code.
type codeBlock struct {
	fenced     bool
	fence      string // the run of backticks or tildes that opens a fenced block
	info       string // the text after the fence
	body       string
	start, end int // the whole block, with its fences if it has them
	first      int // offset of the first line of the body
	open       bool
	isGo       int8 // whether the block may be a cell: 1 yes, -1 no, 0 not determined yet
}

// textBlock is a block of text: a paragraph, a heading, an HTML block.
type textBlock struct {
	start, end int
	lines      []text.Segment
	html       bool
	hidden     bool // an HTML comment, a script
	quoted     bool
	listed     bool
}

// readMarkdown finds the blocks of a reply in goldmark's tree. Code spans are found only where there is a signal
// (inSpan).
func readMarkdown(str string) *layout {
	src := []byte(str)
	read, unread := within(src)
	l := &layout{str: str[:len(read)], src: src[:len(read)], unread: unread}
	l.used = len(bytes.TrimRight(l.src, " \t\n\r"))
	doc, paragraphs := parseBlocks(text.NewReader(read))
	l.paragraphs = paragraphs
	l.blocks = make([]codeBlock, 0, fences(doc))
	l.walk(doc, textBlock{})
	for i := range max(len(l.blocks)-1, 0) { // a fence after a quotation opens a block
		l.blocks[i].end = min(l.blocks[i].end, lineStart(l.src, l.blocks[i+1].start))
	}
	return l
}

// lineEnd returns the offset after the line that contains offset i.
func lineEnd(src []byte, i int) int {
	_, behind, _ := bytes.Cut(src[i:], []byte("\n"))
	return len(src) - len(behind)
}

// lineStart returns the offset at which the line that contains offset i begins.
func lineStart(src []byte, i int) int {
	return bytes.LastIndexByte(src[:i], '\n') + 1
}

// leafAt returns the text block that contains offset i, or nil.
func (l *layout) leafAt(i int) *textBlock {
	n := l.leafFrom(i)
	if n < len(l.leaves) && l.leaves[n].start <= i {
		return &l.leaves[n]
	}
	return nil
}

// leafFrom returns the index of the first text block that ends after offset i.
func (l *layout) leafFrom(i int) int {
	return sort.Search(len(l.leaves), func(k int) bool { return l.leaves[k].end > i })
}

// nextFence returns the offset of the first fenced block after i, or the end of the text.
func (l *layout) nextFence(i int) int {
	n := sort.Search(len(l.blocks), func(k int) bool { return l.blocks[k].start > i })
	for ; n < len(l.blocks); n++ {
		if l.blocks[n].fenced {
			return l.blocks[n].start
		}
	}
	return len(l.src)
}
