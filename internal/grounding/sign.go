package grounding

import (
	"slices"
	"strings"
)

var (
	lossWords = words(`loss losses fell fall falls decline declined decrease decreased down drop dropped deficit
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

// contrary reports whether the answer says that a number fell, which a place has with a plus.
func (t *tracer) contrary(c *claim, q *quantity) bool {
	return !q.minus && byteAt(t.text, q.at) == '+' && directions(c.around)>>2 == 2
}

// results reports whether a word says what kind of result a number is: rows of several results have it.
func results(text string) bool {
	w := fold(text)
	return resultWords.has(w) || gainWords.has(w) || deficitWords.has(w)
}

// signed reports whether the signs agree. A word may express the sign.
func (t *tracer) signed(c *claim, q *quantity, r *row) bool {
	if t.contrary(c, q) {
		return false
	}
	result := slices.ContainsFunc(t.answerWords(c), resultWords.has)
	minus := c.q.minus || result && accounted(t.x.answer, c.at, c.end, &c.q)
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

// plainly drops words that stand alone in brackets, such as the "loss" of "Net income (loss)": they say what a
// negative number means.
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
