package grounding

import (
	"cmp"
	"math"
	"strings"
)

// halved are words for a half, or one and a half, before a unit of time: "eine halbe Stunde", "medio año". Elsewhere
// they mean other things.
var halved = map[string]float64{
	"halbe": 0.5, "halbes": 0.5, "halben": 0.5, "halber": 0.5, "medio": 0.5, "media": 0.5, "mezzo": 0.5, "mezza": 0.5,
	"mezz": 0.5, "demi": 0.5, "demie": 0.5, "meia": 0.5, "meio": 0.5, "halve": 0.5, "anderthalb": 1.5,
	"eineinhalb": 1.5, "anderhalf": 1.5, "anderhalve": 1.5, "полтора": 1.5,
}

// spanning are units of time that stand for a count of others, so that one of them is a value: "a fortnight".
var spanning = words(`fortnight decade jahrzehnt halbjahr vierteljahr viertelstunde décennie década decennio semestre
 trimestre`)

// singles are the articles that can be a count, and one.
var singles = words("a an one ein eine einem einen einer un une uno una um uma een")

// temporal reports whether units are of time.
func temporal(us []unit) bool { return len(us) > 0 && (us[0].kind == "time" || us[0].kind == "months") }

// spanAt reads a half of a unit of time or one of spanning at the word i.
func (q quantity) spanAt(s string, ws []word, i int) (quantity, bool) {
	w := ws[i]
	if v := halved[w.text]; v > 0 {
		q.values, q.digits = []reading{{v, 0}}, 2
		if next := byteAt(s, q.end); next == '\'' { // as in "mezz'ora"
			q.end++
		}
		q.behind(s)
		q.inside = false
		return q, temporal(q.units) || len(q.units) > 0 && q.units[0].kind == percent
	}
	if singles.has(w.text) && w.text[0] != 'a' && i+1 < len(ws) && !spanning.has(ws[i+1].text) { // as in "un mes"
		rest := strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(s[w.end:], " "), "'"), "’") // as in "un'ora"
		if us, n := unitsAt(rest); temporal(us) && n > 2 {
			q.values, q.units, q.end = []reading{{1, 0}}, us, len(s)-len(rest)+n
			return q, true
		}
	}
	if i > 0 && singles.has(ws[i-1].text) && spanning.has(w.text) {
		q.at, q.values, q.units = ws[i-1].at, []reading{{1, 0}}, lookUnit(s[w.at:w.end])
		return q, q.units != nil
	}
	return q, false
}

// ofUnit gives a fraction the unit of time behind "of a", as in "a quarter of an hour".
func (q *quantity) ofUnit(s string) {
	for _, of := range []string{" of a ", " of an ", " of one ", " d'", " d’", " de ", " di "} {
		if rest, ok := strings.CutPrefix(s[q.end:], of); ok {
			if us, n := unitsAt(rest); temporal(us) && n > 2 {
				q.units, q.end = us, q.end+len(of)+n
			}
			return
		}
	}
}

// spanned appends the words with which a length of time may begin that is n of some unit.
func spanned(out []string, n float64) []string {
	for w, v := range halved {
		if v == n {
			out = append(out, w)
		}
	}
	switch {
	case n == 1:
		out = append(out, "un", "una", "uno", "une", "um", "uma", "een", "ein", "eine", "einem", "einen", "einer")
		for w := range spanning.all() {
			out = append(out, w)
		}
	case n < 2 && n > 0.1:
		if n == 0.5 || n == 1.5 {
			out = append(out, halves...)
		}
		for w, of := range parts {
			if whole := n * of; math.Abs(whole-math.Round(whole)) < 1e-9 {
				out = append(out, w)
			}
		}
	}
	return out
}

// lengthen merges b, which follows in s, into a duration such as "1 h 15 min" or a number such as 12億3,400万.
func (q *quantity) lengthen(b quantity, s string) bool {
	gap := strings.TrimSuffix(s[q.end:max(q.end, b.at)], " ") // 1,234억 5,000만 has one
	if b.at >= q.end && gap == "" && q.scale > b.scale && q.units == nil && len(q.values) > 0 && len(b.values) > 0 &&
		alone(lastRune(s[:q.end])) {
		low := b.values[0].times(b.scale)
		q.values = []reading{{q.values[0].value*q.scale + low.value, low.half}}
		q.scale, q.units, q.end, q.digits = 1, b.units, b.end, q.digits+b.digits
		return true
	}
	if temporal(q.units) && cmp.Or(q.least, q.units[0].factor) == 3600 && s[b.end-1] == 'm' && b.end == b.tail+1 {
		b.units, b.scale, b.either = []unit{{"time", 60}}, 1, false // as in "5h 48m"
	}
	if len(q.units) == 0 || len(b.units) == 0 || q.isDate || b.isDate || q.units[0].kind != "time" ||
		b.units[0].kind != "time" ||
		len(q.values) != 1 || len(b.values) != 1 || q.least == 0 && q.values[0].half < 0.5 && !q.word ||
		cmp.Or(q.least, q.units[0].factor) <= b.units[0].factor {
		return false
	}
	f := b.units[0].factor / q.units[0].factor
	// As in "1 hour, 47 minutes and 2 seconds".
	comma := s[q.end:b.at] == ", " && b.values[0].value*f < 1 && q.word == b.word
	if and := strings.TrimSpace(s[q.end:b.at]); and != "" && !ands.has(and) && !comma {
		return false
	}
	q.values = []reading{{q.values[0].value + b.values[0].value*f, b.values[0].half * f}}
	q.end, q.digits = b.end, q.digits+b.digits
	if b.values[0].half >= 0.5 {
		q.least = b.units[0].factor
	}
	return true
}

// durations are the seconds of a week, a day, an hour, a minute and a second.
var durations = [...]float64{604800, 86400, 3600, 60, 1}

// duration reads a duration as Go prints it, such as 1h42m0s, and reports whether there is one.
func (q *quantity) duration(s string) bool {
	i, from, parts, total, last := q.tail, 0, 0, 0.0, 0.0
	for vs := q.values; len(vs) > 0; parts++ {
		k := strings.IndexByte("wdhms'\"", byteAt(s, i))
		if k < 0 && last == 1 && !isWord(firstRune(s[i:])) { // as in 1min59s84
			last = math.Pow(10, float64(from-i))
			total += vs[0].value * last
			break
		} else if k < 0 {
			return false
		}
		last = durations[k-k/5*2]
		total += vs[0].value * last
		if i++; k == 5 && byteAt(s, i) == ' ' && parts == 0 { // as in 1' 18"
			i++
		} else if k == 3 && strings.HasPrefix(s[i:], "in") && isDigit(byteAt(s, i+2)) {
			i += 2
		}
		if !isDigit(byteAt(s, i)) {
			break
		}
		from = i
		vs, i, _ = digitsAt(s, i)
	}
	feet := byteAt(s, q.tail) == '\'' && math.Mod(total, 60) < 12 // or inches
	if parts < 1 || isWord(firstRune(s[i:])) || feet {
		return false
	}
	q.values, q.units, q.end, q.digits = []reading{{total, last / 2}}, []unit{{"time", 1}}, i, q.digits+2
	q.least = last
	return true
}

// A period is how often something is done or due. All are sides of one family of statuses, so that "monthly" in an
// answer is opposed by "quarterly" in a text.
const (
	periodic = 1 << 31 // the family
	firstly  = 2       // its first side; 0 and 1 are those of opposites
)

// periods are words for how often and, behind the bar, names of lengths, which mean that only behind one of pers.
var periods = []string{
	`daily täglich quotidien quotidienne quotidiennement journalier diariamente giornaliero giornalmente dagelijks |
 day tag jour día dia giorno dag`,
	`weekly wöchentlich hebdomadaire semanal semanalmente settimanale settimanalmente wekelijks |
 week woche semaine semana settimana`,
	`monthly monatlich mensuel mensuelle mensuellement mensual mensualmente mensile mensilmente maandelijks mensal |
 month monat mois mes mese maand mês`,
	`quarterly vierteljährlich quartalsweise trimestriel trimestrielle trimestriellement trimestral trimestralmente
 trimestrale trimestralmente | quarter quartal vierteljahr trimestre kwartaal`,
	`semiannually halbjährlich semestriel semestral semestrale semestralmente | semester semestre halbjahr`,
	`yearly annually annual jährlich annuel annuelle annuellement anual anualmente annuale annualmente jaarlijks |
 year jahr an année ano año anno jaar`,
}

// pers precede the name of a length that says how often.
var pers = words("per each every par chaque pro je jeden jedes jede cada al por ogni elke a")

// adverbs are the endings of words for how often that do not describe a noun.
var adverbs = []string{"ly", "ment", "mente", "lich", "weise", "lijks"}

// lengthOf reports whether the word i is the name of a length that says how often.
func lengthOf(ws []word, i int) bool {
	return i > 0 && pers.has(ws[i-1].text) && statuses()["per "+ws[i].text].families != 0
}

// recurs reports whether the period that the word i of a clause gives is a statement: the clause has no number, of
// which it may be the unit, and the word describes no noun.
func recurs(s string, ws []word, i, from, to int) bool {
	for _, w := range ws[from:to] {
		if isDigit(w.text[0]) {
			return false
		}
	}
	if lengthOf(ws, i) {
		return true
	}
	for _, end := range adverbs {
		if strings.HasSuffix(ws[i].text, end) {
			return i+1 >= to || !telling(ws[i+1].text) || s[ws[i].end:ws[i+1].at] != " "
		}
	}
	return false
}
