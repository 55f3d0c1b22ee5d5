package html

import (
	"bytes"
	"strings"
)

const (
	maxColumns = 500
	toTheEnd   = 1 << 30 // rows; the span of a cell that extends to the last row
	// maxTable is how many bytes of a table are buffered to determine its kind; a larger one is data and is written
	// row by row.
	maxTable = 1 << 20
	// maxNested limits nested tables; deeper ones are read as text.
	maxNested = 16
)

// cell is a field of a table with its spans.
type cell struct {
	text       string
	header     bool
	cols, rows int
}

// table buffers rows until it is known whether they are data or only the layout of a page, as in mails and old
// pages.
type table struct {
	outer   *flow // the output of the table
	rows    [][]cell
	size    int
	open    bool // a cell is open
	cell    cell
	body    bytes.Buffer
	flow    *flow
	blocks  bool // a cell contains headings, code or a table
	lists   bool // a cell contains a list
	layout  bool // the page declares it as layout
	hasRow  bool
	written bool // some rows are already written
	columns int
	spans   []rowSpan // parts of cells that extend into later rows, by column
}

// rowSpan is the part of a cell in the rows below it.
type rowSpan struct {
	rows int
	text string
}

func (t *table) beginRow() {
	t.endCell()
	t.rows = append(t.rows, nil)
	t.hasRow = true
}

func (t *table) beginCell(header bool, cols, rows int) {
	t.endCell()
	if !t.hasRow {
		t.beginRow()
	}
	if rows == 0 {
		rows = toTheEnd
	}
	t.open = true
	t.cell = cell{header: header, cols: min(max(cols, 1), maxColumns), rows: max(rows, 1)}
	t.body.Reset()
	t.flow = &flow{out: &t.body}
}

func (t *table) endCell() {
	if !t.open {
		return
	}
	t.open = false
	t.flow.flush()
	t.cell.text = t.body.String()
	t.size += len(t.cell.text) + 16
	t.flow = nil
	if n := len(t.rows); n > 0 && len(t.rows[n-1]) < maxColumns {
		t.rows[n-1] = append(t.rows[n-1], t.cell)
	} else {
		t.outer.block(1)
		t.outer.text(t.cell.text)
	}
}

// endRow ends a row, and writes the buffered rows of a large table.
func (t *table) endRow() {
	t.endCell()
	t.hasRow = false
	if t.size > maxTable {
		t.writeRows()
		t.rows, t.size = nil, 0
	}
}

// end writes the table.
func (t *table) end() {
	t.endCell()
	if !t.written && t.isLayout() {
		for _, row := range t.rows {
			for _, c := range row {
				t.outer.block(2)
				if c.text != "" {
					t.outer.verbatim(c.text)
				}
			}
		}
	} else {
		t.writeRows()
	}
	t.outer.block(2)
}

func (t *table) isLayout() bool {
	widest, header := 0, false // widest: non-empty cells of a row
	for _, row := range t.rows {
		filled := 0
		for _, c := range row {
			header = header || c.header
			if strings.TrimSpace(c.text) != "" {
				filled++
			}
		}
		widest = max(widest, filled)
	}
	if header {
		return t.layout || t.blocks
	}
	// Lists in a single row are side by side, as in an index; in several rows they are fields.
	return t.layout || t.blocks || widest <= 1 || t.lists && len(t.rows) == 1
}

// width returns the number of columns. It ignores the span of a last cell that exceeds the other rows, as in
// titles.
func (t *table) width() int {
	width := 0
	for _, row := range t.rows {
		at := 0
		for i, c := range row {
			if i == len(row)-1 {
				at++
			} else {
				at += c.cols
			}
		}
		width = max(width, at)
	}
	return min(width, maxColumns)
}

func (t *table) writeRows() {
	t.columns = max(t.columns, t.width())
	for _, row := range t.rows {
		if len(row) == 0 && len(t.spans) == 0 {
			continue
		}
		fields := t.fields(row)
		first := !t.written
		if first {
			t.outer.block(2)
		}
		for len(fields) < t.columns {
			fields = append(fields, "")
		}
		if first {
			t.columns = len(fields)
			t.written = true
		}
		rule, text := "|"+strings.Repeat(" --- |", len(fields)), "| "+strings.Join(fields, " | ")+" |"
		lines := []string{text}
		switch {
		case first && isData(row): // a Markdown table needs a header
			lines = []string{"|" + strings.Repeat("  |", len(fields)), rule, text}
		case first:
			lines = []string{text, rule}
		}
		for _, line := range lines {
			t.outer.block(1)
			t.outer.verbatim(line)
		}
	}
}

// isData reports whether a row is data, not a header: no cell is a th, and some cell is a number.
func isData(row []cell) bool {
	for _, c := range row {
		if c.header {
			return false
		}
	}
	for _, c := range row {
		if s := strings.TrimSpace(c.text); s != "" && strings.Trim(s, "0123456789.,-+%€$£ ") == "" {
			return true
		}
	}
	return false
}

// fields distributes the cells of a row over the columns. A heading with a span is repeated in each of its columns
// and rows, so that every row can be read alone; data is not repeated.
func (t *table) fields(row []cell) []string {
	var fields []string
	inherit := func() {
		for len(fields) < len(t.spans) && t.spans[len(fields)].rows > 0 {
			s := &t.spans[len(fields)]
			s.rows--
			fields = append(fields, s.text)
		}
	}
	for _, c := range row {
		inherit()
		text := strings.ReplaceAll(strings.Join(strings.Fields(c.text), " "), "|", `\|`)
		for i := 0; i < c.cols && (i == 0 || len(fields) < t.columns); i++ {
			repeated := ""
			if i == 0 || c.header {
				repeated = text
			}
			if c.rows > 1 && len(fields) < maxColumns {
				for len(t.spans) <= len(fields) {
					t.spans = append(t.spans, rowSpan{})
				}
				below := ""
				if c.header {
					below = repeated
				}
				t.spans[len(fields)] = rowSpan{c.rows - 1, below}
			}
			fields = append(fields, repeated)
		}
	}
	inherit()
	return fields
}
