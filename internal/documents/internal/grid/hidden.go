package grid

import (
	"strconv"
	"strings"

	"github.com/gorlm/rlm/internal/kit/units"
)

// Hidden returns a note that lists the numbers of hidden sheets, which are read as well; empty if there are none.
func Hidden(sheets []int) string {
	if len(sheets) == 0 {
		return ""
	}
	var list []string
	for _, n := range sheets[:min(len(sheets), 100)] {
		list = append(list, strconv.Itoa(n))
	}
	return units.Of(len(sheets), "hidden sheet") + " read as well: " + strings.Join(list, ", ")
}

// Unseen counts the rows and columns of a sheet that are hidden and have content.
type Unseen struct {
	Row bool // whether the current row is hidden

	hidden        []bool // columns that are hidden and have no content so far
	rows, columns int
	last          int // the last hidden row with content
}

// Columns records that columns are hidden. Those of earlier calls are on their left.
func (u *Unseen) Columns(first, last int) {
	for n := len(u.hidden) + 1; n <= min(last, MaxColumns); n++ {
		u.hidden = append(u.hidden, n >= first)
	}
}

// Cell records that a cell of the current row has content.
func (u *Unseen) Cell(row, col int) {
	if u.Row && row != u.last {
		u.last = row
		u.rows++
	}
	if col <= len(u.hidden) && u.hidden[col-1] {
		u.hidden[col-1] = false
		u.columns++
	}
}

// Note returns a note about the sheet with a number; empty if nothing is hidden.
func (u *Unseen) Note(sheet int) string {
	var what []string
	if u.rows > 0 {
		what = append(what, units.Of(u.rows, "hidden row"))
	}
	if u.columns > 0 {
		what = append(what, units.Of(u.columns, "hidden column"))
	}
	if len(what) == 0 {
		return ""
	}
	return strings.Join(what, " and ") + " of a sheet read as well: " + strconv.Itoa(sheet)
}
