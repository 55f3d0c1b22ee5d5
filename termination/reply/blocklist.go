package reply

import (
	"strconv"

	"github.com/yuin/goldmark/util"
)

// listState is what a list knows of itself.
type listState struct {
	marker  byte
	ordered bool
	empty   bool // whether its last item holds nothing yet
	indent  int  // of the text of its last item
}

// item is the marker of a list's item at the start of a line.
type item struct {
	found       bool
	ordered     bool
	indent, end int // where it begins and ends
	blank       bool
}

// itemAt finds the marker that a line begins with.
func itemAt(line []byte) item {
	m := item{}
	for m.indent < len(line) && line[m.indent] == ' ' {
		m.indent++
	}
	if m.indent > 3 || m.indent == len(line) {
		return item{}
	}
	i := m.indent
	switch c := line[i]; {
	case c == '-' || c == '*' || c == '+':
		i++
	case util.IsNumeric(c):
		for i < len(line) && util.IsNumeric(line[i]) {
			i++
		}
		if i-m.indent > 9 || i == len(line) || line[i] != '.' && line[i] != ')' {
			return item{}
		}
		i++
		m.ordered = true
	default:
		return item{}
	}
	if i < len(line) && line[i] != '\n' && line[i] != ' ' && line[i] != '\t' {
		return item{}
	}
	m.found, m.end, m.blank = true, i, util.IsBlank(line[i:])
	return m
}

// number is what an ordered item begins with.
func (m item) number(line []byte) int {
	n, _ := strconv.Atoi(string(line[m.indent : m.end-1]))
	return n
}

// beginList begins a list, or another item of the list in which blocks begin.
func (r *blockReader) beginList(line []byte) (openBlock, begun) {
	if r.top() == aList || r.itemBegins {
		r.itemBegins = false
		return r.beginItem(line)
	}
	m := itemAt(line)
	if !m.found {
		return r.beginItem(line)
	}
	if r.top() == aParagraph && r.parent == len(r.stack)-2 && (m.blank || m.ordered && m.number(line) != 1) {
		return r.beginItem(line) // it cannot end a paragraph
	}
	r.emptyAndGap = false
	return openBlock{kind: aList, list: listState{marker: line[m.end-1], ordered: m.ordered, empty: true}}, container
}

func (r *blockReader) beginItem(line []byte) (openBlock, begun) {
	if r.parent < 0 || r.stack[r.parent].kind != aList {
		return openBlock{}, nothing
	}
	list := &r.stack[r.parent].list
	m := itemAt(line)
	if !m.found || m.indent-list.indent > 3 {
		return openBlock{}, nothing
	}
	r.emptyAndGap = false
	indent := 1
	if !m.blank {
		if indent, _ = util.IndentWidth(line[m.end:], m.end); indent > 4 { // code in the item
			indent = 1
		}
	}
	list.indent, list.empty = m.end+indent, true
	if m.blank {
		return openBlock{kind: aListItem}, aBlock
	}
	pos, pad := util.IndentPosition(line[m.end:], m.end, indent)
	r.advanceAndPad(m.end+pos, pad)
	return openBlock{kind: aListItem}, container
}

func (r *blockReader) listGoesOn(list *listState) bool {
	line := r.peek()
	if util.IsBlank(line) {
		r.emptyAndGap = r.emptyAndGap || list.empty
		return true
	}
	indent, _ := util.IndentWidth(line, r.offset())
	if indent < list.indent || list.empty {
		if m := itemAt(line); indent < 4 && m.found && m.indent-list.indent < 4 {
			return list.marker == line[m.end-1] && list.ordered == m.ordered && !r.breaksList(line[m.end-1:])
		}
		if !list.empty || indent < list.indent {
			return false
		}
	}
	return !r.emptyAndGap // items with text do not follow an empty one with an empty line behind it
}

// breaksList reports whether what looks like an item is a thematic break.
func (r *blockReader) breaksList(line []byte) bool {
	if r.stop <= r.breakLooked {
		return false
	}
	r.breakLooked = r.stop
	return isBreak(line, 0) && !(r.top() == aParagraph && underline(line) == '-')
}

func (r *blockReader) itemGoesOn(list *listState) bool {
	line := r.peek()
	if util.IsBlank(line) {
		r.toLineEnd()
		return true
	}
	empty := list.empty && r.emptyAndGap
	indent, _ := util.IndentWidth(line, r.offset())
	if (empty || indent < list.indent) && indent < 4 {
		if itemAt(line).found {
			r.itemBegins = true
			return false
		}
		if !empty {
			return false
		}
	}
	pos, pad := util.IndentPosition(line, r.offset(), list.indent)
	r.advanceAndPad(max(pos, 0), pad)
	return true
}
