package grounding

import (
	"encoding/json"
	"strings"
)

// json finds the claims of an answer in JSON: its leaves. It reports whether the answer is JSON.
func (x *extractor) json() bool {
	s := strings.TrimSpace(x.answer)
	if s == "" || s[0] != '{' && s[0] != '[' || !json.Valid([]byte(s)) {
		return false
	}
	type level struct {
		object bool
		key    string
		leaves bool // it contains more than objects
		rows   bool // whether each of its keys names a row
	}
	stack := []level{{}}
	key := false // a key comes next
	d := json.NewDecoder(strings.NewReader(x.answer))
	for {
		from := int(d.InputOffset())
		top := &stack[len(stack)-1]
		token, err := d.Token()
		if err != nil { // the end of the answer
			return true
		}
		end := int(d.InputOffset())
		at := end - len(strings.TrimLeft(x.answer[from:end], " \t\r\n,:"))
		if _, delim := token.(json.Delim); !delim && !key {
			top.leaves = true
		}
		switch v := token.(type) {
		case json.Delim:
			if v == '}' || v == ']' {
				if stack = stack[:len(stack)-1]; stack[len(stack)-1].rows {
					x.begin(end, end)
				}
				break
			}
			if v == '{' && !top.rows && !(top.object && top.leaves) || len(stack) == 1 {
				x.record(at, end)
			}
			stack = append(stack, level{object: v == '{', key: top.key})
		case string:
			if key {
				top.key, key = v, false
				if top.rows = !top.leaves &&
					strings.HasPrefix(strings.TrimLeft(x.answer[end:], ": \t\r\n"), "{"); top.rows {
					x.record(at, end)
				}
				x.key(at+1, end-1)
				continue
			}
			if !top.object {
				x.begin(at, end)
			}
			x.leaf(at, end, top.key)
		case bool:
			x.add(claim{kind: aStance, at: at, end: end, pieces: [][]string{{x.answer[at:end]}}})
		case nil:
			x.add(claim{kind: anAbsence, at: at, end: end, soft: true, nul: true})
		case float64:
			x.plain(at, end, top.key)
		}
		key = stack[len(stack)-1].object
	}
}

// record starts a row that extends to the next object.
func (x *extractor) record(at, end int) {
	if k := strings.IndexByte(x.answer[end:min(len(x.answer), end+2048)], '{'); k >= 0 && x.answer[at] == '"' {
		end += k + 1
	}
	next := strings.IndexAny(x.answer[end:min(len(x.answer), end+2048)], "{}")
	x.begin(at, end+max(next, 0))
}

// key adds a key of an object as a hidden claim: it shows which row a number belongs to.
func (x *extractor) key(at, end int) {
	ws := foldedWords(x.answer[at:end])
	if len(ws) == 0 || len(ws) > 6 {
		return
	}
	for _, w := range ws {
		if telling(w) && len(x.q.focus) < 200 {
			x.q.focus[w] = struct{}{}
		}
	}
	x.add(claim{kind: aName, at: at, end: end, soft: true, hidden: true, pieces: [][]string{ws}})
}

// plain adds a JSON number, which has no thousands separators. Its key may give its unit.
func (x *extractor) plain(at, end int, key string) {
	text := x.answer[at:end]
	qs := quantities(nil, text, appendWords(nil, text), nil)
	if len(qs) != 1 || len(qs[0].values) == 0 {
		return
	}
	c := claim{kind: aNumber, at: at, end: end, q: qs[0]}
	for _, v := range c.q.values {
		if v.half <= c.q.values[0].half {
			c.q.values = []reading{v}
		}
	}
	c.q.rank = ranks.has(fold(key))
	for _, w := range foldedWords(key) {
		u := lookUnit(w)
		if c.q.units != nil && u != nil && u[0].kind == "time" { // as in "read_mb_s"
			continue
		}
		if u != nil && len(w) < len(key) {
			c.q.units = orBare(u)
		}
	}
	x.add(c)
}

// leaf adds a JSON string: a date, a number, a name, or a quotation; a long one is read as text.
func (x *extractor) leaf(at, end int, key string) {
	at, end = at+1, end-1
	text := strings.TrimSpace(x.answer[at:end])
	if text == "" {
		return
	}
	at += strings.Index(x.answer[at:end], text)
	end = at + len(text)
	var plain string
	if json.Unmarshal([]byte(`"`+text+`"`), &plain) != nil {
		plain = text
	}
	ws := foldedWords(plain)
	switch {
	case len(ws) == 0:
	case blank(text):
		x.add(claim{kind: aBlank, at: at, end: end})
	case !(text[0] == '+' && phone(text)) && x.quantity(at, end):
	case len(ws) == 1 && yesWords.has(ws[0]):
		x.add(claim{kind: aStance, at: at, end: end, pieces: [][]string{ws}})
	case (!quoting(key) || len(ws) < 7) && x.absence(at, end):
	case rated(plain):
		x.numbers(at, end, true)
	case x.valued(at, end):
	case len(ws) <= 5 || cjk(text) && len(ws) <= 12 || isID(text):
		if c := x.named(at, end, false); c != nil && plain != text && c.kind != anID {
			c.pieces = [][]string{ws}
		}
	case quoting(key) || !strings.ContainsAny(text, "0123456789") && len(ws) <= 8:
		c := claim{kind: aQuote, at: at, end: end, pieces: pieces(plain)}
		if !quoting(key) {
			c.tell(text)
		}
		x.add(c)
	default:
		x.text(at, end)
	}
}

// valued adds a name and its number, as in "Oslo (79.6)" and "Oslo: 79.6". It reports whether it did.
func (x *extractor) valued(at, end int) bool {
	name, number, ok := strings.Cut(x.answer[at:end], ": ")
	if !ok {
		name, number, ok = strings.Cut(strings.TrimSuffix(x.answer[at:end], ")"), " (")
	}
	from := at + strings.LastIndex(x.answer[at:end], number)
	return ok && len(name) < 40 && x.quantity(from, from+len(number)) && x.named(at, at+len(name), false) != nil
}

// quoting reports whether the name of a field suggests that it quotes the text.
func quoting(key string) bool {
	for _, k := range []string{
		"quot", "cit", "sentence", "passage", "excerpt", "evidence", "text", "verbatim", "clause", "wording", "zitat",
		"satz", "wortlaut", "phrase", "extract", "line", "subject", "title", "betreff", "titel", "message",
	} {
		if strings.Contains(fold(key), k) {
			return true
		}
	}
	return false
}

// ranks are keys whose numbers are ranks.
var ranks = words("rank place position pos platz rang rangliste rang posizione puesto")
