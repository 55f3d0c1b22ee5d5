package bundle

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// Rows are all rows of a table whose item contains only the first ones. They are not safe for concurrent use.
type Rows struct {
	Key  string // the key in the item's table
	Size int    // estimated memory of the rows, in bytes

	columns []Column
	rows    [][]string
	asked   Query // the query for which order was computed
	order   []int // indices of the selected rows; nil before the first query
}

// Query selects rows of a table.
type Query struct {
	Key    string `json:"key"`
	Filter string `json:"filter,omitempty"` // a text that some value of the row contains, ignoring case
	Sort   int    `json:"sort,omitempty"`   // number of a column, from 1; 0: unsorted
	Down   bool   `json:"down,omitempty"`   // descending
	Offset int    `json:"offset,omitempty"`
	Limit  int    `json:"limit,omitempty"`
}

// Page is a part of the rows that a Query selects.
type Page struct {
	Columns []Column `json:"columns"`
	Rows    [][]any  `json:"rows"`
	Total   int      `json:"total"`   // rows of the table
	Matched int      `json:"matched"` // rows that match the filter
}

// Bounds of a page. It has fewer rows than requested if they are long or wide.
const (
	mostRows = 1000
	pageRoom = 256 << 10 // bytes
)

// UnmarshalJSON keeps numbers as they are written.
func (p *Page) UnmarshalJSON(data []byte) error {
	type plain Page
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	return d.Decode((*plain)(p))
}

// Trim enforces the bounds on a page from elsewhere, and reports whether it is valid.
func (p *Page) Trim() bool {
	t := Table{Columns: p.Columns, Rows: p.Rows[:min(len(p.Rows), mostRows)]}
	p.Rows, p.Total = t.Rows, max(p.Total, 0)
	p.Matched = min(max(p.Matched, len(p.Rows)), max(p.Total, len(p.Rows)))
	return t.check()
}

func newRows(columns []Column, rows [][]string) *Rows {
	r := &Rows{columns: columns, rows: rows}
	sum := sha256.New()
	var size [8]byte
	for _, row := range rows {
		for _, cell := range row {
			binary.LittleEndian.PutUint64(size[:], uint64(len(cell)))
			sum.Write(size[:])
			sum.Write([]byte(cell))
			r.Size += len(cell) + 16
		}
		sum.Write([]byte("\n"))
	}
	r.Key = hex.EncodeToString(sum.Sum(nil)[:8])
	return r
}

// Page returns the rows for a query.
func (r *Rows) Page(q Query) Page {
	offset, limit := max(q.Offset, 0), min(max(q.Limit, 0), mostRows, mostCells/len(r.columns))
	q.Offset, q.Limit = 0, 0
	if q.Sort < 0 || q.Sort > len(r.columns) {
		q.Sort = 0
	}
	if r.order == nil || r.asked != q {
		r.asked, r.order = q, r.pick(q)
	}
	p := Page{Columns: r.columns, Rows: [][]any{}, Total: len(r.rows), Matched: len(r.order)}
	room := pageRoom
	for _, i := range r.order[min(offset, len(r.order)):min(offset+limit, len(r.order))] {
		for _, cell := range r.rows[i] {
			room -= min(len(cell), longestCell) + 8
		}
		if room < 0 && len(p.Rows) > 0 {
			break
		}
		p.Rows = append(p.Rows, cellsOf(r.columns, r.rows[i]))
	}
	return p
}

// pick returns the indices of the rows that a query selects, in its order.
func (r *Rows) pick(q Query) []int {
	order, filter := make([]int, 0, len(r.rows)), strings.ToLower(q.Filter)
	for i, row := range r.rows {
		if filter == "" || slices.ContainsFunc(
			row, func(cell string) bool { return strings.Contains(strings.ToLower(cell), filter) }) {
			order = append(order, i)
		}
	}
	if q.Sort == 0 {
		return order
	}
	column, numbers := q.Sort-1, r.columns[q.Sort-1].Type == number
	value := func(i int) string {
		if column < len(r.rows[i]) {
			return r.rows[i][column]
		}
		return ""
	}
	slices.SortStableFunc(order, func(i, j int) int {
		a, b := value(i), value(j)
		if a == "" || b == "" { // empty cells come last in either order
			return cmp.Compare(min(len(b), 1), min(len(a), 1))
		}
		if q.Down {
			a, b = b, a
		}
		if numbers {
			x, _ := strconv.ParseFloat(a, 64) // fails for none: the column has only numbers
			y, _ := strconv.ParseFloat(b, 64)
			return cmp.Compare(x, y)
		}
		return natural(strings.ToLower(a), strings.ToLower(b))
	})
	return order
}

// natural compares texts by letters, and numbers in them by value: "row 9" comes before "row 10".
func natural(a, b string) int {
	for a != "" && b != "" {
		x, y := digits(a), digits(b)
		if x == "" || y == "" {
			if a[0] != b[0] {
				return cmp.Compare(a[0], b[0])
			}
			a, b = a[1:], b[1:]
			continue
		}
		n, m := strings.TrimLeft(x, "0"), strings.TrimLeft(y, "0")
		if c := cmp.Or(cmp.Compare(len(n), len(m)), cmp.Compare(n, m)); c != 0 {
			return c
		}
		a, b = a[len(x):], b[len(y):]
	}
	return cmp.Compare(len(a), len(b))
}

// digits returns the digits at the beginning of a text.
func digits(s string) string {
	return s[:len(s)-len(strings.TrimLeft(s, "0123456789"))]
}
