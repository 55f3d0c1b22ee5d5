package grounding

import (
	"slices"
	"strings"
	"unicode"
)

// joints stand between a role and who has it, as in "moved by Cllr Rudge" and "zuständig ist Frau Thoms".
var joints = words("by is was are were von durch ist war bleibt sind par est était por es da é")

// rolesOf returns the words of the answer that say what somebody whom a claim names has done or is, as in "moved by"
// and "is responsible", or those of the question if there are none.
func (t *tracer) rolesOf(c *claim) (roles []string, own bool) {
	s, r := t.x.answer, t.x.rows[c.row]
	if key := keyAt(s, c.at); key != "" {
		return slices.DeleteFunc(foldedWords(key), func(w string) bool { return !namesRole(w) }), true
	}
	before, behind := appendWords(nil, s[r.at:c.at]), appendWords(nil, s[c.end:max(c.end, r.end)])
	n := len(before)
	for w := ""; n > 0; n-- { // as in "the treasurer in 1962 was Mr"
		if w = before[n-1].text; !titles.has(w) && !joints.has(w) && !prepositions.has(w) && !isDigit(w[0]) {
			break
		}
	}
	if n > 0 && namesRole(before[n-1].text) && (spoken(before[n:], joints) ||
		strings.TrimSpace(s[r.at+before[n-1].end:c.at]) == ":") {
		roles = append(roles, before[n-1].text)
	}
	if len(behind) > 1 && joints.has(behind[0].text) && namesRole(behind[1].text) &&
		s[c.end:c.end+behind[0].at] == " " {
		roles = append(roles, behind[1].text)
	}
	if len(roles) > 0 {
		return roles, true
	}
	for _, w := range t.q.words[:min(len(t.q.words), 60)] {
		if namesRole(w.text) {
			roles = append(roles, w.text)
		}
	}
	return roles, false
}

func namesRole(w string) bool { return len(w) > 4 && telling(w) && !isDigit(w[0]) }

// inOtherRole reports whether a text gives another name the role that the answer gives the one of a claim: everywhere,
// or in the passage that has the other values of the claim's sentence.
func (t *tracer) inOtherRole(c *claim) bool {
	if c.kind != aName || c.hidden || c.row < 0 || c.row >= len(t.x.rows) || !unicode.IsUpper(firstRune(c.text)) ||
		len(t.text) > maxJudged {
		return false
	}
	roles, own := t.rolesOf(c)
	if len(roles) == 0 {
		return false
	}
	t.work += len(t.text) / 4
	ws := appendWords(nil, t.text)
	rivals, most, has := 0, 0, false
	for i := range ws {
		if !slices.ContainsFunc(roles, func(r string) bool { return akin(r, ws[i].text) }) {
			continue
		}
		name := t.nameBehind(ws, i)
		if len(name) == 0 {
			continue
		}
		if t.work += len(t.text) / 8; t.work > maxWork/2 {
			return false
		}
		at, end := t.item(ws[i].at)
		in := func(s span) bool { return at <= s.p && s.p < end }
		mates := 0
		for _, o := range t.claims {
			if o.row == c.row && o.at != c.at && !o.hidden && !o.neutral && o.kind != aStance &&
				len(o.records) > 0 && !slices.ContainsFunc(o.records, func(s span) bool { return !in(s) }) {
				mates++
			}
		}
		switch is := slices.ContainsFunc(name, func(w word) bool { return slices.Contains(c.pieces[0], w.text) }); {
		case is && mates > 0:
			return false
		case is:
			has = true
		case own && t.elsewhereNamed(c, name): // it has that role in another record
		default:
			rivals++
			if !slices.ContainsFunc(c.records, in) {
				most = max(most, mates)
			}
		}
	}
	if has { // one value may as well have the wrong name
		return most > 1
	}
	return most > 0 || own && rivals == 1
}

// elsewhereNamed reports whether another sentence or record of the answer has the name of some words.
func (t *tracer) elsewhereNamed(c *claim, name []word) bool {
	return slices.ContainsFunc(t.claims, func(o *claim) bool {
		return o.kind == aName && !o.hidden && o.row >= 0 && o.row != c.row && len(o.pieces[0]) > 1 &&
			keyAt(t.x.answer, o.at) == keyAt(t.x.answer, c.at) &&
			!slices.ContainsFunc(o.pieces[0], func(p string) bool { return !slices.Contains(texts(name), p) })
	})
}

// nameBehind returns the words of a name that the role i is joined to, as in "Responsible: Mr Adeyemi".
func (t *tracer) nameBehind(ws []word, i int) []word {
	k, joined := i+1, false
	// An "M." may be an initial.
	for k < len(ws) && (titles.has(ws[k].text) && len(ws[k].text) > 1 || joints.has(ws[k].text)) {
		k, joined = k+1, true
	}
	if k >= len(ws) {
		return nil
	}
	gap := t.text[ws[i].end:ws[i+1].at]
	if strings.HasPrefix(gap, "  ") && (i == 0 || strings.Contains(t.text[ws[i-1].end:ws[i].at], "\n")) {
		gap = ":" // as in a table of roles and names
	}
	if gap = strings.TrimSpace(gap); k == i+1 && gap != ":" || !joined && gap != ":" || gap != "" && gap != ":" {
		return nil
	}
	n, one := k, 0                       // one is how many words the first name has
	for ; n < len(ws) && n < k+20; n++ { // more names may follow
		gap := ""
		if n > k {
			gap = strings.Trim(t.text[ws[n-1].end:ws[n].at], " .")
		}
		capital := unicode.IsUpper(firstRune(t.text[ws[n].at:]))
		if !capital && !ands.has(ws[n].text) && !strings.HasPrefix(gap, "(") || strings.ContainsAny(gap, ":;\n") {
			break
		}
		if one == 0 && gap != "" {
			one = n - k
		}
	}
	if one == 0 {
		one = n - k
	}
	if one < 2 && (t.x.german || !titles.has(ws[k-1].text)) { // it may be another word
		return nil
	}
	return ws[k:n]
}

// item returns the bounds of the numbered item or paragraph at p.
func (t *tracer) item(p int) (at, end int) {
	head := func(line string) bool {
		first, _, _ := strings.Cut(strings.TrimSpace(line), " ")
		rest := strings.TrimLeft(strings.TrimSpace(line)[len(first):], " ")
		short := len(first) < 5 && strings.ToUpper(first) == first
		return first == "" || strings.Trim(first, "-") == "" || isDigit(first[0]) ||
			short && (isDigit(byteAt(rest, 0)) || isDigit(first[len(first)-1]))
	}
	from := 0
	for line := range strings.Lines(t.text) {
		if head(line) {
			if from > p {
				return at, from
			}
			at = from
		}
		from += len(line)
	}
	return at, from
}
