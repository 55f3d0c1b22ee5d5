// Package grid writes the cells of a sheet as CSV, after a line with their range: "B3:F120".
package grid

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

const (
	// maxHeld is how many bytes of a sheet are buffered until its range is known.
	maxHeld = 4 << 20
	// maxGap is how many empty rows are written in sequence; a larger gap starts a new range.
	maxGap = 20
	// maxPadded is the widest range in which all rows are padded to the same number of fields.
	maxPadded = 1000
	// maxAcross is how many empty cells are written in sequence within a row; a larger gap starts a new range.
	maxAcross = 200
)

// Range is a rectangle of cells, counted from 1. The zero Range is empty.
type Range struct{ Top, Left, Bottom, Right int }

// String formats a range: "A1:F120".
func (r Range) String() string {
	return Name(r.Top, r.Left) + ":" + Name(r.Bottom, r.Right)
}

// Empty reports whether the range has no cells.
func (r Range) Empty() bool { return r.Top == 0 }

// Add returns the smallest range that contains r and the cell.
func (r Range) Add(row, col int) Range {
	if r.Empty() {
		return Range{row, col, row, col}
	}
	return Range{min(r.Top, row), min(r.Left, col), max(r.Bottom, row), max(r.Right, col)}
}

// Holds reports whether r contains all cells of o.
func (r Range) Holds(o Range) bool {
	return o.Empty() || !r.Empty() && r.Top <= o.Top && r.Left <= o.Left && r.Bottom >= o.Bottom && r.Right >= o.Right
}

// Name returns the name of a cell: "C7".
func Name(row, col int) string {
	letters := ""
	for ; col > 0; col = (col - 1) / 26 {
		letters = string(rune('A'+(col-1)%26)) + letters
	}
	return fmt.Sprint(letters, row)
}

// Parse parses "C7" or "$C$7"; ok is false for anything else.
func Parse(name string) (row, col int, ok bool) {
	for i := 0; i < len(name); i++ {
		switch c := name[i]; {
		case c == '$':
		case c >= 'A' && c <= 'Z' && row == 0:
			col = col*26 + int(c-'A') + 1
		case c >= 'a' && c <= 'z' && row == 0:
			col = col*26 + int(c-'a') + 1
		case c >= '0' && c <= '9' && col > 0:
			row = row*10 + int(c-'0')
		default:
			return 0, 0, false
		}
		if col > MaxColumns || row > MaxRows {
			return 0, 0, false
		}
	}
	return row, col, row > 0 && col > 0
}

// Maximum size of a sheet: four times the columns and rows of Excel.
const (
	MaxColumns = 1 << 16
	MaxRows    = 1 << 22
)

// ParseRange parses "A1:F120" or "A1".
func ParseRange(s string) (Range, bool) {
	from, to, two := strings.Cut(s, ":")
	if !two {
		to = from
	}
	top, left, ok := Parse(from)
	bottom, right, ok2 := Parse(to)
	return Range{top, left, bottom, right}, ok && ok2 && top <= bottom && left <= right
}

type cell struct {
	col  int
	text string
}

type row struct {
	number int
	cells  []cell
}

// Writer writes one sheet. Cells are added row by row, from left to right; as long as the sheet is buffered, in any
// order. Empty cells are ignored.
type Writer struct {
	out    *bufio.Writer
	extent func(sofar Range) (Range, error)

	held  []row // rows buffered until the range is known
	bytes int
	used  Range // range of the cells so far
	whole Range // range that the last range line covers
	open  row
	next  int            // the row after the last one written; 0 if none is written
	units map[int]string // currency units by column
}

// New returns a Writer to out. If a sheet is too large to buffer, the Writer calls extent for its range; sofar is
// the range of the cells so far.
func New(out io.Writer, extent func(sofar Range) (Range, error)) *Writer {
	return &Writer{out: bufio.NewWriterSize(out, 64<<10), extent: extent}
}

// Empty reports whether no cell has been added.
func (w *Writer) Empty() bool { return w.used.Empty() }

// Cell adds a cell.
func (w *Writer) Cell(number, col int, text string) error {
	if text == "" {
		return nil
	}
	if number != w.open.number {
		if err := w.endRow(); err != nil {
			return err
		}
		w.open.number = number
	}
	w.open.cells = append(w.open.cells, cell{col, text})
	w.used = w.used.Add(number, col)
	w.bytes += len(text) + 48
	return nil
}

// Amount adds a cell that is an amount of money if it has a unit. The range line states the unit once for the
// column, if it is not written yet and the column has no other unit; otherwise the unit follows the amount.
func (w *Writer) Amount(number, col int, text, unit string) error {
	if unit == "" {
		return w.Cell(number, col, text)
	}
	if w.units[col] == "" && w.whole.Empty() {
		if w.units == nil {
			w.units = map[int]string{}
		}
		w.units[col] = unit
	}
	if w.units[col] != unit {
		text += " " + unit
	}
	return w.Cell(number, col, text)
}

// head returns the line before the cells of a range.
func (w *Writer) head() string {
	columns := map[string][]string{}
	for _, col := range slices.Sorted(maps.Keys(w.units)) {
		if col >= w.whole.Left && col <= w.whole.Right {
			columns[w.units[col]] = append(columns[w.units[col]], strings.TrimSuffix(Name(0, col), "0"))
		}
	}
	if len(columns) == 0 {
		return w.whole.String()
	}
	var all []string
	for _, unit := range slices.Sorted(maps.Keys(columns)) {
		all = append(all, strings.Join(columns[unit], ", ")+" in "+unit)
	}
	return fmt.Sprintf("%v (%s)", w.whole, strings.Join(all, "; "))
}

func (w *Writer) endRow() error {
	if len(w.open.cells) == 0 {
		return nil
	}
	if !w.whole.Empty() {
		err := w.write(w.open)
		w.open.cells = w.open.cells[:0]
		return err
	}
	w.held = append(w.held, w.open)
	w.open.cells = nil
	if w.bytes < maxHeld {
		return nil
	}
	whole, err := w.extent(w.used)
	if err != nil {
		return err
	}
	return w.release(whole)
}

// release writes the buffered rows.
func (w *Writer) release(whole Range) error {
	w.whole = whole.Add(w.used.Top, w.used.Left).Add(w.used.Bottom, w.used.Right)
	held := w.held
	w.held = nil
	slices.SortStableFunc(held, func(a, b row) int { return cmp.Compare(a.number, b.number) })
	for i, r := range held {
		if i+1 < len(held) && held[i+1].number == r.number {
			held[i+1].cells = append(r.cells, held[i+1].cells...)
			continue
		}
		if err := w.write(r); err != nil {
			return err
		}
	}
	return nil
}

// Close writes the rest. A sheet without cells has no text.
func (w *Writer) Close() error {
	err := w.endRow()
	if err == nil && w.whole.Empty() && !w.used.Empty() {
		err = w.release(w.used)
	}
	if err == nil {
		err = w.out.Flush()
	}
	return err
}

// write writes a row, after the empty rows before it or after a new range line.
func (w *Writer) write(r row) error {
	if byColumn := func(a, b cell) int { return cmp.Compare(a.col, b.col) }; !slices.IsSortedFunc(r.cells, byColumn) {
		slices.SortStableFunc(r.cells, byColumn)
	}
	for i := 1; i < len(r.cells); i++ {
		if r.cells[i].col-r.cells[i-1].col > maxAcross {
			return errors.Join(w.write(row{r.number, r.cells[:i]}), w.write(row{r.number, r.cells[i:]}))
		}
	}
	left, right := r.cells[0].col, r.cells[len(r.cells)-1].col
	fits := w.whole.Holds(Range{r.number, left, r.number, right})
	if w.next == 0 {
		fmt.Fprintln(w.out, w.head())
		w.next = w.whole.Top
	}
	switch {
	case left-w.whole.Left > maxAcross:
		w.whole = Range{r.number, left, r.number, right}
		fmt.Fprintf(w.out, "\n%s\n", w.head())
	case !fits, r.number < w.next, r.number > w.next+maxGap:
		w.whole = Range{r.number, min(w.whole.Left, left), max(w.whole.Bottom, r.number), max(w.whole.Right, right)}
		fmt.Fprintf(w.out, "\n%s\n", w.head())
	default:
		for ; w.next < r.number; w.next++ {
			w.commas(w.whole.Left, w.whole.Right)
			w.out.WriteByte('\n')
		}
	}
	w.next = r.number + 1
	at := w.whole.Left
	for _, c := range r.cells {
		if c.col < at {
			continue // the same cell twice
		}
		for ; at < c.col; at++ {
			w.out.WriteByte(',')
		}
		w.field(c.text)
	}
	w.commas(at, w.whole.Right)
	return w.out.WriteByte('\n') // a bufio.Writer returns its first error again
}

func (w *Writer) commas(from, to int) {
	if w.whole.Right-w.whole.Left >= maxPadded {
		return
	}
	for ; from < to; from++ {
		w.out.WriteByte(',')
	}
}

// field quotes like encoding/csv, which would need a slice of mostly empty strings for each row.
func (w *Writer) field(s string) {
	if !quotes(s) {
		w.out.WriteString(s)
		return
	}
	w.out.WriteByte('"')
	w.out.WriteString(strings.ReplaceAll(s, `"`, `""`))
	w.out.WriteByte('"')
}

// quotes reports whether a field needs quotes.
func quotes(s string) bool {
	for i := range len(s) {
		if c := s[i]; c <= ',' && (c == ',' || c == '"' || c == '\r' || c == '\n') {
			return true
		}
	}
	return s[0] == ' ' || s[0] == '\t' || s == `\.`
}
