package grounding

import (
	"slices"
	"strings"
)

// aroundLine returns the words of the lines before and after that of a number in wrapped prose; for a small number,
// only those of its sentence that are near it.
func (t *tracer) aroundLine(q *quantity, r *row, small bool) (ws []word) {
	line := func(p int) (int, int) { // the start and end of the line that has p
		at := max(strings.LastIndexByte(t.text[:p], '\n')+1, p-maxRow)
		n := strings.IndexByte(t.text[p:min(len(t.text), p+maxRow)], '\n')
		if n < 0 {
			n = 0
		}
		return at, p + n
	}
	add := func(at, end int) {
		for _, w := range appendWords(nil, t.text[at:end]) {
			ws = append(ws, word{text: w.text, at: w.at + at, end: w.end + at})
		}
	}
	if r.entry || t.shapeOf(r) != 0 || strings.ContainsAny(t.text[r.at:r.end], "\t|=") ||
		strings.Contains(t.text[r.at:r.end], "  ") {
		return nil
	}
	t.work += maxRow / 4
	ended := func(at, end int) bool { return small && strings.ContainsAny(t.text[at:end], ".;:!?|") }
	if at, end := line(max(0, r.at-1)); end < r.at && end-at >= minWrapped && !ended(r.at, q.at) {
		if i := strings.LastIndexAny(t.text[at:end], ".;:!?|"); small && i >= 0 {
			at += i
		}
		add(at, end)
	}
	if end := r.end + 1; r.end-r.at >= minWrapped && end < len(t.text) && !ended(q.end, r.end) {
		_, to := line(end)
		if i := strings.IndexAny(t.text[end:to], ".;:!?|"); small && i >= 0 {
			to = end + i
		}
		add(end, to)
	}
	return ws
}

// maxEnclosing bounds how far before a row the keys that enclose it are searched for.
const maxEnclosing = 4 << 10

// enclosing returns the words of the two nearest keys that enclose an entry of an indented configuration: the "pool" of
//
//	"pool": {
//	  "min": 4
func (t *tracer) enclosing(r *row) (ws []word) {
	indent := func(line string) int { return len(line) - len(strings.TrimLeft(line, " \t-")) }
	line := t.text[strings.LastIndexByte(t.text[:r.at], '\n')+1 : r.end]
	if !strings.ContainsAny(line, ":=") {
		return nil
	}
	base := max(0, r.at-maxEnclosing)
	depth, above := indent(line), t.text[base:r.at]
	t.work += len(above) / 16
	for n := 0; n < 2 && above != ""; {
		above = strings.TrimSuffix(above, "\n")
		i := strings.LastIndexByte(above, '\n') + 1
		head := strings.TrimRight(above[i:], " \r{[")
		section := len(head) > 2 && head[0] == '[' && head[len(head)-1] == ']'
		if section || head != "" && indent(head) < depth && head[len(head)-1] == ':' {
			for _, w := range appendWords(nil, head) {
				ws = append(ws, word{text: w.text, at: base + i + w.at, end: base + i + w.end})
			}
			depth = indent(head)
			n++
		}
		if section {
			break
		}
		above = above[:i]
	}
	return ws
}

// section is a part of a text under a head of its own, such as a recipe.
type section struct {
	at, end int
	words   []string // telling words of its head
}

// sections returns the parts of the text around p that follow an empty line and start with a short head.
func (t *tracer) sections(p int) (out []section) {
	from, to := max(0, p-maxAround), min(len(t.text), p+maxAround)
	t.work += (to - from) / 16
	for at := from; at < to; {
		end := to
		if i := strings.Index(t.text[at:to], "\n\n"); i >= 0 {
			end = at + i
		}
		head, body, _ := strings.Cut(strings.TrimLeft(t.text[at:end], "\n"), "\n")
		ws := slices.DeleteFunc(foldedWords(head), func(w string) bool { return !telling(w) })
		if len(head) < 60 && len(ws) > 0 && len(ws) < 6 && body != "" && !strings.HasSuffix(head, ".") &&
			!strings.ContainsAny(head, "0123456789|\t") && (at > 0 || from == 0) {
			out = append(out, section{at, end, ws})
		}
		at = end + 2
	}
	return out
}

// otherSection reports whether a number of a place at p is in another section than the one that the answer's sentence
// or the question names, which has another such number of the same, as the sugar of two recipes.
func (t *tracer) otherSection(c *claim, p int) bool {
	if c.q.isDate || c.year > 0 || c.q.units == nil || t.work > maxWork/2 || !strings.Contains(t.text, "\n\n") {
		return false
	}
	all := t.sections(p)
	k := slices.IndexFunc(all, func(s section) bool { return s.at <= p && p < s.end })
	if k < 0 || len(all) < 2 {
		return false
	}
	own := all[k]
	apart := func(ws, of []string) []string {
		return slices.DeleteFunc(slices.Clone(ws), func(w string) bool {
			return slices.ContainsFunc(of, func(o string) bool { return like(o, w) })
		})
	}
	said := t.answerWords(c)
	for _, others := range [][]string{said, texts(t.q.words[:min(len(t.q.words), 200)])} {
		other := false
		for _, s := range all {
			if s.at == own.at {
				continue
			}
			mine, its := apart(own.words, s.words), apart(s.words, own.words)
			if len(mine) == 0 || len(its) == 0 || named(mine, others, false) {
				return false
			}
			other = other || named(its, others, false) && t.rivals(c, t.text[s.at:s.end])
		}
		if other {
			return true
		}
	}
	return false
}

// rivals reports whether a line of a section has another number of the claim's kind and a word next to the claim.
func (t *tracer) rivals(c *claim, s string) bool {
	for line := range strings.Lines(s) {
		ws := foldedWords(line)
		if slices.ContainsFunc(c.around, func(w string) bool {
			return telling(w) && lookUnit(w) == nil && slices.Contains(ws, w)
		}) && t.measures(c, line) {
			return true
		}
	}
	return false
}
