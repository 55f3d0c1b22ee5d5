package grounding

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"
)

// mostLiterals bounds the literals of a cell that are searched for in earlier texts.
const mostLiterals = 16

// declares collects the names that a statement declares.
func (c *code) declares(d ast.Decl) {
	if c.locals == nil {
		c.locals = set{}
	}
	declare := func(es ...ast.Expr) {
		for _, e := range es {
			if id, ok := e.(*ast.Ident); ok {
				c.locals[id.Name] = struct{}{}
			} else if x, ok := e.(*ast.IndexExpr); ok && calledName(x) == "answer" {
				c.locals["answer"] = struct{}{}
			}
		}
	}
	ast.Inspect(d, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			if n.Tok == token.DEFINE || n.Tok == token.ASSIGN {
				declare(n.Lhs...)
			}
		case *ast.RangeStmt:
			declare(n.Key, n.Value)
		case *ast.ValueSpec:
			declare(exprs(n.Names)...)
		case *ast.Field:
			declare(exprs(n.Names)...)
		}
		return true
	})
}

// builtin reports whether a name is a builtin function of Go.
func builtin(name string) bool {
	_, ok := types.Universe.Lookup(name).(*types.Builtin)
	return ok
}

// standard are packages that read nothing but their arguments.
var standard = words(`fmt strings strconv sort slices maps regexp math rand unicode utf8 utf16 bytes json errors base64
 hex binary csv xml html url base32 ascii85 quotedprintable mime io gzip zlib flate template tabwriter bufio bits big cmp sha256 sha1 md5 crc32`)

// seen reports whether a literal of a cell was seen before: half of its lines or more, no line twice.
func (t *tracer) seen(literal string) bool {
	const least = 3 // shorter literals occur in a text by chance; a question is short
	lines := strings.Split(strings.TrimSpace(literal), "\n")
	share, ok := strings.CutPrefix(literal, "0.")
	if ok && (t.seen(unpadded(share)+"%") || len(share) == 1 && t.seen(share+"0%")) { // as in 0.19 for 19%
		return true
	}
	found := set{}
	for _, l := range lines[:min(len(lines), 2*mostLiterals)] {
		l = strings.TrimSuffix(strings.TrimSpace(l), ".0")
		if len(l) > 9 && l[4] == '-' && l[7] == '-' && t.saw([3]string{l[:4], unpadded(l[5:7]), unpadded(l[8:10])}) {
			found[l] = struct{}{}
			continue
		}
		for _, l := range append(separated(l), l, strings.Replace(l, "%", " %", 1)) { // 84216 is the 84,216 of a text
			if stands(t.run.Question, l, 1) || slices.ContainsFunc(t.texts, func(text string) bool {
				t.work += len(text) / 16
				// Assume that one was seen.
				return t.work > maxWork || stands(text, l, least) ||
					len(l) == 2 && len(text) < 1<<12 && isField(text, l)
			}) {
				found[l] = struct{}{}
				break
			}
		}
		if _, ok := found[l]; !ok && t.countsAs(l) {
			found[l] = struct{}{}
		}
	}
	return 2*len(found) >= min(len(lines), 2*mostLiterals)
}

// isField reports whether a text has a number of two digits by itself, and not in a time, a date or a decimal.
func isField(text, number string) bool {
	return isDigit(number[0]) && slices.Contains(strings.FieldsFunc(text, func(r rune) bool {
		return strings.ContainsRune(" \t\n,;|[](){}", r)
	}), number)
}

// unpadded returns a number without its leading noughts.
func unpadded(number string) string { return strings.TrimLeft(number, "0") }

// saw reports whether a year, month and day stand near each other in what was seen before.
func (t *tracer) saw(parts [3]string) bool {
	month, _ := strconv.Atoi(parts[1])
	month = max(month, months()[fold(parts[1])])
	is := func(w, part string) bool { // 1 is the day of 1er and 1st
		rest, ok := strings.CutPrefix(unpadded(w), part)
		return ok && !isDigit(byteAt(rest, 0)) && len(rest) < 4
	}
	return slices.ContainsFunc(append([]string{t.run.Question}, t.texts...), func(text string) bool {
		for from := 0; t.work < maxWork; {
			i := strings.Index(text[from:], parts[0])
			if i < 0 {
				t.work += len(text) / 16
				return false
			}
			i += from
			from = i + len(parts[0])
			day, named := false, false
			for _, w := range appendWords(nil, text[max(0, i-20):min(len(text), from+7)]) {
				day = day || is(w.text, parts[2])
				named = named || is(w.text, strconv.Itoa(month)) || months()[w.text] == month
			}
			if day && named {
				return true
			}
		}
		return true
	})
}

// separated returns a number of more than three digits with the separators of thousands.
func separated(l string) (out []string) {
	whole, _, _ := strings.Cut(l, ".")
	if n := len(whole); n > 3 && n < 16 && strings.Trim(l, "0123456789.") == "" {
		for _, sep := range []string{",", ".", " ", "'", "\u202f", "\u00a0"} {
			s := whole[:(n-1)%3+1]
			for i := len(s); i < n; i += 3 {
				s += sep + whole[i:i+3]
			}
			out = append(out, s)
		}
	}
	return out
}

// picks reports whether an output has one of some literals, and lacks another.
func picks(literals, out string) bool {
	some, lacks := false, false
	for l := range strings.Lines(literals) {
		if l = strings.TrimSpace(l); len(l) > 1 {
			has := stands(out, l, 2)
			some, lacks = some || has, lacks || !has
		}
	}
	return some && lacks
}

// stands reports whether a text has a literal of at least this many bytes, a short one as a word of its own.
func stands(text, literal string, least int) bool {
	literal = strings.TrimSuffix(literal, ".0")
	i := strings.Index(text, literal)
	return i >= 0 && len(literal) >= least &&
		(len(literal) > 11 || !isWord(lastRune(text[:i])) && !isWord(firstRune(text[i+len(literal):])))
}

// feed marks the claims that a reply says back: the model wrote them into the prompt of the sub-call, not as one of
// several that it offers, and the rest of the prompt does not have them. Without a call, at the start of a cell, it
// removes the marks.
func (t *tracer) feed(call *Call) {
	if call == nil {
		for _, c := range t.claims {
			c.fed = false
		}
		return
	}
	open := func(c *claim) bool {
		return c.place == nil && (c.kind == anID || c.kind == aNumber && c.q.digits > 1 ||
			c.kind == aName && len(c.pieces[0]) > 1)
	}
	rest := call.Prompt
	for _, l := range t.made.prompts {
		if !strings.Contains(rest, l) {
			continue
		}
		rest = strings.ReplaceAll(rest, l, "\n")
		t.read(l, open, func(i int, _ *row, from, to int) {
			before, behind := strings.TrimRight(l[:from], " \"'`"), strings.TrimLeft(l[to:], " \"'`")
			t.claims[i].fed = !strings.ContainsRune(",;:/|\n([-", lastRune(before)) &&
				!strings.ContainsRune(",;/|\n", firstRune(behind)) && !strings.HasPrefix(behind, "or ")
		})
	}
	t.read(rest, func(c *claim) bool { return c.fed }, func(i int, _ *row, _, _ int) { t.claims[i].fed = false })
}
