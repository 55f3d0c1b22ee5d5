package grounding

import (
	"math"
	"slices"
	"strings"
)

// agreement is how a number of the answer agrees with a number of a place.
type agreement int

const (
	differs   agreement = iota
	ifPercent           // equal if the place is about a percentage, not if it is about a share
	ifShare             // equal if the place is about a share or a percentage
	agrees
)

var bare = []unit{{"", 1}}

// orBare adds the reading without a unit to the readings of a unit.
func orBare(u []unit) []unit { return append(slices.Clone(bare), u...) }

// compare reports whether the quantity c of the answer is the quantity p of a place, possibly rewritten: in
// another unit of the same kind, with another scale, correctly rounded, or as a percentage of a fraction.
func compare(c, p *quantity) agreement {
	switch {
	case c.isDate && p.isDate && p.date.covers(c.date):
		return agrees
	case c.isDate || p.isDate:
		return lasts(c, p)
	}
	units := func(q *quantity) []unit {
		if q.units == nil {
			return bare
		}
		return q.units
	}
	best, cus, pus := differs, units(c), units(p)
	cus, pus = decimal(rates(cus, pus), pus), decimal(rates(pus, cus), cus)
	for n, a := range c.values {
		if n > 0 && a.half < 0.01 && a.value == math.Trunc(a.value) { // 5,000 is five thousand if the place has "5"
			continue
		}
		own := 1.0 // the share of the half that is rounding
		if c.round {
			half := max(a.half, roundness(a.value)) // as in "about 18,200"
			if c.bound != 0 && half > a.half {
				half *= 2
			}
			own, a.half = a.half/half, half
		}
		for _, b := range p.values {
			for _, cu := range cus {
				for _, pu := range pus {
					best = max(best, compareUnits(c, p, a.times(c.factor(cu)), b.times(p.factor(pu)), own, cu, pu))
				}
			}
		}
	}
	return best
}

// rates drops the readings without a denominator if the other quantity has one, too.
func rates(us, others []unit) []unit {
	per := func(u unit) bool { return strings.Contains(u.kind, "/") }
	if i := slices.IndexFunc(us, per); i > 0 && slices.ContainsFunc(others, per) {
		return us[i:]
	}
	return us
}

// decimal drops the binary reading of MB beside MiB.
func decimal(us, others []unit) []unit {
	if len(us) == 2 && us[0].kind == "bytes" && len(others) == 1 && math.Mod(others[0].factor, 1024) == 0 {
		return us[:1]
	}
	return us
}

// factor returns the scale of the number if its unit is u: "3 m" is three metres or three million.
func (q *quantity) factor(u unit) float64 {
	if q.either && u.kind != "" {
		return 1
	}
	return q.scale
}

func compareUnits(c, p *quantity, a, b reading, own float64, cu, pu unit) agreement {
	fits := func(a, b reading) bool {
		x, y := math.Abs(a.value), math.Abs(b.value)
		d := math.Abs(x - y)
		if y < x && 2*a.half > y && own < 1 && c.bound == 0 { // 930 is about 1,000, but 620 is not
			a.half /= 5
		}
		rounded := a.half > b.half && x != 0 && (p.digits > 1 || c.digits <= 1)
		held := c.bound == 0 || (y > x) == (c.bound > 0) || d <= a.half*own // as in "less than 9,400"
		return d <= 1e-9*max(x, y) || rounded && held && d <= a.half*(1+1e-9)
	}
	yes := func(ok bool) agreement {
		if ok {
			return agrees
		}
		return differs
	}
	switch {
	case (c.span || c.rank) && cu.kind == "" && pu.kind == "" && b.value < 1 && b.value > 0 && fits(a, b.times(100)):
		return agrees // quantile="0.99"
	case cu.kind == pu.kind:
		if cu != pu && b.value == math.Trunc(b.value) { // a whole number is exact in another unit
			b.half = 0
		}
		a, b = a.times(cu.factor), b.times(pu.factor)
		return yes(fits(a, b) || cu.kind == "time" && p.least > 0 && p.least < c.least && c.cut(a, b.value))
	case cu.kind == percent && pu.kind == "":
		share := b.half < 0.05 && math.Abs(b.value) <= 1
		switch {
		case p.span && fits(a, b), share && fits(a, b.times(100)):
			return agrees
		case share:
			return min(yes(fits(a, b)), ifPercent)
		case (b.half < 0.5 && b.value < 1 || b.value == 1) && fits(a, b.times(100)): // one decimal, or all
			return ifShare
		}
		return min(yes(fits(a, b)), ifShare)
	case cu.kind == "" && pu.kind == percent:
		return yes(fits(a, b) || a.half < 0.05 && math.Abs(a.value) <= 1 && fits(a.times(100), b))
	case cu.kind == percent || pu.kind == percent:
		return differs
	case pu.kind == "" && cu.kind == "time" && p.digits > 2 && c.digits > 1: // 192 in a variable can be 3.2 hours
		if b.value == math.Trunc(b.value) {
			b.half = 0
		}
		for _, f := range clockUnits {
			if by := cu.factor / f; (by >= 1e-3 && by <= 3600) && fits(a.times(by), b) {
				return agrees
			}
		}
	case pu.kind == "" && (p.digits > 3 || p.digits == 3 && c.digits > 2) &&
		(c.digits > 1 || math.Mod(b.value, 1e3) != 0) && cu.kind != "time" && cu.kind != "":
		// "30480" in a column can be 30.48 t, and 5242880 is exactly 5 MiB.
		if c.digits == 1 {
			a.half = 0
		}
		for _, f := range factors()[cu.kind] {
			// 1024 kB are no whole number of kB in thousands.
			if by := cu.factor / f; by > 1 && math.Abs(by-math.Round(by)) < 1e-9*by && fits(a.times(by), b) {
				return agrees
			}
		}
	}
	return yes((pu.kind == "" || cu.kind == "") && fits(a, b))
}

// clockUnits are the factors of units in which columns without a unit give times.
var clockUnits = []float64{1e-6, 1e-3, 1, 60}

// roundness returns half of the unit of v's last non-zero digit: 50 for 18,200.
func roundness(v float64) float64 {
	v = math.Abs(v)
	if v == 0 || v != math.Trunc(v) {
		return 0
	}
	h := 0.5
	for math.Mod(v, 10) == 0 {
		v, h = v/10, h*10
	}
	return h
}

var (
	lossWords = words(`loss losses outflow outflows shortfall fell fall falls decline declined decrease decreased down drop dropped deficit
 minus negative below verlust rückgang gesunken fiel minus defizit perte baisse recul pérdida bajó perdita calo
 losing loses fehlbetrag jahresfehlbetrag jahresverlust verluste verlor verloren pertes perdu déficit déficits pérdidas perdió
 perdeu prejuízo perdite perso verlies 損 赤 亏 shrank lost deleted removed deletions less reduction reduced falls falling drops slipped slid shrinks contracted contraction
 recule reculé reculent baissé diminue diminué diminution cae caen cayó cayeron baja bajaron disminuye disminuyó desciende descendió descenso
 cala scende sceso diminuisce diminuito sinkt sank sinken fällt gefallen fielen rückläufig daalt daalde daling 減 减 降 跌 落 縮 缩 снизилась снизился
 moins fewer weniger menos meno minder lower niedriger tiefer inférieur inferior inferiore`)
	gainWords    = words("profit profits gain gains surplus gewinn benefice beneficio")
	deficitWords = words("loss losses deficit verlust defizit perte perdida perdita")
	resultWords  = words(`result results net profit income earnings ebit ebitda balance margin surplus cashflow ergebnis saldo gewinn
 résultat resultado risultato utile solde`)
	changeWords = words(`change changes changed diff variance delta difference differ differs differed gap distance deviation deviates margin apart faster quicker smaller shorter cheaper schneller unterschied
 differenz abweichung änderung difference ecart diferencia differenza verschil`)
	riseWords = words(`rose rise grew grow growth gain gained increase increased profit up plus surplus gewinn
 anstieg gestiegen wuchs hausse bénéfice subió beneficio aumento rises grows climbed climbs
 augmente augmenté augmentation progresse progressé croît croissance steigt stieg steigen wächst gewachsen zuwachs sube crece creció crecimiento
 aumenta aumentó cresce cresciuto crescita stijgt steeg stijging 増 增 升 昇 涨 伸 выросла вырос`)
)

// results reports whether a word says what kind of result a number is: rows of several results have it.
func results(text string) bool {
	w := fold(text)
	return resultWords.has(w) || gainWords.has(w) || deficitWords.has(w)
}

// signed reports whether the signs agree. A word may express the sign.
func (t *tracer) signed(c *claim, q *quantity, r *row) bool {
	if !q.minus && byteAt(t.text, q.at) == '+' && directions(c.around)>>2 == 2 { // it fell, says the answer
		return false
	}
	result := slices.ContainsFunc(t.answerWords(c), resultWords.has)
	minus := c.q.minus || belowZero(t.x.answer[:c.at]) || result && accounted(t.x.answer, c.at, c.end, &c.q)
	below := q.minus || accounted(t.text, q.at, q.end, q) && spoken(r.words, resultWords) &&
		!sentenceLike(t.text[r.at:r.end])
	if minus == below {
		a := directions(c.around)
		if minus || a == 0 {
			return true
		}
		b := directions(texts(t.plainly(t.near(q, r))))
		opposed := func(a, b int) bool { return a == 1 && b == 2 || a == 2 && b == 1 } // a gain and a loss
		return !opposed(a&3, b&3) && !opposed(a>>2, b>>2)
	}
	if minus {
		return t.speaks(r, lossWords) || lastRune(t.text[:q.at]) == '('
	}
	if around := texts(t.near(q, r)); slices.ContainsFunc(c.around, func(w string) bool {
		return contraries[w] != "" && slices.Contains(around, contraries[w])
	}) {
		return true
	}
	rise := false
	for _, w := range append(t.answerWords(c), c.around...) {
		if lossWords.has(w) || changeWords.has(w) {
			return true
		}
		rise = rise || riseWords.has(w)
	}
	money := len(c.q.units) > 0 && strings.HasPrefix(c.q.units[0].kind, "money") || c.q.scale >= 1e3
	if money && !result {
		return !rise // what was paid is told without its sign
	}
	return !rise && (c.q.label == "by" || c.q.label == "um" || spoken(t.q.words, lossWords) ||
		spoken(t.q.words, changeWords))
}

// contraries are the directions of negative numbers of others: "east -14.2 mm" is 14.2 mm to the west.
var contraries = map[string]string{
	"west": "east", "south": "north", "down": "up", "left": "right", "westen": "osten", "suden": "norden",
	"ouest": "est", "sud": "nord", "oeste": "este", "sur": "norte", "ovest": "est",
}

// belowZero reports whether a text ends with a word for a sign, in a script without spaces.
func belowZero(s string) bool {
	return strings.HasSuffix(s, "氷点下") || strings.HasSuffix(s, "零下") || strings.HasSuffix(s, "マイナス")
}

// plainly drops words alone in brackets, as in "Net income (loss)": they say what a negative number means.
func (t *tracer) plainly(ws []word) []word {
	return slices.DeleteFunc(slices.Clone(ws), func(w word) bool {
		return lastRune(t.text[:w.at]) == '(' && byteAt(t.text, w.end) == ')'
	})
}

// directions returns which words there are: 1 of gains, 2 of losses, 4 of rising, 8 of falling.
func directions(ws []string) (out int) {
	for _, w := range ws {
		switch {
		case gainWords.has(w):
			out |= 1
		case deficitWords.has(w):
			out |= 2
		case riseWords.has(w):
			out |= 4
		case lossWords.has(w):
			out |= 8
		}
	}
	return out
}

// accounted reports whether the number between two offsets of s stands alone in brackets, as accountants write
// negative ones; years and references do too.
func accounted(s string, at, end int, q *quantity) bool {
	year := q.digits == 4 && q.tail-q.num == 4
	measured := len(q.units) > 0 && !strings.HasPrefix(q.units[0].kind, "money") && q.units[0].kind != percent
	return q.digits > 2 && !year && !measured && at > 0 && s[at-1] == '(' && byteAt(s, end) == ')'
}

// rescales are what the numbers of a place may be multiplied with to get those of the answer: the scale or the unit of
// a column, a variable or a table stands anywhere or nowhere. Thousands, percent, minutes and hours, sizes.
var rescales = []float64{
	1e3, 1e6, 1e9, 1e-3, 1e-6, 1e-9, 100, 60, 3600, 1. / 60, 1. / 3600, 1. / 12, 1. / 7,
	1024, 1 << 20, 1 << 30, 1. / 1024, 1. / (1 << 20), 1. / (1 << 30),
}

// rescaled reports whether a number of a place is the claim in another scale or unit that nothing there denies: its
// digits are the claim's, rounded, in a row about the same. Few digits may be so by chance, unless the answer gives
// them a scale, as in "4.8 billion".
func (t *tracer) rescaled(c *claim, q *quantity, r *row) bool {
	cash := func(us []unit) bool { return len(us) > 0 && strings.HasPrefix(us[0].kind, "money") }
	a, p := &c.q, q
	least := 3
	if a.scale > 1 && p.digits > a.digits {
		least = 2
	}
	timed := temporal(a.units)
	if a.digits < 2 && !timed || p.digits < 2 || c.year > 0 || p.inside || len(a.values) == 0 || len(p.values) == 0 ||
		a.units == nil && a.scale == 1 && a.digits < 4 && !(a.digits > 2 && t.accompanied(c, r)) &&
			(c.noun == "" || len(c.noun) > 3) || // else an unknown unit
		a.units != nil && p.units != nil && !(cash(a.units) && cash(p.units) && a.units[0].kind == p.units[0].kind) {
		return false
	}
	x := a.values[0].times(a.scale)
	for _, v := range p.values {
		exact := math.Abs(v.value) >= 1e4 && v.half > 0 && v.half <= 0.005 // to the cent, so not in thousands
		for _, f := range rescales {
			if exact && f >= 1e3 && f != 3600 {
				continue
			}
			column := func(of float64) bool { return math.Abs(a.units[0].factor*f/of-1) < 1e-9 }
			calendar := f == 1./12 || f == 1./7 // years in months, weeks in days
			if calendar && !(timed && (column(1) || column(86400)) && t.accompanied(c, r)) ||
				timed && !calendar && !slices.ContainsFunc(clockUnits, column) {
				continue
			}
			y := math.Abs(v.value * p.scale * f)
			d := math.Abs(math.Abs(x.value) - y)
			if x.value != 0 && (d <= 1e-9*y || a.digits > 1 && d <= x.half*(1+1e-9) && p.digits > a.digits) {
				if len(r.headed(t)) > 0 || t.scaleBefore(p.at).factor != 0 { // a heading says which
					return false
				}
				if t.accompanied(c, r) { // as in "a TTL of 5 minutes" beside the name of the row with 300
					return timed || a.digits > 1 || p.digits > 2
				}
				whole := timed && d <= 1e-9*y && p.digits > 2 // as in "two hours" of a "ttl 7200"
				return (whole || a.digits >= least && p.digits >= least) && t.akin(c, r.words)
			}
		}
	}
	return false
}
