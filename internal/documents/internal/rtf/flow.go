package rtf

import (
	"strings"
	"unicode"

	"github.com/gorlm/rlm/internal/documents/internal/markdown"
)

// flow is a sequence of paragraphs and tables: the document, a note, a header.
type flow struct {
	w     *markdown.Writer
	text  strings.Builder // the output, except for the document
	outer *flow

	para   []byte
	props  paragraph
	marker string // number or bullet of the paragraph
	cell   string // paragraphs of the current cell
	row    []string
	rows   [][]string
}

// paragraph is the properties that \pard resets.
type paragraph struct {
	style       int
	outline     int // outline level, from 1
	level       int // level in a list
	inTable     bool
	left, first int // indents in twentieths of a point
}

// endParagraph ends a paragraph. In a table, it becomes part of the cell.
func (f *flow) endParagraph(d *document) {
	text := string(f.para)
	f.para = f.para[:0]
	marker := f.marker
	f.marker = ""
	if f.props.inTable {
		if line := strings.TrimSpace(marker + " " + text); line != "" {
			f.cell += line + "\n"
		}
		return
	}
	f.endTable()
	if strings.TrimSpace(text) == "" {
		return
	}
	heading := f.props.outline
	if s := d.styles[f.props.style]; heading == 0 && s != nil {
		heading = s.outline
	}
	if heading > 0 {
		if marker == "-" {
			marker = ""
		}
		_ = f.w.Heading(heading, marker+" "+text)
		return
	}
	level := f.props.level
	if marker == "" {
		// A hanging number or bullet before the text, which is how older programs write lists.
		if before, rest, ok := strings.Cut(text, "\t"); ok && f.props.first < 0 && len(before) <= 8 &&
			strings.TrimSpace(before) != "" {
			marker, text = bullet(strings.TrimSpace(before)), rest
			level = min(max(f.props.left/360-1, 0), 8)
		}
	}
	if marker != "" {
		_ = f.w.Item(level, marker, text)
		return
	}
	_ = f.w.Paragraph(text)
}

// bullet returns one standard bullet for all bullets; numbers are unchanged.
func bullet(s string) string {
	if s == "" ||
		strings.ContainsFunc(s, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) && s != "o" {
		return s
	}
	return "-"
}

func (f *flow) endCell() {
	text := strings.TrimSpace(f.marker + " " + string(f.para))
	f.marker, f.para = "", f.para[:0]
	f.row = append(f.row, strings.TrimSpace(f.cell+text))
	f.cell = ""
}

func (f *flow) endRow() {
	if len(f.row) > 0 {
		f.rows = append(f.rows, f.row)
		f.row = nil
	}
}

func (f *flow) endTable() {
	if f.cell != "" {
		f.endCell()
	}
	f.endRow()
	if len(f.rows) > 0 {
		_ = f.w.Table(f.rows)
		f.rows = nil
	}
}

// push starts a separate flow.
func (d *document) push() {
	f := &flow{outer: d.flow}
	f.w = markdown.Flat(&f.text)
	d.flow = f
}

// pop ends the current flow and returns its text.
func (d *document) pop() string {
	f := d.flow
	if f.outer == nil {
		return ""
	}
	f.endParagraph(d)
	f.endTable()
	d.flow = f.outer
	return strings.TrimSpace(f.text.String())
}
