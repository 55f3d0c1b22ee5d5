package grounding

import "strings"

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
