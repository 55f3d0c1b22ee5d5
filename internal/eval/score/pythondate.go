package score

import (
	"strings"
	"time"
	"unicode"
)

// pythonDate parses a text that is a whole date, as dateutil.parser.parse does. A date that dateutil completes
// from today's does not count, since it is right on that day only.
func pythonDate(text string) (time.Time, bool) {
	var d dateParts
	words := dateWords(text)
	for i, w := range words {
		if !d.take(words, i, w) {
			return time.Time{}, false
		}
	}
	return d.resolve()
}

// dateWords splits a text into runs of letters, runs of digits, and single other characters. A point or a comma in
// a number belongs to it, unless there are several points.
func dateWords(text string) []string {
	var out []string
	runes := []rune(text)
	for i := 0; i < len(runes); {
		j := i + 1
		switch {
		case unicode.IsLetter(runes[i]):
			for j < len(runes) && unicode.IsLetter(runes[j]) {
				j++
			}
		case digit(runes[i]):
			for j < len(runes) && (digit(runes[j]) || inNumber(runes, i, j)) {
				j++
			}
			if number := string(runes[i:j]); strings.Count(number, ".") > 1 {
				for k, part := range strings.Split(number, ".") {
					if k > 0 {
						out = append(out, ".")
					}
					out = append(out, part)
				}
				i = j
				continue
			}
		}
		out = append(out, string(runes[i:j]))
		i = j
	}
	return out
}

func digit(r rune) bool { return r >= '0' && r <= '9' }

// inNumber reports whether the character at j belongs to the number that begins at i: a point, or a comma after
// two digits, before a digit.
func inNumber(runes []rune, i, j int) bool {
	return (runes[j] == '.' || runes[j] == ',' && j-i >= 2) && j+1 < len(runes) && digit(runes[j+1])
}

// dateParts are the numbers and the month of a date, in order.
type dateParts struct {
	values   []int
	year     int  // position of a value that can only be a year, plus 1; 0: none
	month    int  // position of a named month, plus 1; 0: none
	midnight bool // "0h" was read
}

// take reads one word of a date; false if dateutil does not know it.
func (d *dateParts) take(words []string, i int, w string) bool {
	if digit(rune(w[0])) {
		return d.number(words, i, w)
	}
	lower := strings.ToLower(w)
	if strings.TrimFunc(w, unicode.IsSpace) == "" ||
		strings.Contains(" . , ; - / ' at on and ad m t of st nd rd th ", " "+lower+" ") {
		return true
	}
	if weekdays[lower] || lower == "h" && d.midnight {
		return true
	}
	if m := months[lower]; m > 0 && d.month == 0 {
		d.values = append(d.values, m)
		d.month = len(d.values)
		return true
	}
	return false
}

func (d *dateParts) number(words []string, i int, w string) bool {
	if strings.ContainsAny(w, ".,") {
		return false
	}
	n := 0
	for _, r := range w {
		if n = 10*n + int(r-'0'); n > 1e14 {
			return false
		}
	}
	next := func(k int) string {
		if i+k < len(words) {
			return strings.ToLower(words[i+k])
		}
		return ""
	}
	switch {
	case next(1) == "h":
		d.midnight = n == 0 // any other time is another moment
		return d.midnight
	case len(w) == 2 && n == 0 && i > 0 && strings.EqualFold(words[i-1], "t") && len(d.values) == 3:
		return true // the 00 in T00: midnight
	case (len(w) == 8 || len(w) == 12 || len(w) == 14) && len(d.values) == 0:
		for range (len(w) - 8) / 2 {
			if n%100 != 0 {
				return false // a time other than midnight is another moment
			}
			n /= 100
		}
		d.values, d.year = append(d.values, n/10000, n/100%100, n%100), 1
	case len(w) == 6 && len(d.values) == 0:
		d.values = append(d.values, n/10000, n/100%100, n%100)
	default:
		d.values = append(d.values, n)
		if (len(w) > 2 || n > 100) && d.year == 0 {
			d.year = len(d.values)
		}
	}
	return true
}

// resolve assigns the numbers. If several ways are possible, the month comes first.
func (d dateParts) resolve() (time.Time, bool) {
	if len(d.values) != 3 {
		return time.Time{}, false
	}
	v := d.values
	year, month, day := v[0], v[1], v[2]
	switch {
	case d.year > 0 && d.month > 0:
		year, month, day = v[d.year-1], v[d.month-1], v[6-d.year-d.month-1]
	case d.month == 1 && v[1] > 31:
		month, year, day = v[0], v[1], v[2]
	case d.month == 1:
		month, day, year = v[0], v[1], v[2]
	case d.month == 2 && v[0] > 31:
	case d.month == 2:
		day, month, year = v[0], v[1], v[2]
	case d.month == 3 && v[1] > 31:
		day, year, month = v[0], v[1], v[2]
	case d.month == 3:
		year, day, month = v[0], v[1], v[2]
	case v[0] > 31 || d.year == 1:
	case v[0] > 12:
		day, month, year = v[0], v[1], v[2]
	default:
		month, day, year = v[0], v[1], v[2]
	}
	if year < 100 && d.year == 0 {
		year += 2000
		if year > time.Now().Year()+50 {
			year -= 100
		}
	}
	t := time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
	return t, t.Year() == year && int(t.Month()) == month && t.Day() == day
}

// months and weekdays hold full names and three-letter abbreviations.
var months, weekdays = func() (map[string]int, map[string]bool) {
	m, w := map[string]int{"sept": 9}, map[string]bool{}
	for i := time.January; i <= time.December; i++ {
		name := strings.ToLower(i.String())
		m[name], m[name[:3]] = int(i), int(i)
	}
	for i := time.Sunday; i <= time.Saturday; i++ {
		name := strings.ToLower(i.String())
		w[name], w[name[:3]] = true, true
	}
	return m, w
}()
