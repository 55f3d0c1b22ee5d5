package sheets

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/gorlm/rlm/internal/documents/internal/grid"
)

// display decides how numbers of a format are written. Numbers are plain with all digits: a format hides digits of
// most averages and quotients, and separators and currency signs prevent a program from computing with them. Words
// in a format are kept.
type display struct {
	sections []section
	texts    string // the format of texts, if it adds words
}

// section is the part of a format for some of the numbers.
type section struct {
	general  bool
	percent  bool
	decimals int
	digits   int // minimum digits of the integer part
	scale    int // thousands by which the number is divided
	prefix   string
	suffix   string
	mark     string   // a percent sign or the like behind the digits
	pattern  []string // parts of an integer with signs between its digits, such as 000-00-0000
	words    bool     // the literals around the digits have a meaning
	alone    bool     // there are no digits
	unit     string   // the currency

	operator string // operator of the section's condition; empty: the section's position decides
	operand  float64

	date, clock, elapsed, fraction bool
}

// choose returns the section for a number. signs reports whether the section itself shows that the number is
// negative.
func (d *display) choose(v float64) (s *section, signs bool) {
	last := len(d.sections) - 1
	for i := range d.sections {
		s = &d.sections[i]
		switch {
		case i == last:
			return s, v < 0 && (i == 1 && s.operator == "" && d.sections[0].operator == "" || s.below())
		case s.operator != "":
			if s.meets(v) {
				return s, s.below()
			}
		case i == 0 && (v > 0 || v == 0 && last < 2), i == 1 && v < 0:
			return s, i == 1
		}
	}
	return s, false
}

// below reports whether a section is for negative numbers only.
func (s *section) below() bool {
	return s.operator == "<" && s.operand <= 0 || s.operator == "<=" && s.operand < 0
}

func (s *section) meets(v float64) bool {
	switch s.operator {
	case "<":
		return v < s.operand
	case "<=":
		return v <= s.operand
	case ">":
		return v > s.operand
	case ">=":
		return v >= s.operand
	case "<>":
		return v != s.operand
	}
	return v == s.operand
}

// text returns the text of a cell with a text.
func (d *display) text(s string) string {
	if d.texts == "" || s == "" {
		return s
	}
	return strings.ReplaceAll(d.texts, textHere, s)
}

// show returns the text of a cell with a number, and the unit of an amount of money. Invalid numbers are unchanged.
func (d *display) show(raw string, epoch1904 bool) (text, unit string) {
	if len(d.sections) == 1 && d.sections[0].plain() && whole(raw) {
		return raw, ""
	}
	v, err := strconv.ParseFloat(raw, 64)
	if err != nil || math.IsInf(v, 0) || math.IsNaN(v) {
		return raw, ""
	}
	s, signs := d.choose(v)
	switch {
	case s.date || s.clock || s.elapsed:
		if text, ok := s.moment(v, epoch1904); ok {
			return text, ""
		}
		return grid.Number(v), ""
	case s.alone:
		if says := strings.TrimSpace(s.prefix); grid.Says(says) {
			return says + " (" + grid.Number(v) + ")", ""
		}
		return grid.Number(v), s.unit
	}
	return s.number(v, signs), s.unit
}

// plain reports whether whole numbers are shown as they are stored.
func (s *section) plain() bool {
	return s.general && !s.words && s.mark == "" && s.unit == "" && !s.date && !s.clock && !s.elapsed
}

// number formats a number with the literals around it. signs reports whether these show that it is negative.
func (s *section) number(v float64, signs bool) string {
	sign := ""
	if v < 0 {
		v = -v
		if !signs || !s.words {
			sign = "-"
		}
	}
	if s.percent {
		v *= 100
	}
	if s.words {
		for range s.scale {
			v /= 1000
		}
	}
	digits := grid.Number(v)
	before, rest, _ := strings.Cut(digits, ".")
	switch {
	case strings.ContainsAny(digits, "eE"), s.general, s.pattern != nil && rest != "":
	case s.pattern != nil:
		if text, ok := fill(s.pattern, before); ok {
			return sign + s.prefix + text + s.suffix
		}
	default:
		before = strings.Repeat("0", max(s.digits-len(before), 0)) + before
		rest += strings.Repeat("0", max(s.decimals-len(rest), 0))
		if rest != "" {
			rest = "." + rest
		}
		digits = before + rest
	}
	if s.words {
		if s.percent {
			digits += s.mark
		}
		return sign + s.prefix + digits + s.suffix
	}
	return sign + digits + s.mark
}

// whole reports whether a number is shown as it is stored: an integer with few digits.
func whole(raw string) bool {
	digits := strings.TrimPrefix(raw, "-")
	if digits == "" || len(digits) > 15 || digits[0] == '0' && raw != "0" {
		return false
	}
	for i := range len(digits) {
		if digits[i] < '0' || digits[i] > '9' {
			return false
		}
	}
	return true
}

// fill inserts digits into a pattern from the right; the first position takes all remaining digits. It fails if the
// digits end before the signs between them: a hyphen in front would make the number negative.
func fill(pattern []string, digits string) (text string, ok bool) {
	for i := len(pattern) - 1; i >= 0; i-- {
		part := pattern[i]
		if !strings.ContainsAny(part, "0#?") {
			if digits == "" && !strings.Contains(strings.Join(pattern[:i], ""), "0") {
				return "", false
			}
			text = part + text
			continue
		}
		n := min(len(part), len(digits))
		if i == 0 {
			n = len(digits)
		}
		text = strings.Repeat("0", max(strings.Count(part, "0")-n, 0)) + digits[len(digits)-n:] + text
		digits = digits[:len(digits)-n]
	}
	return text, true
}

const day = 24 * time.Hour

// moment formats a date, a time of day or a duration in ISO form. Serial numbers count days from the end of 1899,
// or of 1903.
func (s *section) moment(v float64, epoch1904 bool) (string, bool) {
	if v >= 2958466 || v < 0 && !s.elapsed || v < -2958466 {
		return "", false
	}
	unit := time.Second
	if s.fraction {
		unit = time.Millisecond
	}
	days, part := math.Modf(v)
	clock := time.Duration(part * float64(day)).Round(unit)
	if s.elapsed {
		if math.Abs(v) > 100_000 {
			return "", false
		}
		return hours(time.Duration(days)*day + clock), true
	}
	if v < 1 && s.clock {
		return hours(clock), true
	}
	if !s.date && v < 366 {
		return hours(time.Duration(days)*day + clock), true
	}
	text := dateOf(int(days)+int(clock/day), epoch1904)
	if clock %= day; s.clock || clock != 0 {
		text += " " + hours(clock)
	}
	return text, true
}

// dateOf returns the date of a serial number as Excel shows it. The 1900 system includes a 0 January and, like
// Lotus 1-2-3, a 29 February 1900.
func dateOf(days int, epoch1904 bool) string {
	start := time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)
	switch {
	case epoch1904:
		start = time.Date(1904, 1, 1, 0, 0, 0, 0, time.UTC)
	case days == 0:
		return "1900-01-00"
	case days == 60:
		return "1900-02-29"
	case days < 60:
		start = start.AddDate(0, 0, 1)
	}
	return start.AddDate(0, 0, days).Format(time.DateOnly)
}

// hours formats a time of day or a duration.
func hours(t time.Duration) string {
	sign := ""
	if t < 0 {
		sign, t = "-", -t
	}
	two := func(n time.Duration) string {
		if n < 10 {
			return "0" + strconv.Itoa(int(n))
		}
		return strconv.Itoa(int(n))
	}
	text := sign + two(t/time.Hour) + ":" + two(t/time.Minute%60) + ":" + two(t/time.Second%60)
	if ms := t / time.Millisecond % 1000; ms != 0 {
		text += "." + strconv.Itoa(1000 + int(ms))[1:]
	}
	return text
}
