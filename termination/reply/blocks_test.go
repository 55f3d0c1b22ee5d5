package reply

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"pgregory.net/rapid"
)

// goldmarkLayout is what goldmark's block parsers find in a reply.
func goldmarkLayout(str string) *layout {
	src := []byte(str)
	doc := parser.NewParser(parser.WithBlockParsers(parser.DefaultBlockParsers()...)).Parse(text.NewReader(flatten(src)))
	l := &layout{str: str, src: src, used: len(bytes.TrimRight(src, " \t\n\r"))}
	l.walk(doc, leaf{})
	for i := range max(len(l.blocks)-1, 0) {
		l.blocks[i].end = min(l.blocks[i].end, lineStart(l.src, l.blocks[i+1].start))
	}
	return l
}

func (l *layout) walk(n ast.Node, in leaf) {
	switch b := n.(type) {
	case *ast.FencedCodeBlock:
		l.blocks = append(l.blocks, l.fencedBlock(b))
		return
	case *ast.CodeBlock:
		if lines := b.Lines(); lines.Len() > 0 {
			l.blocks = append(l.blocks, codeBlock{
				body: l.text(lines.Sliced(0, lines.Len())), start: lines.At(0).Start,
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
		b.body = l.text(lines.Sliced(0, lines.Len()))
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

// differs says where what is read here is not what goldmark finds.
func differs(src string) string {
	want, got := goldmarkLayout(src), readMarkdown(src)
	if w, g := fmt.Sprintf("%+v", want.blocks), fmt.Sprintf("%+v", got.blocks); w != g {
		return fmt.Sprintf("%q\ngoldmark: %s\nhere:     %s", src, w, g)
	}
	if w, g := fmt.Sprintf("%+v", want.leaves), fmt.Sprintf("%+v", got.leaves); w != g {
		return fmt.Sprintf("%q\ngoldmark: %s\nhere:     %s", src, w, g)
	}
	return ""
}

func TestBlocksAreThoseOfGoldmark(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		src := markdown("+ ", "2. ", "10) ", "<pre>\n", "</pre>", "</script>\n", "<script>", "-->\n", "<?", "?>\n", "<!A", "]]>", "<![CDATA[", "<a href='x'>\n",
			"<a\tb>\n", "-\n", "*\n", "* * *\n", "- - -\n", "=\n", "##", " #", "\r\n", "\v", "\f", "\x00", "\xff", "a", "`` ` ", "1.\n",
			"   ", "   \t", ">\t", "-\t", "\t\t").Draw(t, "reply")
		if d := differs(src); d != "" {
			t.Fatal(d)
		}
	})
}

func TestTagsAreThoseOfGoldmark(t *testing.T) {
	pieces := []string{
		"<", "<", "</", "</ ", ">", "/>", " ", "\t", "\r\n", "\n", "\n\n", "a", "div", "DIV", "pre", "Script", "style", "\u017fcript", "\u017ftyle", "\u017fpre", "textarea",
		"h1", "x-y", "=", "= ", "'", "\"", "b", "_c:1", "!", "?", "!--", "-->", "![CDATA[", "]]>", "A", "1", "-", "\x00", "\v", "é", "`", ".", "\xff",
	}
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.SampledFrom([]string{"<", "</", "<a", "x\n<", "<div", " <a b", "<script"}).Draw(t, "begin")
		src := n + strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 12).Draw(t, "pieces"), "") + rapid.SampledFrom([]string{"", ">", ">\nx\n\ny", " >  \n\ny"}).Draw(t, "end")
		if d := differs(src); d != "" {
			t.Fatal(d)
		}
	})
}

func TestBlocksOfHostileRepliesAreThoseOfGoldmark(t *testing.T) {
	for _, kind := range []func(int) map[string]string{bigReplies, hostileReplies} {
		for name, src := range kind(20 << 10) {
			if d := differs(src); d != "" {
				t.Errorf("%s: %s", name, d[:min(len(d), 2000)])
			}
		}
	}
}

func FuzzBlocks(f *testing.F) {
	f.Add("- a\n  > b\n\n\t```go\n\tx\n1. c\n===\n<div>\n# d #\n")
	f.Fuzz(func(t *testing.T, src string) {
		if strings.Contains(src, "\r") {
			src = normalize(src)
		}
		if d := differs(src); d != "" {
			t.Fatal(d)
		}
	})
}
