package grounding

import (
	"slices"
	"strings"
)

// naming are fields of records that tell what a record is of.
var naming = words(`name svc service host hostname user username customer client product item city country id key team model author title
 region sku department dept employee component module app application server node shop store station account vendor supplier company
 project package`)

// field is a string field of a record in JSON.
type field struct {
	key   string
	words []string // of its value
}

// fieldsOf returns the fields of a line of JSON that name what it is of.
func fieldsOf(line string) (out []field) {
	if !strings.HasPrefix(line, "{") || len(line) > maxRecord {
		return nil
	}
	for part := range strings.SplitSeq(strings.ReplaceAll(line, `,"`, `, "`), `", "`) {
		part = part[strings.LastIndex(part, `, "`)+1:]
		key, value, ok := strings.Cut(part, `":`)
		key = strings.Trim(key, `{", `)
		value = strings.Trim(value, `"} `)
		ws := foldedWords(value)
		if ok && naming.has(strings.ToLower(key)) && len(ws) > 0 && len(ws) < 4 && telling(ws[0]) {
			out = append(out, field{key, ws})
		}
	}
	return out
}

// ofOtherObject reports whether a number or date is in a line s of JSON that is of another thing than its sentence, or
// else the question, names: another line like it has that thing in the same field.
func (t *tracer) ofOtherObject(c *claim, s span) bool {
	if c.kind != aNumber || c.row < 0 || c.row >= len(t.x.rows) || t.work > maxWork/2 {
		return false
	}
	own := fieldsOf(t.text[s.at:s.end])
	if len(own) == 0 {
		return false
	}
	r := t.x.rows[c.row]
	scope := foldedWords(t.x.answer[r.at:min(r.end, r.at+maxSentence)])
	if slices.ContainsFunc(scope, comparing) {
		return false
	}
	has := func(f field) bool {
		return !slices.ContainsFunc(f.words, func(w string) bool { return !slices.Contains(scope, w) })
	}
	from, end := max(0, s.at-maxAround), min(len(t.text), s.end+maxAround)
	t.work += (end - from) / 4
	for line := range strings.Lines(t.text[from:end]) {
		for _, f := range fieldsOf(line) {
			i := slices.IndexFunc(own, func(o field) bool { return o.key == f.key })
			if i >= 0 && has(f) && !slices.Equal(f.words, own[i].words) && !slices.ContainsFunc(own, has) {
				return true
			}
		}
	}
	return false
}

// headsItem reports whether the text between two offsets is a quoted item of a list or an object, as JSON has them, or
// its beginning, before a separator: "gateway", "2. gateway: 75".
func (t *tracer) headsItem(r *row, from, to int) bool {
	at := strings.LastIndexByte(t.text[r.at:from], '"')
	end := strings.IndexByte(t.text[to:r.end], '"')
	if at < 1 || end < 0 || strings.IndexByte("[{,", t.text[r.at+at-1]) < 0 ||
		to+end+1 < r.end && strings.IndexByte("]},:", t.text[to+end+1]) < 0 {
		return false
	}
	head, tail := t.text[r.at+at+1:from], t.text[to:to+end]
	if n := strings.TrimLeft(head, "0123456789"); n == ". " || n == ") " {
		head = ""
	}
	return head == "" && (tail == "" || strings.IndexByte(":=|", tail[0]) >= 0)
}
