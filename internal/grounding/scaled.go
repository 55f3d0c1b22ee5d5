package grounding

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// scaled is a scale that a heading of a text gives for the amounts below it, such as "US$ million".
type scaled struct {
	at     int // end of the heading's line
	factor float64
	coin   string // the currency of the amounts, if the heading names one
}

// Bounds of the search for headings with a scale.
const (
	maxScaled  = 256 << 10 // bytes of a text
	maxHeading = 200       // bytes of a line
)

// hinted are parts of all names of scales, so that most texts cost only a look for these.
var hinted = []string{
	"illi", "illo", "ilha", "EUR", "USD", "€ ", "$ ", "iljo", "housand", "ausend", "mio", "Mio", "MIO", "mrd",
	"Mrd", "tsd", "Tsd", "TEUR", "k€", "K€",
	"T€", "M€", "m€", "kEUR", "KEUR", "MEUR", "€m", "£m", "$m", "$M", "€k", "$k", "bn", "000", "千", "万", "億",
	"亿", "млн", "тыс", "MSEK", "mkr", "tkr", "miles", "migliaia", "MUSD", "천", "만", "억",
}

// scaleBefore returns the scale that the last heading before p or a note just behind the table gives.
func (t *tracer) scaleBefore(p int) (out scaled) {
	if !t.scaledRead {
		t.scaledRead, t.scaledAt = true, t.scaledAt[:0]
		t.findScales()
	}
	for _, s := range t.scaledAt {
		if s.at <= p || out.factor == 0 && s.at-p < maxRow {
			out = s
		}
	}
	return out
}

// findScales reads the headings of the text.
func (t *tracer) findScales() {
	text, some := t.text[:min(len(t.text), maxScaled)], false
	for _, h := range hinted {
		some = some || strings.Contains(text, h)
	}
	end := -1
	for line := range strings.SplitSeq(text, "\n") {
		if end += 1 + len(line); !some || len(t.scaledAt) == 100 {
			break
		}
		if len(line) <= maxHeading {
			if f := headingScale(line); f != 0 {
				t.scaledAt = append(t.scaledAt, scaled{end, f, coinOf(line)})
			}
		}
	}
	t.work += len(text) / 16
}

// shortScales are scales that a currency is written with, folded.
var shortScales = map[string]float64{
	"k€": 1e3, "t€": 1e3, "teur": 1e3, "keur": 1e3, "€k": 1e3, "$k": 1e3, "£k": 1e3, "tkr": 1e3, "ksek": 1e3,
	"tchf": 1e3,
	"kusd": 1e3, "€000": 1e3, "$000": 1e3, "£000": 1e3, "000s": 1e3, "'000": 1e3, "’000": 1e3, "€'000": 1e3,
	"£'000": 1e3, "$'000": 1e3, "€’000": 1e3, "£’000": 1e3, "$’000": 1e3, "000€": 1e3,
	"m€": 1e6, "meur": 1e6, "€m": 1e6, "£m": 1e6, "$m": 1e6, "us$m": 1e6, "msek": 1e6, "mnok": 1e6,
	"mdkk": 1e6, "mkr": 1e6, "musd": 1e6, "mchf": 1e6, "eurm": 1e6, "€mn": 1e6, "$mn": 1e6, "mio€": 1e6, "a$m": 1e6,
	"€bn": 1e9, "$bn": 1e9, "£bn": 1e9, "md€": 1e9, "mrd€": 1e9, "mds€": 1e9,
}

// shortScale reads a scale with its currency, such as TEUR, at the start of s, and returns its length.
func shortScale(s string) (factor float64, coin []unit, n int) {
	for n < len(s) && n < 8 && (classes[s[n]] == aLetter || s[n] >= utf8.RuneSelf || s[n] == '$') {
		n++
	}
	if factor = shortScales[fold(s[:n])]; factor == 0 || isWord(firstRune(s[n:])) {
		return 0, nil, 0
	}
	return factor, units(coinOf(s[:n])), n
}

// multipliers are scales in digits, as in "x € 1.000", behind a currency or one of behinds.
var (
	multipliers = map[string]float64{
		"1000": 1e3, "1.000": 1e3, "1'000": 1e3, "1000€": 1e3, "€1.000": 1e3, "€1000": 1e3, "$1000": 1e3,
		"1.000.000": 1e6, "1000000": 1e6,
	}
	behinds = map[string]bool{"x": true, "×": true, "in": true}
)

// coinOf returns the currency that a heading names, "" if it names none or several.
func coinOf(line string) (out string) {
	other := func(r rune) bool { return !unicode.IsLetter(r) && !strings.ContainsRune("$€£¥", r) }
	for _, w := range strings.FieldsFunc(line, other) {
		coin := money(w)
		for _, sign := range []string{"€", "£", "EUR", "USD", "GBP", "CHF", "SEK", "NOK", "DKK"} {
			if coin == "" && len(w) < 8 && (strings.HasPrefix(w, sign) || strings.HasSuffix(w, sign)) {
				coin = money(sign)
			}
		}
		if coin == "" || coin == out {
			continue
		}
		if out != "" {
			return ""
		}
		out = coin
	}
	return out
}

// headScales are names of scales that only headings have, folded.
var headScales = map[string]float64{
	"thousands": 1e3, "milliers": 1e3, "miles": 1e3, "migliaia": 1e3, "milhares": 1e3, "duizenden": 1e3,
	"duizend": 1e3, "tusen": 1e3,
	"miljoner": 1e6, "millioner": 1e6, "miljoenen": 1e6, "mia": 1e9, "mld": 1e9, "mds": 1e9, "mdr": 1e9,
	"miljarder": 1e9,
}

// introducers precede a scale in a heading, as in "in millions".
var introducers = words("in en em i of de des au aux angaben werte alle unit unidad")

// headingScale returns the scale that a line gives for others: beside a currency, in brackets, or behind "in".
func headingScale(line string) float64 {
	if f := hanScale(line); f != 0 {
		return f
	}
	fields := strings.FieldsFunc(line, func(r rune) bool {
		return unicode.IsSpace(r) || strings.ContainsRune("()[];:|/", r)
	})
	for i, w := range fields {
		f := max(shortScales[fold(w)], multipliers[w])
		named := f != 0
		if multipliers[w] > 0 && !(i > 0 && (money(fields[i-1]) != "" || behinds[fields[i-1]])) {
			continue
		}
		if !named {
			name := fold(strings.TrimRight(w, ".,"))
			if f = headScales[name]; f == 0 {
				f = scales[name]
			}
			if utf8.RuneCountInString(w) < 2 && !(i > 0 && money(fields[i-1]) != "") || f < 1e3 {
				continue
			}
		}
		if i > 0 && (isDigit(fields[i-1][len(fields[i-1])-1]) || fields[i-1] == "of" && !named) {
			continue
		}
		beside := func(k int) bool {
			return k >= 0 && k < len(fields) && (money(fields[k]) != "" || fields[k] == "de" || fields[k] == "d'euros")
		}
		bracketed := strings.Contains(line, "("+w) || strings.Contains(line, w+")") || len(fields) == 1 ||
			strings.Contains(line, "  "+w) || strings.Contains(line, "\t"+w) // the head of a column
		if named || beside(i-1) || beside(i+1) || bracketed || i > 0 && introducers.has(fold(fields[i-1])) {
			return f
		}
	}
	return 0
}

// hanScale returns the scale of a heading such as （単位：百万円）, which stands behind no number.
func hanScale(line string) float64 {
	for _, coin := range []string{"円", "元", "원", "ドル", "ユーロ", "人民币", "人", "名"} {
		for from := 0; ; {
			i := strings.Index(line[from:], coin)
			if i < 0 {
				break
			}
			i += from
			from = i + len(coin)
			at := i
			for at > 0 && strings.ContainsRune("十百千万萬億亿兆천만억백", lastRune(line[:at])) {
				_, n := utf8.DecodeLastRuneInString(line[:at])
				at -= n
			}
			before := lastRune(line[:at])
			if at == i || unicode.IsDigit(before) || strings.ContainsRune(".,〇一二三四五六七八九数何約几数", before) {
				continue
			}
			f := 1.0
			for _, r := range line[at:i] {
				switch r {
				case '백':
					f *= 100
				case '천':
					f *= 1e3
				default:
					f *= scales[string(r)]
				}
			}
			if f >= 1e3 {
				return f
			}
		}
	}
	return 0
}

// underScale compares an amount with one under a heading that gives its scale.
func (t *tracer) underScale(c, q *quantity, p int) agreement {
	cash := func(us []unit) bool {
		for _, u := range us {
			if u.kind != "" && !strings.HasPrefix(u.kind, "money") {
				return false
			}
		}
		return true
	}
	if !cash(c.units) || !cash(q.units) || len(c.values) == 0 || len(q.values) == 0 ||
		c.units == nil && c.scale == 1 && c.digits < 4 {
		return differs
	}
	head := t.scaleBefore(p)
	if head.factor == 0 {
		return differs
	}
	s := *q
	s.scale = head.factor
	if head.coin != "" && s.units == nil && c.units != nil {
		s.units = []unit{{"money " + head.coin, 1}}
	}
	return compare(c, &s)
}

// oneRune reports whether a text is one letter of a script without spaces: it is a part of a word.
func oneRune(s string) bool {
	r, n := utf8.DecodeRuneInString(s)
	return n == len(s) && alone(r)
}

// elided returns the length of the particle between a scale and its unit, as in "millions d'euros".
func elided(s string) int {
	for _, p := range []string{" d'", " d’", " de ", " di ", "d'", "d’"} {
		if strings.HasPrefix(s, p) {
			if us, _ := unitsAt(s[len(p):]); us != nil && strings.HasPrefix(us[0].kind, "money") {
				return len(p)
			}
		}
	}
	return 0
}

// headed compares a number with one whose scale is elsewhere in its row or in a heading such as "USD thousand".
func (t *tracer) headed(c *claim, q *quantity, r *row) agreement {
	if c.q.units == nil && q.units == nil && c.q.scale == 1 &&
		slices.MaxFunc(c.q.values, byValue).value < slices.MinFunc(q.values, byValue).value*500 {
		return differs // no scale is so small
	}
	for _, factor := range r.headed(t) {
		scaled := *q
		scaled.scale = factor
		if a := compare(&c.q, &scaled); a != differs {
			return a
		}
	}
	return t.underScale(&c.q, q, q.at)
}

// headed returns the scales that the row or the heading names. They are searched for once, because every number of
// the answer is compared with every number of the row.
func (r *row) headed(t *tracer) []float64 {
	if !r.scaled {
		r.scaled = true
		for _, s := range headedScales {
			if spoken(r.words, s.words) || s.han && t.speaks(r, s.words) {
				r.scales = append(r.scales, s.factor)
			}
		}
	}
	return r.scales
}

func byValue(a, b reading) int { return cmp.Compare(a.value, b.value) }

var headedScales = []struct {
	words  *vocabulary
	factor float64
	han    bool // it may stand in the first line, beside any unit
}{
	{words("万 萬"), 1e4, true},
	{words("億 亿"), 1e8, true},
	{words("thousand thousands tausend tsd teur milliers miles migliaia"), 1e3, false},
	{words("million millions mio mn millionen millones milioni"), 1e6, false},
	{words("billion billions mrd bn milliarden milliards miliardi"), 1e9, false},
}
