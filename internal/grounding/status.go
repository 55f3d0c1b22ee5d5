package grounding

import (
	"slices"
	"strings"
	"sync"
	"unicode"
)

// status is what a word says of a thing: one side of each of some families, mostly of two opposites.
type status struct {
	families uint
	side     uint8
}

// opposites are families of words, those before the bar against those behind it.
var opposites = []string{
	`pass passed passes passing complete completed completes succeed succeeded succeeds success successful successfully ok bestanden erfolgreich
 réussi réussie exitoso | fail failed fails failing failure dismissed fehlgeschlagen gescheitert durchgefallen échoué
 échouée falló`,
	`enable enabled enables activated aktiviert active aktiv eingeschaltet activé activée activado activo attivo on |
 disable disabled disables deactivated deaktiviert ausgeschaltet abgeschaltet désactivé désactivée desactivado off`,
	`accept accepted accepts approved approve approves grant granted grants ratified upheld merged merge allow allowed allows permitted
 carried adopted passed genehmigt angenommen erlaubt bewilligt zugelassen zulässig accepté acceptée autorisé autorisée
 aceptado aprobado permitido |
 reject rejected rejects deny denies denied refused declined dismissed withdrawn forbidden prohibited defeated banned abgelehnt verboten
 verweigert refusé refusée rejeté rejetée interdit interdite rechazado denegado prohibido`,
	`increase increased increases increasing rose risen rising grew grown climbed gestiegen stieg wuchs zugenommen
 augmenté aumentó subió | decrease decreased decreases decreasing fell fallen falling dropped declined shrank
 shrunk gesunken sank gefallen fiel abgenommen baissé diminué bajó disminuyó`,
	`open opened geöffnet offen ouvert ouverte abierto abierta |
 close closed shut geschlossen fermé fermée cerrado cerrada`,
	`online up | offline down`,
	`win wins won gewonnen gagné | lose loses lost verloren perdu`,
	`meet meets met achieved reached | missed misses`,
	`cover covered covers insured gedeckt versichert couvert couverte cubierto coperto |
 excluded excludes exclude ausgeschlossen exclu exclue excluido excluida escluso esclusa`,
	`paid bezahlt | outstanding overdue`,
	`available verfügbar disponible | sold`,
	`valid gültig | expired abgelaufen`,
	`complete completed | pending`,
	`signed connected reachable healthy verified encrypted locked safe legal authorised authorized |`,
}

// turned are verbs that refuse or fail with a particle behind them.
var (
	turned    = words("turned voted struck rolled called")
	particled = words("down back off")
)

// weak are words of status only behind a form of "to be", behind a colon, or at the end of a line.
var weak = words("up down on off")

// denyings are prefixes that make a status its opposite.
var denyings = []string{"un", "in", "dis", "il", "non"}

var statuses = sync.OnceValue(func() map[string]status {
	out := map[string]status{}
	for n, pair := range opposites {
		plus, minus, _ := strings.Cut(pair, "|")
		for k, side := range []string{plus, minus} {
			for w := range strings.FieldsSeq(side) {
				out[fold(w)] = status{out[fold(w)].families | 1<<n, uint8(k)}
			}
		}
	}
	for n, period := range periods {
		often, lengths, _ := strings.Cut(period, "|")
		for w := range strings.FieldsSeq(often) {
			out[fold(w)] = status{periodic, uint8(firstly + n)}
		}
		for w := range strings.FieldsSeq(lengths) {
			out["per "+fold(w)] = status{periodic, uint8(firstly + n)}
		}
	}
	return out
})

// statusOf returns the status that the word i of s gives, and whether it gives one.
func statusOf(s string, ws []word, i int) (status, bool) {
	w := ws[i]
	st, ok := statuses()[w.text]
	for _, p := range denyings {
		if rest, cut := strings.CutPrefix(w.text, p); cut && !ok {
			st, ok = statuses()[rest]
			ok, st.side = ok && st.side == 0, 1
		}
	}
	if lengthOf(ws, i) {
		st, ok = statuses()["per "+w.text]
	}
	if particled.has(w.text) && spoken(ws[max(0, i-3):i], turned) { // as in "turned it down"
		return status{st.families | statuses()["failed"].families | statuses()["rejected"].families, 1}, true
	}
	before, rest := strings.TrimRight(s[:w.at], " \"'"), strings.TrimLeft(s[w.end:], "\"'`) ")
	if !ok || weak.has(w.text) && !(i > 0 && copulas.has(ws[i-1].text)) &&
		strings.Trim(rest, ".!|") != "" && rest[0] != '\n' && !strings.ContainsRune(":=", lastRune(before)) {
		return st, false
	}
	for k := i - 1; k >= 0 && k >= i-3 && !pausing(s[ws[k].end:ws[k+1].at], ",;:|()\n"); k-- {
		if negations.has(ws[k].text) || ws[k].text == "0" {
			if st.side ^= 1; st.families == periodic {
				return st, false // "not monthly" does not say which
			}
			break
		}
	}
	set := rest != "" && strings.IndexByte(":=", rest[0]) >= 0 // as in "enabled: false"
	v := i + 1
	if v < len(ws) && copulas.has(ws[v].text) { // or "enabled is false"
		v, set = v+1, true
	}
	if set && v < len(ws) && (ws[v].text == "0" || noWords.has(ws[v].text)) && st.families != periodic &&
		!(ws[v].text == "no" && v+1 < len(ws) && s[ws[v].end:ws[v+1].at] == " ") { // as in "failed: no space left"
		st.side ^= 1
	}
	return st, true
}

// universals speak of all things of a kind, so that one is enough to the contrary.
var universals = words("all every each both everything no none neither nothing alle alles jeder jede jedes kein " +
	"keine tous toutes todos todas tutti tutte")

// assertion is a status that a claim gives to what some words name.
type assertion struct {
	status
	about []word // telling words, those that a line must have marked by at < 0
	loose bool   // they are of the question, of which few may be in a line
	all   bool   // it is about all of them
}

// asserted returns the assertion of some status by words of s without the words of status themselves.
func asserted(st status, s string, ws []word, loose bool) assertion {
	a := assertion{status: st, loose: loose}
	for i, w := range ws[:min(len(ws), maxAbout)] {
		if i+1 < len(ws) && lengthOf(ws, i+1) { // the "every" of a month
			continue
		}
		a.all = a.all || universals.has(w.text)
		if _, is := statusOf(s, ws, i); is || hollow.has(w.text) || negations.has(w.text) || yesWords.has(w.text) {
			continue
		}
		if text := chunk(s, w); strings.ContainsAny(text, "0123456789") || strings.ToLower(text[1:]) != text[1:] ||
			i > 0 && unicode.IsUpper(firstRune(s[w.at:])) {
			w.at, w.text = -1, strings.ToLower(text)
			a.loose = a.loose || strings.ContainsAny(text, "0123456789")
		} else if !telling(w.text) {
			continue
		}
		a.about = append(a.about, w)
	}
	return a
}

// chunk returns the characters without spaces around a word.
func chunk(s string, w word) string {
	end := len(s)
	if i := strings.IndexAny(s[w.end:], " \t\n"); i >= 0 {
		end = w.end + i
	}
	return strings.Trim(s[strings.LastIndexAny(s[:w.at], " \t\n")+1:end], ".,:;!?()[]{}\"'`*|")
}

// Bounds on the assertions of an answer, and on the words that one is about.
const (
	maxStatuses = 16
	maxAbout    = 100
)

// statuses adds the words of status of the answer, and what they assert. They only count if a text gives what they are
// about the opposite status, or if nothing else of the answer counts.
func (t *tracer) statuses() {
	for row, r := range t.x.rows {
		s := t.x.answer[r.at:min(r.end, r.at+maxSentence)]
		ws := appendWords(nil, s)
		for i, w := range ws {
			st, ok := statusOf(s, ws, i)
			if !ok || t.supposed(s, ws, i) || len(t.claims) >= maxClaims || t.judging >= maxStatuses {
				continue
			}
			c := &claim{kind: aStatus, at: r.at + w.at, end: r.at + w.end, row: row, soft: true, hidden: true}
			if lengthOf(ws, i) {
				c.at = r.at + ws[i-1].at
			}
			c.text = t.x.answer[c.at:c.end]
			k := slices.IndexFunc(t.claims, func(o *claim) bool {
				return o.row == row && !o.hidden && o.at <= c.at && o.end >= c.end
			})
			if k >= 0 && t.claims[k].kind == aQuote && !t.claims[k].soft {
				continue
			} else if k >= 0 && (t.claims[k].kind != aName && t.claims[k].kind != aChoice ||
				len(t.claims[k].pieces[0]) > 1) {
				k = -1
			}
			from, to := clause(s, ws, i)
			if st.families == periodic && !recurs(s, ws, i, from, to) {
				continue
			}
			a := asserted(st, s[:ws[to-1].end], ws[from:to], false)
			asks := func(w word) bool { return statuses()[w.text].families&st.families != 0 }
			if c.asked = slices.ContainsFunc(t.q.words, asks); c.asked && t.q.counts && k < 0 &&
				st.families != periodic {
				continue // as in "how many fail": it says what was counted
			}
			if len(a.about) == 0 {
				a = asserted(st, t.q.body, t.q.words, true)
				a.all = asserted(st, s[:ws[to-1].end], ws[from:to], false).all
			}
			a.loose = a.loose || st.families == periodic && t.q.counts // it asks how often
			t.judging++
			if k >= 0 {
				t.claims[k].asserts = append(t.claims[k].asserts, a)
				continue
			}
			c.asserts = []assertion{a}
			t.claims = append(t.claims, c)
		}
	}
	for _, c := range t.claims { // a yes or no gives what was asked the status of the question, or its opposite
		for k := range t.q.words[:min(len(t.q.words), maxAbout)] {
			st, ok := statusOf(t.q.body, t.q.words, k)
			if c.kind != aStance || !ok || st.families == periodic || t.judging >= 2*maxStatuses {
				continue
			}
			a := asserted(st, t.q.body, t.q.words, true)
			if noWords.has(c.pieces[0][0]) {
				a.side, a.all = a.side^1, spoken(t.q.words, existentials)
			}
			c.asserts = append(c.asserts, a)
			t.judging++
		}
		if c.kind == aStance && len(c.asserts) == 0 && !spoken(t.q.words, negations) && keyAt(t.x.answer, c.at) == "" {
			a := asserted(status{families: unlisted}, t.q.body, t.q.first(), false)
			if noWords.has(c.pieces[0][0]) {
				a.side = 1
			}
			c.asserts, t.unlisted = []assertion{a}, true
			t.judging++
		}
	}
}

// existentials ask for one thing of a kind.
var existentials = words("any some anything irgendein irgendeine irgendwelche")

// pausing reports whether a gap between words has one of some marks, or a full stop, as behind the "No" of an answer.
func pausing(gap, marks string) bool {
	return strings.ContainsAny(gap, marks) || strings.HasPrefix(gap, ". ")
}

// clause returns which words of s are in the clause of the word i.
func clause(s string, ws []word, i int) (from, to int) {
	parted := func(k int) bool {
		return pausing(s[ws[k-1].end:ws[k].at], ",;(:–—") || ands.has(ws[k].text) || buts.has(ws[k].text)
	}
	for from = i; from > 0 && !parted(from); from-- {
	}
	for to = i + 1; to < len(ws) && !parted(to); to++ {
	}
	return from, to
}

var buts = words("but while whereas although though or aber während oder mais tandis ou pero mientras")

// weigh records for the claims that assert a status whether a text gives what they are about the same or the opposite
// one. Only the sentences that are most like it count.
func (t *tracer) weigh(text string, w Where) {
	if t.judging == 0 {
		return
	}
	text = text[:min(len(text), maxJudged)]
	type weight struct {
		best                int
		same, opposed, sure bool
	}
	weights := map[*assertion]*weight{}
	for at := 0; at < len(text) && t.work < maxWork; {
		from, to := at, min(sentenceEnd(text, at), at+maxRow)
		s := text[at:to]
		at = max(to, at+1)
		ws := appendWords(nil, s)
		said := make([]status, 0, 4)
		bare := true // it has nothing but a status
		refer, lone := -1, false
		for i, w := range ws {
			st, is := statusOf(s, ws, i)
			if is && !t.supposed(s, ws, i) {
				said, refer = append(said, st), i
			}
			bare = bare && (is || !telling(w.text) && !isDigit(w.text[0]))
		}
		if t.unlisted {
			if st, at, alone := t.denies(s, ws); at >= 0 {
				said, refer, lone = append(said, st), max(at, refer), alone
			}
		}
		if len(said) == 0 {
			continue
		}
		lower, sure := strings.ToLower(s), spoken(ws, universals)
		passage, lowered := []word(nil), ""
		if before := text[passageFrom(text, from):from]; strings.TrimSpace(before) != "" {
			if pws := appendWords(nil, before); refers(s, ws, refer, pws) {
				passage, lowered = append(pws, ws...), strings.ToLower(before)+lower
			}
			t.work += len(before) / 4
		}
		for k := range t.claims {
			for n := range t.claims[k].asserts {
				a := &t.claims[k].asserts[n]
				t.work += len(a.about)*len(ws)/4 + 1
				like, fits := a.like(lower, ws, bare && a.families != periodic)
				if lone && a.families == unlisted {
					like, fits = max(like, len(a.about)-1), true
				}
				if n, fit := a.like(lowered, passage, false); fit && n > like {
					like, fits = n, fit
				}
				for _, st := range said {
					if !fits || a.families&st.families == 0 || a.side > st.side && st.families == unlisted {
						continue
					}
					o := weights[a]
					if o == nil {
						o = &weight{}
						weights[a] = o
					}
					same := a.side == st.side
					if o.sure = o.sure || same && sure && st.families != unlisted; a.all && !same {
						o.opposed = true
					} else if like > o.best {
						o.best, o.same, o.opposed = like, same, !same || a.all && o.opposed
					} else if like == o.best {
						o.same, o.opposed = o.same || same, o.opposed || !same
					}
				}
			}
		}
	}
	for _, c := range t.claims {
		for n := range c.asserts {
			o, a := weights[&c.asserts[n]], &c.asserts[n]
			if o == nil {
				continue
			}
			agreed := o.sure || o.same && !(a.all && o.opposed)
			if c.agreed = c.agreed || agreed; agreed && c.place == nil && c.kind != aStance {
				c.place, c.why = &w, "stands there"
			}
			c.opposed = c.opposed || o.opposed
		}
	}
}

// like returns how much of what an assertion is about a sentence has, and whether it is enough; a bare one always is.
func (a *assertion) like(lower string, ws []word, bare bool) (int, bool) {
	n := 0
	for _, w := range a.about {
		must := w.at < 0
		if must && stands(lower, w.text, 1) || slices.ContainsFunc(ws, func(o word) bool {
			return like(w.text, o.text) || !must && akin(w.text, o.text)
		}) {
			n++
		} else if must && !bare {
			return 0, false
		}
	}
	return n, bare || n > 0 && (a.loose || 3*n >= 2*len(a.about) || a.families == unlisted && 2*n >= len(a.about))
}
