package sheets

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/xuri/nfp"

	"github.com/gorlm/rlm/internal/documents/internal/grid"
)

// display is how a number format shows numbers, as far as that loses nothing: a format hides digits of most averages and quotients.
type display struct {
	general  bool
	percent  bool
	grouped  bool
	decimals int
	digits   int // of the integer part at least
	scale    int // powers of 1000 that are left out
	prefix   string
	suffix   string
	pattern  []string // of an integer with signs between its digits, such as 000-00-0000

	date, clock, elapsed, fraction bool
}

// maxFormat is the longest code of a format that Excel takes.
const maxFormat = 255

// parseFormat reads the code of a number format. Its first section is for all numbers: a negative one gets its sign.
func parseFormat(code string) display {
	if len(code) > maxFormat {
		return display{general: true}
	}
	parser := nfp.NumberFormatParser()
	sections := parser.Parse(code)
	if len(sections) == 0 || sections[0].Type == nfp.TokenSectionText {
		return display{general: true}
	}
	f := &formatReader{}
	for _, item := range sections[0].Items {
		f.token(item)
	}
	return f.finish()
}

// formatReader collects what the tokens of a section say.
type formatReader struct {
	display
	placeholders                   int // digits so far
	point                          bool
	trailing                       string // literals after the last digit
	plain                          bool
	year, month, day, hour, minute bool
}

func (f *formatReader) token(item nfp.Token) {
	switch item.TType {
	case nfp.TokenTypeGeneral, nfp.TokenTypeExponential, nfp.TokenTypeFraction, nfp.TokenTypeTextPlaceHolder:
		f.plain = true
	case nfp.TokenTypePercent:
		f.percent = true
	case nfp.TokenTypeDecimalPoint:
		f.point = true
		if f.hour || f.elapsed || f.clock {
			f.fraction = true
		}
	case nfp.TokenTypeZeroPlaceHolder, nfp.TokenTypeHashPlaceHolder, nfp.TokenTypeDigitalPlaceHolder:
		f.placeholder(item)
	case nfp.TokenTypeThousandsSeparator:
		f.grouped = true
		f.trailing += ","
	case nfp.TokenTypeLiteral:
		f.literal(item.TValue)
	case nfp.TokenTypeCurrencyLanguage:
		for _, part := range item.Parts {
			if part.Token.TType == nfp.TokenSubTypeCurrencyString {
				f.literal(part.Token.TValue)
			}
		}
	case nfp.TokenTypeElapsedDateTimes:
		f.elapsed = true
	case nfp.TokenTypeDateTimes:
		f.dateTime(strings.ToLower(item.TValue))
	}
}

func (f *formatReader) placeholder(item nfp.Token) {
	zeros := strings.Count(item.TValue, "0")
	if f.point {
		f.decimals += zeros
	} else {
		f.digits += zeros
		if between := strings.Trim(f.trailing, ","); between != "" && f.placeholders > 0 {
			f.pattern = append(f.pattern, between)
		}
		f.pattern = append(f.pattern, item.TValue)
	}
	f.placeholders += len(item.TValue)
	f.trailing = ""
}

func (f *formatReader) literal(s string) {
	if f.placeholders == 0 {
		f.prefix += s
		return
	}
	f.trailing += s
}

func (f *formatReader) dateTime(token string) {
	switch token[0] {
	case 'y', 'e', 'g', 'b':
		f.year = true
	case 'd':
		f.day = true
	case 'm':
		f.month = f.month || len(token) > 2
		f.minute = true
	case 'h', 's', 'a':
		f.hour = true
	}
}

func (f *formatReader) finish() display {
	d := f.display
	d.date = f.year || f.day || f.month || f.minute && !f.hour && !f.elapsed
	d.clock = f.hour
	if d.date || d.clock || d.elapsed {
		return display{date: d.date, clock: d.clock, elapsed: d.elapsed, fraction: d.fraction}
	}
	if f.plain || f.placeholders == 0 {
		// An exponent or a fraction would hide digits; what stands around them does not.
		return display{general: true, prefix: d.prefix, suffix: f.trailing}
	}
	rest := strings.TrimLeft(f.trailing, ",")
	d.scale = len(f.trailing) - len(rest)
	d.suffix = strings.TrimRight(rest, " ")
	d.prefix = strings.TrimLeft(d.prefix, " ")
	embedded := false
	for _, part := range d.pattern {
		embedded = embedded || !strings.ContainsAny(part, "0#?")
	}
	if !embedded || f.point || d.grouped {
		d.pattern = nil
	}
	return d
}

// show is the text of a cell with a number. A value that is none is shown as it is.
func (d *display) show(raw string, epoch1904 bool) string {
	if d.general && whole(raw) {
		return d.prefix + raw + d.suffix
	}
	v, err := strconv.ParseFloat(raw, 64)
	if err != nil || math.IsInf(v, 0) || math.IsNaN(v) {
		return raw
	}
	if d.date || d.clock || d.elapsed {
		if text, ok := d.moment(v, epoch1904); ok {
			return text
		}
		return grid.Number(v)
	}
	if d.general {
		return d.prefix + grid.Number(v) + d.suffix
	}
	sign := ""
	if v < 0 {
		sign, v = "-", -v
	}
	if d.percent {
		v *= 100
	}
	for range d.scale {
		v /= 1000
	}
	percent := ""
	if d.percent {
		percent = "%"
	}
	digits := grid.Number(v)
	if strings.ContainsAny(digits, "eE") {
		return sign + d.prefix + digits + percent + d.suffix
	}
	before, rest, _ := strings.Cut(digits, ".")
	if d.pattern != nil && rest == "" {
		return sign + d.prefix + fill(d.pattern, before) + d.suffix
	}
	before = strings.Repeat("0", max(d.digits-len(before), 0)) + before
	if d.grouped {
		before = group(before)
	}
	rest += strings.Repeat("0", max(d.decimals-len(rest), 0))
	if rest != "" {
		rest = "." + rest
	}
	return sign + d.prefix + before + rest + percent + d.suffix
}

// whole says whether a number is written as it is shown: an integer of few digits.
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

// group puts commas between thousands.
func group(digits string) string {
	var b strings.Builder
	for i, r := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// fill puts digits into a pattern from the right; the first place takes all that are left.
func fill(pattern []string, digits string) string {
	text := ""
	for i := len(pattern) - 1; i >= 0; i-- {
		part := pattern[i]
		if !strings.ContainsAny(part, "0#?") {
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
	return text
}

const day = 24 * time.Hour

// moment is a date, a time of day or a duration in ISO form. Serial numbers count days from the end of 1899, or of 1903.
func (d *display) moment(v float64, epoch1904 bool) (string, bool) {
	if v >= 2958466 || v < 0 && !d.elapsed || v < -2958466 {
		return "", false
	}
	unit := time.Second
	if d.fraction {
		unit = time.Millisecond
	}
	days, part := math.Modf(v)
	clock := time.Duration(part * float64(day)).Round(unit)
	if d.elapsed {
		if math.Abs(v) > 100_000 {
			return "", false
		}
		return hours(time.Duration(days)*day + clock), true
	}
	if v < 1 && d.clock {
		return hours(clock), true
	}
	if !d.date && v < 366 {
		return hours(time.Duration(days)*day + clock), true
	}
	text := dateOf(int(days)+int(clock/day), epoch1904)
	if clock %= day; d.clock || clock != 0 {
		text += " " + hours(clock)
	}
	return text, true
}

// dateOf is the date of a serial number. In the system of 1900 there is a 29 February 1900, as in Lotus 1-2-3.
func dateOf(days int, epoch1904 bool) string {
	start := time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)
	switch {
	case epoch1904:
		start = time.Date(1904, 1, 1, 0, 0, 0, 0, time.UTC)
	case days == 60:
		return "1900-02-29"
	case days < 60:
		start = start.AddDate(0, 0, 1)
	}
	return start.AddDate(0, 0, days).Format(time.DateOnly)
}

// hours is a time of day or a longer time.
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
