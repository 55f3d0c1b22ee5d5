package reply

import (
	"slices"

	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// kind is what a block is.
type kind uint8

const (
	noBlock kind = iota
	aLine        // a heading or a break, which ends with its line
	aParagraph
	indentedCode
	fencedCode
	anHTMLBlock
	aQuotation
	aList
	aListItem
)

// openBlock is a block that the line which is read may go on with.
type openBlock struct {
	kind  kind
	list  listState // of a list
	html  int       // which of CommonMark's kinds of HTML blocks it is
	code  int       // where the layout has this block of code
	first int       // its lines, in segments
	count int
}

// begun says what begins at a place of a line.
type begun uint8

const (
	nothing   begun = iota
	aBlock          // a block in which no other begins on the same line
	container       // a block in which others may
	goesOn          // none, but the open paragraph goes on
)

// blockReader reads the blocks of a text into a layout. It follows goldmark's block parsers (MIT, © 2019 Yusuke Inuzuka) step by step, and
// makes no tree, which takes a quarter of a second for a reply of a hundred thousand short blocks.
type blockReader struct {
	lineReader
	to     *layout
	stack  []openBlock
	parent int // the block of stack in which new ones begin; -1 for none
	list   int // the list that parent is an item of

	width, pos int // the white space in front of what is looked at: in columns, in bytes
	at         int // pos, or -1 where nothing but white space is left

	segments []text.Segment // the lines of blocks
	fence    fenceLine      // of the fenced block that began last

	underlined  bool // the line made a heading of the paragraph above it
	itemBegins  bool // the line begins another item of an open list
	emptyAndGap bool // an empty line stands behind an empty item
	breakLooked int  // the end of the last line on which a list looked for a break
}

// readBlocks finds the blocks of src, which is l.src or a copy without what costs too much.
func (l *layout) readBlocks(src []byte) {
	r := &blockReader{lineReader: newLineReader(src), to: l}
	for r.step() {
	}
}

// step reads a line, and the empty ones in front of it if nothing is open; false at the end of the text.
func (r *blockReader) step() bool {
	if len(r.stack) > 0 {
		if !r.line() {
			return false
		}
	} else {
		r.within(-1)
		if !r.skipBlankLines() || r.open() == nothing {
			return false
		}
	}
	r.nextLine()
	return true
}

// line reads a line while blocks are open; false at the end of the text.
func (r *blockReader) line() bool {
	last := len(r.stack) - 1
	for i := range r.stack {
		if r.peek() == nil {
			r.close(0, last)
			return false
		}
		goes, children := r.goesOn(i)
		if goes && children && i == last { // a container that holds nothing
			r.within(i)
			r.open()
			return true
		}
		if goes {
			continue
		}
		r.within(i - 1)
		r.underlined = false
		result := r.open()
		if r.underlined { // the heading has taken the paragraph's place
			last--
		}
		if result != goesOn {
			r.close(i, last)
		}
		return true
	}
	return true
}

// within lets new blocks begin in block i of the stack.
func (r *blockReader) within(i int) { r.parent, r.list = i, i-1 }

// top is the kind of the block that was opened last.
func (r *blockReader) top() kind {
	if len(r.stack) == 0 {
		return noBlock
	}
	return r.stack[len(r.stack)-1].kind
}

// goesOn reports whether block i of the stack goes on with this line, and whether blocks can begin in it. A paragraph is looked at when
// nothing else begins.
func (r *blockReader) goesOn(i int) (goes, children bool) {
	switch b := &r.stack[i]; b.kind {
	case aQuotation:
		return r.quotation(), true
	case aList:
		return r.listGoesOn(&b.list), true
	case aListItem:
		return r.itemGoesOn(&r.stack[i-1].list), true
	case indentedCode:
		return r.indentedGoesOn(b), false
	case fencedCode:
		return r.fenceGoesOn(b), false
	case anHTMLBlock:
		return r.htmlGoesOn(b), false
	}
	return false, false
}

// open begins the blocks that begin here, containers with what stands in them, or goes on with the paragraph.
func (r *blockReader) open() begun {
	result, paragraph := nothing, r.top() == aParagraph
	for {
		line := r.peek()
		r.width, r.pos = util.IndentWidth(line, r.offset())
		if r.at = r.pos; r.width >= len(line) {
			r.at = -1
		}
		if line == nil || line[0] == '\n' {
			break
		}
		b, begun := r.begin(line, paragraph && result == nothing)
		if begun == nothing {
			break
		}
		result = aBlock
		if r.parent >= 0 && r.stack[r.parent].kind == aListItem {
			r.stack[r.list].list.empty = false
		}
		r.stack = append(r.stack, b)
		if begun != container {
			return result
		}
		if b.kind == aListItem {
			r.list = r.parent
		}
		r.parent = len(r.stack) - 1
	}
	if result == nothing && paragraph && !util.IsBlank(r.peek()) {
		r.append(&r.stack[len(r.stack)-1], r.rest())
		r.toLineEnd()
		return goesOn
	}
	return result
}

// begin is the block that begins here; interrupts says that it would end a paragraph, which some cannot.
func (r *blockReader) begin(line []byte, interrupts bool) (openBlock, begun) {
	if r.width > 3 {
		if interrupts {
			return openBlock{}, nothing
		}
		return r.beginIndented(line)
	}
	if r.pos < len(line) {
		if b, begun := r.beginMarked(line); begun != nothing {
			return b, begun
		}
	}
	if interrupts || util.IsBlank(line) {
		return openBlock{}, nothing
	}
	b := r.leaf(aParagraph, r.rest())
	r.toLineEnd()
	return b, aBlock
}

// beginMarked is the block that begins with the byte that stands here.
func (r *blockReader) beginMarked(line []byte) (openBlock, begun) {
	switch c := line[r.pos]; c {
	case '#':
		return r.beginHeading(line)
	case '~', '`':
		return r.beginFence(line)
	case '>':
		if r.quotation() {
			return openBlock{kind: aQuotation}, container
		}
	case '<':
		return r.beginHTML(line)
	case '-', '=', '*', '_', '+', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		if (c == '-' || c == '=') && r.underlines(line) {
			return openBlock{kind: aLine}, aBlock
		}
		if (c == '-' || c == '*' || c == '_') && isBreak(line, r.offset()) {
			r.toLineEnd()
			return openBlock{kind: aLine}, aBlock
		}
		if c != '=' && c != '_' {
			return r.beginList(line)
		}
	}
	return openBlock{}, nothing
}

// leaf is a block of the kind that holds these lines.
func (r *blockReader) leaf(k kind, lines ...text.Segment) openBlock {
	b := openBlock{kind: k, first: len(r.segments), count: len(lines)}
	r.segments = append(roomy(r.segments), lines...)
	return b
}

// append adds a line to a block, which is the one that began last.
func (r *blockReader) append(b *openBlock, line text.Segment) {
	r.segments = append(roomy(r.segments), line)
	b.count++
}

// roomy is s with twice the room if it is full: append alone would copy a long one five times.
func roomy[T any](s []T) []T {
	if len(s) == cap(s) {
		return slices.Grow(s, max(len(s), 16))
	}
	return s
}
