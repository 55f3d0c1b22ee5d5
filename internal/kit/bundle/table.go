package bundle

import (
	"encoding/json"
	"strings"
)

// Table is the tabular form of an item.
type Table struct {
	Columns []Column `json:"columns"`
	// Rows have one value for each column: a text, a number, or null for none.
	Rows [][]any `json:"rows"`
	// More is how many rows were left out at the end.
	More int `json:"more,omitempty"`
	// Key identifies the rows of an incomplete table, for requests to the notebook.
	Key string `json:"key,omitempty"`
}

// Column names a column and the type of its values: "number" or "string".
type Column struct {
	Name string `json:"name"`
	Type string `json:"type"`
}

// Bounds of a table.
const (
	mostColumns = 200
	mostCells   = 10_000
	longestCell = 2_000 // bytes
	tableRoom   = 96 << 10
	mostKey     = 64
)

// NewTable makes a table of texts. With headed, the first row names the columns. A column is numeric if all its
// values are. A long table contains only the beginning, and whole has all rows.
func NewTable(rows [][]string, headed bool) (t Table, whole *Rows, ok bool) {
	width := 0
	for _, row := range rows {
		width = max(width, len(row))
	}
	if width == 0 || width > mostColumns {
		return t, nil, false
	}
	t.Columns = make([]Column, width)
	if headed {
		for j, name := range rows[0] {
			t.Columns[j].Name = clip(name)
		}
		rows = rows[1:]
	}
	for j := range t.Columns {
		t.Columns[j].Type = typeOf(rows, j)
	}
	t.Rows = [][]any{}
	room := tableRoom
	for i, row := range rows {
		cells := cellsOf(t.Columns, row)
		for j := range cells {
			if j < len(row) {
				room -= min(len(row[j]), longestCell)
			}
			room -= 8
		}
		if room < 0 || (i+1)*width > mostCells {
			t.More = len(rows) - i
			whole = newRows(t.Columns, rows)
			t.Key = whole.Key
			break
		}
		t.Rows = append(t.Rows, cells)
	}
	return t, whole, true
}

// cellsOf returns the values of a row.
func cellsOf(columns []Column, row []string) []any {
	cells := make([]any, len(columns))
	for j, c := range columns {
		switch {
		case j >= len(row), row[j] == "" && c.Type == number:
		case c.Type == number:
			cells[j] = json.Number(row[j])
		default:
			cells[j] = clip(row[j])
		}
	}
	return cells
}

const (
	number = "number"
	words  = "string"
)

// typeOf returns the type of a column.
func typeOf(rows [][]string, j int) string {
	numbers := 0
	for _, row := range rows {
		if j >= len(row) || row[j] == "" {
			continue
		}
		if !isNumber(row[j]) {
			return words
		}
		numbers++
	}
	if numbers == 0 {
		return words
	}
	return number
}

// isNumber reports whether a text is a number in JSON, which 007 is not.
func isNumber(s string) bool {
	return len(s) < 40 && (s[0] == '-' || s[0] >= '0' && s[0] <= '9') && json.Valid([]byte(s))
}

// clip truncates a text that is too long for a table.
func clip(s string) string {
	if len(s) <= longestCell {
		return s
	}
	return strings.ToValidUTF8(s[:longestCell], "") + "…"
}

// check reports whether a table from elsewhere is valid. It corrects the key and the types of columns.
func (t *Table) check() bool {
	if t.More <= 0 || len(t.Key) > mostKey || strings.Trim(t.Key, "0123456789abcdef") != "" {
		t.Key = ""
	}
	if len(t.Columns) == 0 || len(t.Columns) > mostColumns || len(t.Rows)*len(t.Columns) > mostCells || t.More < 0 {
		return false
	}
	for i := range t.Columns {
		if c := &t.Columns[i]; c.Type != number {
			c.Type = words
		}
	}
	for _, row := range t.Rows {
		if len(row) != len(t.Columns) {
			return false
		}
		for _, v := range row {
			switch v.(type) {
			case nil, string, json.Number:
			default:
				return false
			}
		}
	}
	return true
}

// Cell returns a value of a table as text.
func Cell(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case json.Number:
		return string(v)
	}
	return ""
}
