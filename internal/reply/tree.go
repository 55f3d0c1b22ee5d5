package reply

import (
	"bytes"
	"sync"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// parseBlocks returns goldmark's tree of the blocks of a text. Inlines are not parsed, and link definitions stay
// text. The lines of most paragraphs are returned separately, in the order of the tree: otherwise goldmark would
// search them byte by byte for inlines that are not needed, which takes longer than everything else.
func parseBlocks(src text.Reader) (doc ast.Node, paragraphs []paragraph) {
	pc := parser.NewContext()
	pc.Set(paragraphsKey, &paragraphs)
	doc = blockParser().Parse(src, parser.WithContext(pc))
	return doc, paragraphs
}

// paragraphsKey is the key under which a parse's context holds its completed paragraphs.
var paragraphsKey = parser.NewContextKey()

// blockParser returns the parser of all replies: it keeps no state from one reply to the next.
var blockParser = sync.OnceValue(func() parser.Parser {
	blocks := parser.DefaultBlockParsers()
	for i, b := range blocks {
		if b.Priority == paragraphPriority {
			blocks[i].Value = paragraphParser{b.Value.(parser.BlockParser)}
		}
	}
	return parser.NewParser(parser.WithBlockParsers(blocks...))
})

// paragraph is a paragraph whose lines are not in the tree.
type paragraph struct {
	node  ast.Node
	lines text.Segments
}

// paragraphPriority is the documented priority of the paragraph parser among parser.DefaultBlockParsers.
const paragraphPriority = 1000

// paragraphParser takes the lines out of completed paragraphs. Those of list items stay, because the list moves
// them. A paragraph that an underline turns into a heading stays a paragraph, which is text as well.
type paragraphParser struct {
	parser.BlockParser
}

func (p paragraphParser) Close(n ast.Node, r text.Reader, pc parser.Context) {
	p.BlockParser.Close(n, r, pc)
	if in := n.Parent(); in != nil && in.Kind() != ast.KindListItem {
		complete := pc.Get(paragraphsKey).(*[]paragraph)
		*complete = append(*complete, paragraph{n, *n.Lines()})
		n.SetLines(text.NewSegments())
	}
}

// fences counts the fenced blocks at the top level, so that the slice for them (a reply can have a hundred
// thousand) is allocated only once.
func fences(doc ast.Node) (n int) {
	for c := doc.FirstChild(); c != nil; c = c.NextSibling() {
		if c.Kind() == ast.KindFencedCodeBlock {
			n++
		}
	}
	return n
}

// walk adds the blocks of a tree to the layout, in order. in describes the containers around them.
func (l *layout) walk(n ast.Node, in textBlock) {
	switch b := n.(type) {
	case *ast.FencedCodeBlock:
		l.blocks = append(l.blocks, l.fencedBlock(b))
		return
	case *ast.CodeBlock:
		l.blocks = append(l.blocks, l.indentedBlock(b))
		return
	case *ast.HTMLBlock:
		in.html = true
		in.hidden = b.HTMLBlockType <= ast.HTMLBlockType5
	case *ast.Blockquote:
		in.quoted = true
	case *ast.ListItem:
		in.listed = true
	}
	lines := n.Lines()
	if len(l.paragraphs) > 0 && l.paragraphs[0].node == n {
		lines = &l.paragraphs[0].lines
		l.paragraphs = l.paragraphs[1:]
	}
	if lines.Len() > 0 {
		in.lines = lines.Sliced(0, lines.Len())
		if html, ok := n.(*ast.HTMLBlock); ok && html.HasClosure() {
			in.lines = append(in.lines, html.ClosureLine)
		}
		in.start, in.end = in.lines[0].Start, in.lines[len(in.lines)-1].Stop
		l.leaves = append(l.leaves, in)
		return
	}
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		l.walk(c, in)
	}
}

// fencedBlock is a fenced block of code.
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
	// The tree does not record whether a fence was closed. If anything follows the block, it was closed by a
	// closing fence, or by the end of the list or quotation around it.
	b.open = b.end >= l.used
	if next := lineEnd(l.src, b.end); beginsWithFence(l.src[b.end:next]) {
		b.end = next
	}
	return b
}

// indentedBlock is an indented block of code.
func (l *layout) indentedBlock(n *ast.CodeBlock) codeBlock {
	lines := n.Lines()
	start := lines.At(0).Start
	return codeBlock{body: l.text(lines), start: start, first: start, end: lines.At(lines.Len() - 1).Stop}
}

// openingFence returns the offset of the fence on the line of pos, which is up to three bytes too large if a tab
// precedes the fence.
func (l *layout) openingFence(pos int) int {
	start := lineStart(l.src, min(pos, len(l.src)))
	return start + max(0, bytes.IndexAny(l.src[start:], "`~"))
}

// text returns the text of a block's lines, from the reply itself.
func (l *layout) text(lines *text.Segments) string { return string(lines.Value(l.src)) }

// beginsWithFence reports whether a line begins with a fence, after white space and quotation marks.
func beginsWithFence(line []byte) bool {
	line = bytes.TrimLeft(line, " \t>")
	return bytes.HasPrefix(line, []byte("```")) || bytes.HasPrefix(line, []byte("~~~"))
}
