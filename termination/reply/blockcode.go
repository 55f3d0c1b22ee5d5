package reply

import (
	"bytes"

	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// fenceLine is the line that opens a fenced block.
type fenceLine struct {
	char          byte
	indent, width int
}

// beginIndented begins a block of code that is indented by four columns.
func (r *blockReader) beginIndented(line []byte) (openBlock, begun) {
	if util.IsBlank(line) {
		return openBlock{}, nothing
	}
	seg, ok := r.indented(line)
	if !ok {
		return openBlock{}, nothing
	}
	r.toLineEnd()
	b := r.leaf(indentedCode, seg)
	b.code = len(r.to.blocks)
	r.to.blocks = append(roomy(r.to.blocks), codeBlock{})
	return b, aBlock
}

func (r *blockReader) indentedGoesOn(b *openBlock) bool {
	line := r.peek()
	seg, ok := r.indented(line)
	if !ok {
		if !util.IsBlank(line) {
			return false
		}
		seg = text.NewSegment(r.stop-1, r.stop)
	}
	r.append(b, seg)
	r.toLineEnd()
	return true
}

// indented is the line without the four columns that make it code.
func (r *blockReader) indented(line []byte) (text.Segment, bool) {
	pos, pad := util.IndentPositionPadding(line, r.offset(), r.pad, 4)
	if pos < 0 {
		return text.Segment{}, false
	}
	return r.code(pos, pad, 0), true
}

// code is a line of code from pos on. A tab with which it begins stays a tab.
func (r *blockReader) code(pos, pad, indent int) text.Segment {
	seg := text.NewSegmentPadding(r.start+pos, r.stop, pad)
	if pad != 0 && r.offset()+indent == r.columnAt(max(r.start-1, r.head)) {
		seg.Padding = 0
		seg.Start--
	}
	seg.ForceNewline = true // the end of the text ends the line
	return seg
}

// beginFence begins a fenced block.
func (r *blockReader) beginFence(line []byte) (openBlock, begun) {
	if r.at < 0 {
		return openBlock{}, nothing
	}
	f := fenceLine{char: line[r.at], indent: r.at}
	for r.at+f.width < len(line) && line[r.at+f.width] == f.char {
		f.width++
	}
	if f.width < 3 {
		return openBlock{}, nothing
	}
	behind := r.at + f.width
	rest := line[behind:]
	if len(rest) == 1 { // goldmark takes it for the end of the line, also where it is not
		rest = nil
	}
	info := rest[:len(rest)-util.TrimRightSpaceLength(rest)]
	left := util.TrimLeftSpaceLength(info)
	if f.char == '`' && bytes.IndexByte(info, '`') >= 0 {
		return openBlock{}, nothing
	}
	block := codeBlock{fenced: true, start: r.to.openingFence(r.start + r.at)}
	if left < len(info) {
		from := r.start - r.pad + behind
		block.info = r.to.str[from+left : from+len(info)]
	}
	r.fence = f
	b := r.leaf(fencedCode)
	b.code = len(r.to.blocks)
	r.to.blocks = append(roomy(r.to.blocks), block)
	return b, aBlock
}

func (r *blockReader) fenceGoesOn(b *openBlock) bool {
	line := r.peek()
	if width, pos := util.IndentWidth(line, r.offset()); width < 4 {
		i := pos
		for i < len(line) && line[i] == r.fence.char {
			i++
		}
		if i-pos >= r.fence.width && util.IsBlank(line[i:]) {
			r.toLineEnd()
			return false
		}
	}
	pos, pad := util.IndentPositionPadding(line, r.offset(), r.pad, r.fence.indent)
	if pos < 0 {
		pos, pad = max(0, util.FirstNonSpacePosition(line))-r.pad, 0
	}
	r.append(b, r.code(pos, pad, r.fence.indent))
	r.toLineEnd()
	return true
}

// endIndented says what an indented block of these lines holds.
func (l *layout) endIndented(b *codeBlock, lines []text.Segment) {
	b.body, b.start = l.text(lines), lines[0].Start
	b.first, b.end = lines[0].Start, lines[len(lines)-1].Stop
}

// endFenced says what a fenced block of these lines holds.
func (l *layout) endFenced(b *codeBlock, lines []text.Segment) {
	width := 3
	for b.start+width < len(l.src) && l.src[b.start+width] == l.src[b.start] {
		width++
	}
	b.fence = l.str[b.start : b.start+width]
	afterFence := lineEnd(l.src, b.start)
	b.first, b.end = afterFence, afterFence
	if len(lines) > 0 {
		b.body = l.text(lines)
		b.first, b.end = lines[0].Start, lines[len(lines)-1].Stop
	}
	// A block that something follows was closed: by a fence, or by the end of the list or quotation that it stands in.
	b.open = b.end >= l.used
	if next := lineEnd(l.src, b.end); isClosingFence(l.src[b.end:next]) {
		b.end = next
	}
}

// openingFence is the offset of the fence on the line that holds pos, which is up to three bytes too far when the fence stands behind a
// tab.
func (l *layout) openingFence(pos int) int {
	start := lineStart(l.src, min(pos, len(l.src)))
	return start + max(0, bytes.IndexAny(l.src[start:], "`~"))
}

// text is the text of a block's lines: a part of str where the lines stand in it as they are.
func (l *layout) text(lines []text.Segment) string {
	from, to := lines[0].Start, lines[0].Start
	for _, seg := range lines {
		if seg.Start != to || seg.Padding != 0 || seg.Stop > seg.Start && l.src[seg.Stop-1] != '\n' {
			return l.joined(lines)
		}
		to = seg.Stop
	}
	return l.str[from:to]
}

func (l *layout) joined(lines []text.Segment) string {
	var out []byte
	for _, seg := range lines {
		out = append(out, seg.Value(l.src)...)
	}
	return string(out)
}

// isClosingFence reports whether a line that follows a fenced block's body is its closing fence.
func isClosingFence(line []byte) bool {
	line = bytes.TrimLeft(line, " \t>")
	return bytes.HasPrefix(line, []byte("```")) || bytes.HasPrefix(line, []byte("~~~"))
}
