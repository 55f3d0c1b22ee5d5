package layout

import "slices"

// minLeader is how many dots make a leader rather than an ellipsis.
const minLeader = 5

// shortened replaces each leader with one sign. A leader is the dots between a text and its number in tables of
// contents and price lists. leads reports whether there are any.
func shortened(words []word) (out []word, leads bool) {
	dots := 0
	for _, w := range words {
		dots += dotsIn(w.glyphs)
	}
	if dots < minLeader {
		return words, false
	}
	out = make([]word, 0, len(words))
	var run []word // consecutive words of dots
	dots = 0       // number of dots in the run
	flush := func() {
		if dots < minLeader {
			out = append(out, run...)
		} else {
			leads = true
			out = append(out, leaderOf(run))
		}
		run, dots = nil, 0
	}
	for _, w := range words {
		for _, part := range parts(w) {
			if n := len(run); n > 0 && part.x0-run[n-1].x1 > part.size { // dots of another cell
				flush()
			}
			if !slices.ContainsFunc(part.glyphs, func(g glyph) bool { return dotsOf(g.text) == 0 }) {
				run = append(run, part)
				dots += dotsIn(part.glyphs)
				continue
			}
			led := dots >= minLeader
			flush()
			part.spaced = part.spaced || led
			out = append(out, part)
		}
	}
	flush()
	return out, leads
}

func leaderOf(dots []word) word {
	first, last := dots[0], dots[len(dots)-1]
	sign := first.glyphs[0]
	sign.text, sign.w = "…", last.x1-first.x0
	return word{
		glyphs: []glyph{sign}, x0: first.x0, x1: last.x1, y: first.y, size: first.size, spaced: true,
		leader: true,
	}
}

// parts splits a word at the ends of each leader in it.
func parts(w word) []word {
	if dotsIn(w.glyphs) < minLeader {
		return []word{w}
	}
	var out []word
	add := func(glyphs []glyph) {
		if len(glyphs) > 0 {
			part := newWord(slices.Clone(glyphs))
			part.y, part.spaced = w.y, w.spaced && len(out) == 0
			out = append(out, part)
		}
	}
	start := 0
	for from := 0; from < len(w.glyphs); {
		to := from
		for to < len(w.glyphs) && dotsOf(w.glyphs[to].text) > 0 {
			to++
		}
		if dotsIn(w.glyphs[from:to]) >= minLeader {
			add(w.glyphs[start:from])
			add(w.glyphs[from:to])
			start = to
		}
		from = max(to, from+1)
	}
	add(w.glyphs[start:])
	return out
}

func dotsIn(glyphs []glyph) (n int) {
	for _, g := range glyphs {
		n += dotsOf(g.text)
	}
	return n
}

// dotsOf returns how many leader dots a character shows; 0 for other characters.
func dotsOf(text string) int {
	switch text {
	case ".", "·", "․", "∙", "⋅":
		return 1
	case "‥":
		return 2
	case "…", "⋯":
		return 3
	}
	return 0
}

// join merges a text, its leader and the number after it. If further numbers follow, the row belongs to a table and
// stays. This also works within the columns of an index.
func (r *row) join() {
	out := r.segments[:0:0]
	leads := func(i int) bool {
		return i < len(r.segments) && r.segments[i].words[len(r.segments[i].words)-1].leader
	}
	for i := 0; i < len(r.segments); i++ {
		s := r.segments[i]
		if leads(i) && i+1 < len(r.segments) && !leads(i+1) && (i+2 == len(r.segments) || !isNumber(r.segments[i+2])) {
			next := r.segments[i+1]
			next.words[0].spaced = true
			s = newSegment(slices.Concat(s.words, next.words))
			r.entry = true
			i++
		}
		out = append(out, s)
	}
	r.segments = out
}
