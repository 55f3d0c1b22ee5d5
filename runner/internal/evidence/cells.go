package evidence

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/gorlm/rlm/internal/kit/startup"
)

// rangeLine precedes the rows of a sheet, and names their first and last cell: "B3:F120 (C in EUR)".
var rangeLine = startup.Regexp(`^([A-Z]{1,4})([0-9]{1,8}):([A-Z]{1,4})([0-9]{1,8})(?: \(.*\))?$`)

// sheet tracks the rows of a sheet, which are CSV.
type sheet struct {
	row, left, right, bottom int // of the next row; row is 0 outside a sheet
	first, last              [2]int
}

// cells returns the cells of a sheet that a range of its text covers: "B5:D5", empty if there are none.
func cells(text string, from, to int) string {
	s := sheet{}
	for at := 0; at < to && at < len(text); {
		line, _, _ := strings.Cut(text[at:], "\n")
		switch m := rangeLine().FindStringSubmatch(line); {
		case s.row == 0 && m != nil:
			s.row, _ = strconv.Atoi(m[2])
			s.bottom, _ = strconv.Atoi(m[4])
			s.left, s.right = column(m[1]), column(m[3])
			at += len(line) + 1
		case s.row == 0 || line == "" && s.left != s.right:
			s.row = 0
			at += len(line) + 1
		default:
			at = s.record(text, at, from, to)
		}
	}
	switch {
	case s.first[0] == 0:
		return ""
	case s.first == s.last:
		return cellName(s.first)
	}
	return cellName(s.first) + ":" + cellName(s.last)
}

// record scans one row, and returns the offset after it.
func (s *sheet) record(text string, at, from, to int) int {
	quoted, begin, col := false, at, s.left
	for ; at < len(text); at++ {
		c := text[at]
		if c == '"' {
			quoted = !quoted
		}
		if quoted || c != ',' && c != '\n' {
			continue
		}
		s.field(col, begin < to && at > from)
		if begin, col = at+1, col+1; c == '\n' {
			break
		}
	}
	s.field(col, begin < to && at > from && at == len(text))
	if s.row++; s.row > s.bottom {
		s.row = 0
	}
	return at + 1
}

// field adds a cell, if the range of the text touches it.
func (s *sheet) field(col int, touched bool) {
	switch {
	case !touched:
	case s.first[0] == 0:
		s.first, s.last = [2]int{s.row, col}, [2]int{s.row, col}
	default:
		s.first[1], s.last = min(s.first[1], col), [2]int{s.row, max(s.last[1], col)}
	}
}

func column(letters string) (n int) {
	for _, c := range letters {
		n = 26*n + int(c-'A') + 1
	}
	return n
}

func cellName(cell [2]int) string {
	letters := ""
	for n := cell[1]; n > 0; n = (n - 1) / 26 {
		letters = string(rune('A'+(n-1)%26)) + letters
	}
	return fmt.Sprint(letters, cell[0])
}
