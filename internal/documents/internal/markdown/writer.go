// Package markdown writes documents as Markdown for people: headings, paragraphs, lists with the document's own
// numbers, tables, notes. Text is read, not rendered, so it is escaped only in table cells.
package markdown

import (
	"errors"
	"io"
	"strings"
	"unicode"

	"github.com/gorlm/rlm/internal/documents/format"
)

// Writer writes blocks one after another. Its first error is permanent.
type Writer struct {
	w     io.Writer
	flat  bool // blocks become plain lines: the content of a cell or a note
	begun bool
	list  bool // the previous block is a list item
	lines bool // the previous block is a program
	blank int  // empty lines after it
	err   error
}

// New returns a Writer to w, with an empty line between blocks.
func New(w io.Writer) *Writer { return &Writer{w: w} }

// Slide begins the part of a slide with its title and the Markdown of its shapes; notes may follow.
func Slide(out format.Output, number int, hidden bool, title, body string) (*Writer, error) {
	title = strings.Join(strings.Fields(title), " ")
	err := out.Begin(format.Part{Kind: format.Slide, Number: number, Name: format.Shown(title, hidden)})
	if err != nil {
		return nil, err
	}
	w := New(out)
	return w, errors.Join(w.Heading(1, title), w.Raw(body))
}

// Flat returns a Writer that writes each block as lines without Markdown markers, for the content of a cell or a
// note.
func Flat(w io.Writer) *Writer { return &Writer{w: w, flat: true} }

// Err returns the first error.
func (m *Writer) Err() error { return m.err }

func (m *Writer) block(text string, list bool) error {
	if m.err != nil {
		return m.err
	}
	switch {
	case !m.begun:
	case m.flat || m.list && list:
		text = "\n" + text
	default:
		text = "\n\n" + text
	}
	m.begun, m.list, m.lines = true, list, false
	_, m.err = io.WriteString(m.w, text)
	return m.err
}

// End ends the last line.
func (m *Writer) End() error {
	if m.begun && m.err == nil && !m.flat {
		_, m.err = io.WriteString(m.w, "\n")
	}
	m.begun = false
	return m.err
}

// Heading writes a heading; level counts from 1. An empty heading is omitted.
func (m *Writer) Heading(level int, text string) error {
	text = strings.Join(strings.Fields(text), " ")
	if text == "" {
		return m.err
	}
	if m.flat {
		return m.block(text, false)
	}
	return m.block(strings.Repeat("#", min(max(level, 1), 6))+" "+text, false)
}

// Paragraph writes a paragraph; an empty one is omitted. Lines after the first keep their indentation, because they
// may be a program.
func (m *Writer) Paragraph(text string) error {
	lines := strings.Split(strings.Trim(text, "\n"), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRightFunc(line, unicode.IsSpace)
	}
	text = strings.TrimSpace(strings.Join(lines, "\n"))
	if text == "" {
		return m.err
	}
	return m.block(text, false)
}

// Once writes a text that pages repeat, such as a header, unless shown has it already.
func (m *Writer) Once(shown map[string]bool, label, text string) error {
	if text = strings.TrimSpace(text); text == "" || shown[text] {
		return m.err
	}
	shown[text] = true
	return m.Paragraph(label + text)
}

// Program writes a line of a program with its indentation. Consecutive lines form one block.
func (m *Writer) Program(line string) error {
	line = strings.TrimRightFunc(line, unicode.IsSpace)
	switch {
	case m.err != nil:
	case line == "":
		m.blank++
	case m.lines:
		_, m.err = io.WriteString(m.w, strings.Repeat("\n", m.blank+1)+line)
		m.blank = 0
	default:
		m.err = m.block(line, false)
		m.lines, m.blank = true, 0
	}
	return m.err
}

// Item writes a list item with its visible number or bullet; depth counts from 0. Further lines of the text are
// indented.
func (m *Writer) Item(depth int, marker, text string) error {
	text = trimLines(text)
	if text == "" {
		return m.err
	}
	// Three columns are enough to nest below "- " and below "1. ".
	indent := strings.Repeat("   ", min(max(depth, 0), 12))
	if marker != "" {
		marker += " "
	}
	text = strings.ReplaceAll(text, "\n", "\n"+indent+strings.Repeat(" ", len([]rune(marker))))
	return m.block(indent+marker+text, true)
}

// Raw writes a block that is already Markdown.
func (m *Writer) Raw(text string) error {
	text = strings.Trim(text, "\n")
	if text == "" {
		return m.err
	}
	return m.block(text, false)
}

// Note writes a footnote, an endnote or a comment: "[^1]: …".
func (m *Writer) Note(label, text string) error {
	text = trimLines(text)
	if text == "" {
		return m.err
	}
	return m.block("[^"+label+"]: "+strings.ReplaceAll(text, "\n", "\n    "), false)
}

// Table writes rows of cells; the first row is the header. Empty columns and rows are omitted, and a table with a
// single cell is written as text.
func (m *Writer) Table(rows [][]string) error {
	rows = trimTable(rows)
	switch {
	case len(rows) == 0:
		return m.err
	case m.flat:
		for _, row := range rows {
			if err := m.block(strings.Join(row, " | "), false); err != nil {
				return err
			}
		}
		return m.err
	case len(rows) == 1 && len(rows[0]) == 1:
		for _, line := range strings.Split(rows[0][0], "\n") {
			if err := m.Paragraph(line); err != nil {
				return err
			}
		}
		return m.err
	}
	for i, row := range rows {
		var b strings.Builder
		for _, cell := range row {
			b.WriteString("| ")
			b.WriteString(escape.Replace(cell))
			b.WriteByte(' ')
		}
		b.WriteString("|")
		if i == 0 {
			b.WriteString("\n" + strings.Repeat("| --- ", len(row)) + "|")
		}
		if err := m.block(b.String(), i > 0); err != nil {
			return err
		}
		m.list = true // the next row follows without an empty line
	}
	m.list = false
	return m.err
}

var escape = strings.NewReplacer("|", `\|`, "\n", "<br>", "\t", " ")

// trimTable pads all rows to the same length and removes empty columns and rows. A single row with very many cells
// does not extend the others.
func trimTable(rows [][]string) [][]string {
	var used []bool
	cells := 0
	for _, row := range rows {
		cells += len(row)
		for i := range row {
			row[i] = trimLines(row[i])
			for len(used) <= i {
				used = append(used, false)
			}
			used[i] = used[i] || row[i] != ""
		}
	}
	ragged := len(rows)*len(used) > 10_000+16*cells
	var trimmed [][]string
	for _, row := range rows {
		var cells []string
		empty := true
		for i, use := range used {
			if ragged && i >= len(row) {
				break
			}
			if !use {
				continue
			}
			cell := ""
			if i < len(row) {
				cell = row[i]
			}
			cells = append(cells, cell)
			empty = empty && cell == ""
		}
		if !empty {
			trimmed = append(trimmed, cells)
		}
	}
	return trimmed
}

// trimLines trims each line and the whole text.
func trimLines(text string) string {
	if !strings.Contains(text, "\n") {
		return strings.TrimSpace(text)
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimSpace(line)
	}
	return strings.Trim(strings.Join(lines, "\n"), "\n")
}

// Fence returns a program between marks that do not occur in it.
func Fence(program, language string) string {
	mark := "```"
	for strings.Contains(program, mark) && len(mark) < 12 {
		mark += "`"
	}
	if program != "" && !strings.HasSuffix(program, "\n") {
		program += "\n"
	}
	return mark + language + "\n" + program + mark
}

// Link returns a link, or only the text if it equals the address or the address is inside the document.
func Link(text, url string) string {
	url = strings.TrimSpace(url)
	trimmed := strings.TrimSpace(text)
	if trimmed == "" || url == "" || strings.HasPrefix(url, "#") || trimmed == url || "mailto:"+trimmed == url {
		return text
	}
	if strings.ContainsAny(url, " \n\t()<>") {
		url = "<" + strings.NewReplacer("\n", "", "<", "%3C", ">", "%3E").Replace(url) + ">"
	}
	before := text[:strings.Index(text, trimmed)]
	return before + "[" + trimmed + "](" + url + ")" + text[len(before)+len(trimmed):]
}
