package reply

import (
	"bytes"
	"sort"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
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

// readMarkdown finds the blocks of src with goldmark. Only its block parsers run: code spans are looked for
// where a signal stands (codeSpans), which keeps a reply of 1 MB at a few milliseconds and avoids the
// inline parsers' worst cases. Link reference definitions stay text for the same reason: goldmark takes
// quadratic time for them.
func readMarkdown(str string) *layout {
	src := []byte(str)
	p := parser.NewParser(parser.WithBlockParsers(parser.DefaultBlockParsers()...))
	doc := p.Parse(text.NewReader(flatten(src)))
	l := &layout{str: str, src: src, used: len(bytes.TrimRight(src, " \t\n\r"))}
	blocks, leaves := count(doc)
	l.blocks, l.leaves = make([]codeBlock, 0, blocks), make([]leaf, 0, leaves)
	l.walk(doc, leaf{})
	for i := range max(len(l.blocks)-1, 0) { // a fence after the end of a quotation opens a block, it closes none
		l.blocks[i].end = min(l.blocks[i].end, lineStart(l.src, l.blocks[i+1].start))
	}
	return l
}

// count tells how many blocks of code and of text n holds.
func count(n ast.Node) (blocks, leaves int) {
	switch n.Kind() {
	case ast.KindFencedCodeBlock, ast.KindCodeBlock:
		return 1, 0
	}
	if n.Type() == ast.TypeBlock && n.Lines() != nil && n.Lines().Len() > 0 {
		return 0, 1
	}
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		b, l := count(c)
		blocks, leaves = blocks+b, leaves+l
	}
	return blocks, leaves
}

func (l *layout) walk(n ast.Node, in leaf) {
	switch b := n.(type) {
	case *ast.FencedCodeBlock:
		l.blocks = append(l.blocks, l.fencedBlock(b))
		return
	case *ast.CodeBlock:
		if lines := b.Lines(); lines.Len() > 0 {
			l.blocks = append(l.blocks, codeBlock{
				body: l.text(lines), start: lines.At(0).Start,
				first: lines.At(0).Start, end: lines.At(lines.Len() - 1).Stop,
			})
		}
		return
	case *ast.HTMLBlock:
		in.html = true
		in.hidden = b.HTMLBlockType <= ast.HTMLBlockType5
	case *ast.Blockquote:
		in.quoted = true
	case *ast.ListItem:
		in.listed = true
	}
	if lines := n.Lines(); n.Type() == ast.TypeBlock && lines != nil && lines.Len() > 0 {
		in.lines = lines.Sliced(0, lines.Len())
		in.start, in.end = in.lines[0].Start, in.lines[len(in.lines)-1].Stop
		l.leaves = append(l.leaves, in)
		return
	}
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		l.walk(c, in)
	}
}

func (l *layout) fencedBlock(n *ast.FencedCodeBlock) codeBlock {
	b := codeBlock{fenced: true, start: l.openingFence(n.Pos())}
	width := 3
	for b.start+width < len(l.src) && l.src[b.start+width] == l.src[b.start] {
		width++
	}
	b.fence = l.str[b.start : b.start+width]
	if n.Info != nil {
		b.info = l.str[n.Info.Segment.Start:n.Info.Segment.Stop]
	}
	afterFence := lineEnd(l.src, b.start)
	b.first, b.end = afterFence, afterFence
	if lines := n.Lines(); lines.Len() > 0 {
		b.body = l.text(lines)
		b.first, b.end = lines.At(0).Start, lines.At(lines.Len()-1).Stop
	}
	// goldmark does not say whether a block was closed. It was, if anything follows: a closing fence, or
	// the end of the list or quotation that the block stands in.
	b.open = b.end >= l.used
	if next := lineEnd(l.src, b.end); isClosingFence(l.src[b.end:next]) {
		b.end = next
	}
	return b
}

// openingFence is the offset of the fence on the line that holds pos, which goldmark puts up to three bytes too far
// when the fence stands behind a tab.
func (l *layout) openingFence(pos int) int {
	start := lineStart(l.src, min(pos, len(l.src)))
	return start + max(0, bytes.IndexAny(l.src[start:], "`~"))
}

// text is the text of a block's lines: a part of str where the lines stand in it as they are.
func (l *layout) text(lines *text.Segments) string {
	from, to := lines.At(0).Start, lines.At(0).Start
	for i := range lines.Len() {
		seg := lines.At(i)
		if seg.Start != to || seg.Padding != 0 || seg.Stop > seg.Start && l.src[seg.Stop-1] != '\n' {
			return string(lines.Value(l.src))
		}
		to = seg.Stop
	}
	return l.str[from:to]
}

// isClosingFence reports whether a line that follows a fenced block's body is its closing fence.
func isClosingFence(line []byte) bool {
	line = bytes.TrimLeft(line, " \t>")
	return bytes.HasPrefix(line, []byte("```")) || bytes.HasPrefix(line, []byte("~~~"))
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

// maxNesting is how deep quotations and lists may be nested on one line. goldmark takes quadratic time in
// that depth, and nobody means a 33rd level.
const maxNesting = 32

// maxIndent is how many bytes of white space at the start of a line count, which is what maxNesting lists need. goldmark reads the white space
// of a line once for each list that is open, so lists that go deeper line by line would take more than linear time.
const maxIndent = 4 * maxNesting

// maxBlank is how many empty lines in a row are looked at: goldmark takes them one by one through all open lists.
const maxBlank = 64

// flatten returns src, or a copy of the same length without what makes goldmark slow: on lines with more
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
func margin(line []byte) int { return len(line) - len(bytes.TrimLeft(line, " \t>")) }

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
