package reply

import (
	"bytes"

	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// close ends the blocks from to last, which others that began on this line may follow.
func (r *blockReader) close(from, last int) {
	for i := last; i >= from; i-- {
		r.end(i)
	}
	r.stack = append(r.stack[:from], r.stack[max(from, last+1):]...)
}

// end puts block i of the stack, which ends, into the layout.
func (r *blockReader) end(i int) {
	b := &r.stack[i]
	lines := r.segments[b.first : b.first+b.count : b.first+b.count]
	switch b.kind {
	case indentedCode:
		for util.IsBlank(lines[len(lines)-1].Value(r.src)) {
			lines = lines[:len(lines)-1]
		}
		r.to.endIndented(&r.to.blocks[b.code], lines)
	case fencedCode:
		r.to.endFenced(&r.to.blocks[b.code], lines)
	case aParagraph:
		for i := range lines {
			lines[i] = lines[i].TrimLeftSpace(r.src)
		}
		lines[len(lines)-1] = lines[len(lines)-1].TrimRightSpace(r.src)
		r.text(i, lines)
	case aLine, anHTMLBlock:
		r.text(i, lines)
	}
}

// text adds a block of text, block i of the stack, to the layout.
func (r *blockReader) text(i int, lines []text.Segment) {
	if len(lines) == 0 {
		return
	}
	lf := leaf{lines: lines, start: lines[0].Start, end: lines[len(lines)-1].Stop}
	if b := r.stack[i]; b.kind == anHTMLBlock {
		lf.html, lf.hidden = true, b.html < 6
	}
	for _, in := range r.stack[:i] {
		lf.quoted = lf.quoted || in.kind == aQuotation
		lf.listed = lf.listed || in.kind == aListItem
	}
	r.to.leaves = append(roomy(r.to.leaves), lf)
}

// quotation takes the marker of a quotation; false if none stands here.
func (r *blockReader) quotation() bool {
	line := r.peek()
	width, pos := util.IndentWidth(line, r.offset())
	if width > 3 || pos >= len(line) || line[pos] != '>' {
		return false
	}
	pos++
	r.advance(pos)
	if pos < len(line) && (line[pos] == ' ' || line[pos] == '\t') {
		pad := 0
		if line[pos] == '\t' {
			pad = util.TabWidth(r.offset()) - 1
		}
		r.advanceAndPad(1, pad)
	}
	return true
}

// underlines reports whether the line makes a heading of the paragraph above it, which then ends.
func (r *blockReader) underlines(line []byte) bool {
	last := len(r.stack) - 1
	if r.top() != aParagraph || r.parent != last-1 || underline(line) == 0 {
		return false
	}
	r.end(last)
	r.stack = r.stack[:last]
	r.underlined = true
	return true
}

// underline is the byte that the line under a heading is made of; 0 if it is none.
func underline(line []byte) byte {
	bar := bytes.TrimLeft(line, " ")
	if len(line)-len(bar) > 3 || len(bar) == 0 || bar[0] != '=' && bar[0] != '-' {
		return 0
	}
	c := bar[0]
	for len(bar) > 0 && bar[0] == c {
		bar = bar[1:]
	}
	if !util.IsBlank(bar) {
		return 0
	}
	return c
}

// isBreak reports whether a line is a thematic break: three of a kind and white space.
func isBreak(line []byte, column int) bool {
	width, pos := util.IndentWidth(line, column)
	if width > 3 {
		return false
	}
	mark, count := byte(0), 0
	for _, c := range line[pos:] {
		if util.IsSpace(c) {
			continue
		}
		if mark == 0 {
			mark = c
		}
		if c != mark || c != '*' && c != '-' && c != '_' {
			return false
		}
		count++
	}
	return count > 2
}

// beginHeading begins a heading that is marked by number signs.
func (r *blockReader) beginHeading(line []byte) (openBlock, begun) {
	if r.at < 0 {
		return openBlock{}, nothing
	}
	i := r.at
	for i < len(line) && line[i] == '#' {
		i++
	}
	if i-r.at > 6 {
		return openBlock{}, nothing
	}
	if i == len(line) {
		return openBlock{kind: aLine}, aBlock
	}
	space := util.TrimLeftSpaceLength(line[i:])
	if space == 0 {
		return openBlock{}, nothing
	}
	start := r.start - r.pad + min(i+space, len(line)-1)
	seg := text.NewSegment(start, r.start-r.pad+len(line))
	seg = seg.TrimRightSpace(r.src)
	r.toLineEnd()
	stop := withoutClosing(r.src[seg.Start:seg.Stop])
	if stop == 0 {
		return openBlock{kind: aLine}, aBlock
	}
	return r.leaf(aLine, text.NewSegment(seg.Start, seg.Start+stop)), aBlock
}

// withoutClosing is the length of a heading without the number signs that close it.
func withoutClosing(heading []byte) int {
	i := len(heading) - 1
	for i > 0 && heading[i] == '#' {
		i--
	}
	switch {
	case len(heading) == 0 || i == 0 && heading[0] == '#':
		return 0
	case i != len(heading)-1 && util.IsSpace(heading[i]):
		return i - util.TrimRightSpaceLength(heading[:i])
	}
	return len(heading)
}
