package likeness

import (
	"regexp"
	"slices"
	"strings"
)

// Gap separates the columns of a layout.
var Gap = regexp.MustCompile(`[ \t]{2,}|\f`)

// rightToLeft is what pdftotext writes before a cell of a right-to-left page; it starts with the leftmost cell.
const rightToLeft = "\u202B"

// Rows returns the numbers of each table row in a layout, which is a line of at least three columns with at least
// two numbers.
func Rows(layout string) [][]string { return rows(layout, 0) }

// PureRows returns the rows in which at least two columns hold just a number, unlike running text in two columns.
func PureRows(layout string) [][]string { return rows(layout, 2) }

func rows(layout string, pure int) [][]string {
	var rows [][]string
	for line := range strings.Lines(layout) {
		cells := Gap.Split(strings.TrimSpace(line), -1)
		if len(cells) < 3 {
			continue
		}
		var numbers []string
		alone := 0
		for _, cell := range cells {
			words := Words(cell)
			in := Numbers(words)
			if len(words) <= 4 {
				numbers = append(numbers, in...)
			}
			if len(words) == 1 && len(in) == 1 {
				alone++
			}
		}
		if strings.Contains(line, rightToLeft) {
			slices.Reverse(numbers)
		}
		if len(numbers) >= 2 && alone >= pure {
			rows = append(rows, numbers)
		}
	}
	return rows
}

// Numbers returns the words that are numbers, as in tables.
func Numbers(words []string) []string {
	var numbers []string
	for _, w := range words {
		if strings.Trim(w, "0123456789.,-") == "" && strings.ContainsAny(w, "0123456789") {
			numbers = append(numbers, w)
		}
	}
	return numbers
}

// Lines has the numbers of each line of a text, indexed by number.
type Lines struct {
	numbers [][]string
	with    map[string][]int
}

// NewLines returns an empty Lines.
func NewLines() *Lines { return &Lines{with: map[string][]int{}} }

// LinesOf returns the lines of a text.
func LinesOf(text string) *Lines {
	lines := NewLines()
	for line := range strings.Lines(text) {
		lines.Add(Words(line))
	}
	return lines
}

// Add adds a line of these words.
func (l *Lines) Add(words []string) {
	numbers := Numbers(words)
	for _, n := range numbers {
		if at := l.with[n]; len(at) == 0 || at[len(at)-1] != len(l.numbers) {
			l.with[n] = append(at, len(l.numbers))
		}
	}
	l.numbers = append(l.numbers, numbers)
}

// Have reports whether some line has these numbers in this order.
func (l *Lines) Have(row []string) bool { return len(l.that(row)) > 0 }

// that returns the lines that have these numbers in this order.
func (l *Lines) that(row []string) [][]string {
	rarest := row[0]
	for _, n := range row {
		if len(l.with[n]) < len(l.with[rarest]) {
			rarest = n
		}
	}
	var lines [][]string
	for _, i := range l.with[rarest] {
		if line := l.numbers[i]; has(line, row) {
			lines = append(lines, line)
		}
	}
	return lines
}

func has(line, row []string) bool { return CommonSubsequence(line, row) == len(row) }

// Whole counts the rows that some line has without a neighbouring row (identical neighbours do not count), and
// returns the other rows as torn.
func (l *Lines) Whole(rows [][]string) (whole int, torn [][]string) {
	for i, row := range rows {
		neighbours := slices.Concat(rows[max(i-1, 0):i], rows[i+1:min(i+2, len(rows))])
		alone := func(line []string) bool {
			return !slices.ContainsFunc(neighbours, func(n []string) bool {
				return !slices.Equal(n, row) && len(line) >= len(row)+len(n) && has(line, n)
			})
		}
		if slices.ContainsFunc(l.that(row), alone) {
			whole++
		} else {
			torn = append(torn, row)
		}
	}
	return whole, torn
}
