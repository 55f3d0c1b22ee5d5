package grounding

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// closers maps opening quotes to their closing quotes.
var closers = map[rune]string{
	'"': "\"", '“': "”\"", '„': "“”\"", '«': "»", '»': "«", '「': "」", '『': "』", '‹': "›", '‘': "’'", '\'': "'",
	'`': "`",
}

// quotes adds the quotations between at and end, also code in backquotes; inside a word a quote is an apostrophe.
func (x *extractor) quotes(at, end int) {
	for i := at; i < end; {
		r, n := utf8.DecodeRuneInString(x.answer[i:end])
		if fence := len(x.answer[i:end]) - len(strings.TrimLeft(x.answer[i:end], "`")); fence > 1 { // a code fence
			i += fence
			continue
		}
		ends := closers[r]
		i += n
		if ends == "" || strings.ContainsRune("'‘\"", r) && isWord(lastRune(x.answer[at:i-n])) {
			continue
		}
		s := x.answer[i:min(end, i+maxSentence)]
		if k := strings.Index(s, "\n\n"); k >= 0 {
			s = s[:k]
		}
		for p, c := range s {
			if strings.ContainsRune(ends, c) &&
				(r != '\'' && r != '‘' || p > 0 && !isWord(firstRune(s[p+utf8.RuneLen(c):]))) {
				x.quote(i, i+p, r == '`')
				i += p + utf8.RuneLen(c)
				break
			}
		}
	}
}

// quote adds the words between from and to as a quotation, or as a name if there is only one.
func (x *extractor) quote(from, to int, plain bool) {
	text := strings.TrimSpace(x.answer[from:to])
	at := from + strings.Index(x.answer[from:to], text)
	end := at + len(text)
	ws := foldedWords(text)
	switch {
	case !x.free(from, to) || text == "" || plain && assigns(text):
	case blank(text):
		x.add(claim{kind: aBlank, at: at, end: end})
	case len(ws) == 0:
	case len(ws) == 1 || isID(text) || (plain || alone(firstRune(text))) && len(ws) <= 4:
		if !x.quantity(at, end) {
			x.named(at, end, false)
		}
	default:
		x.add(claim{kind: aQuote, at: at, end: end, pieces: pieces(text)})
	}
}

// gaps replaces the marks of omissions in quotations.
var gaps = strings.NewReplacer(
	"[...]", "\x00", "[…]", "\x00", "(...)", "\x00", "(…)", "\x00", "...", "\x00", "…", "\x00")

// pieces returns the folded words of a quotation, split at omissions.
func pieces(text string) [][]string {
	var out [][]string
	for _, piece := range strings.Split(gaps.Replace(text), "\x00") {
		if ws := foldedWords(piece); len(ws) > 0 {
			out = append(out, ws[:min(len(ws), 400)])
		}
	}
	return out
}

// placeholders are texts that models write instead of an answer.
var placeholders = phrases(
	"your answer", "your answer here", "answer here", "the answer", "insert answer", "insert answer here",
	"todo", "tbd", "xxx", "placeholder",
	"final answer", "your final answer", "your final answer here", "the final answer", "answer goes here",
	"ihre antwort", "deine antwort hier",
	"antwort hier", "result here", "value here", "lorem ipsum", "...", "…", "???", "n",
)

// blank reports whether a text is a placeholder.
func blank(s string) bool {
	f := strings.Trim(fold(s), " .!\"'\n")
	if slices.Contains(placeholders(), f) {
		return true
	}
	for _, b := range []string{"<>", "[]", "{}"} {
		if len(f) > 2 && f[0] == b[0] && f[len(f)-1] == b[1] && len(f) < 42 && f[1] != '^' {
			return !strings.ContainsAny(f[1:len(f)-1], "<>[]{}\":,\n")
		}
	}
	return len(f) > 1 && len(f) < 5 && f[0] == '%'
}

// unfilled returns the length of the placeholder of a format or a template at i, such as %-8.2f, ${n} or {{.N}}, or 0.
func unfilled(s string, i int) int {
	switch {
	case s[i] == '%' && (i == 0 || strings.IndexByte(" (:=|\n\"*[", s[i-1]) >= 0) &&
		!unicode.IsDigit(lastRune(strings.TrimRight(s[:i], " "))):
		verb := strings.TrimLeft(s[i+1:], "+-#0123456789.*")
		if verb != "" && strings.IndexByte("vTtbcdoqxXUeEfFgGsp", verb[0]) >= 0 && !isWord(firstRune(verb[1:])) {
			return len(s) - i - len(verb) + 1
		}
	case strings.HasPrefix(s[i:], "0xc0"): // a pointer that Go printed
		if n := len(s[i:]) - len(strings.TrimLeft(s[i+2:], "0123456789abcdef")); n > 11 {
			return n
		}
	case strings.HasPrefix(s[i:], "${"), strings.HasPrefix(s[i:], "{{"):
		n := strings.IndexByte(s[i:], '}')
		if n > 2 && n < 42 && !strings.ContainsAny(s[i+2:i+n], "{\"\n") {
			return n + len(s[i+n:]) - len(strings.TrimLeft(s[i+n:], "}"))
		}
	}
	return 0
}

// assigns reports whether code gives a name a value, as in "retries = 5": both are claims of their own.
func assigns(code string) bool {
	name, value, ok := strings.Cut(code, " = ")
	return ok && name != "" && value != "" && !strings.ContainsAny(name+value, " \n")
}

// withoutBrackets returns the answer, with blanks for the brackets of a list that Go printed, which is no placeholder:
// it has no letters, or it was printed, held or handed in before a cell wrote it out.
func withoutBrackets(run *Run) string {
	a := run.Answer
	inner, open := strings.CutPrefix(a, "[")
	inner, closed := strings.CutSuffix(inner, "]")
	if !open || !closed || len(run.Turns) == 0 || strings.ContainsAny(inner, "[]{}\"\n") {
		return a
	}
	printed := !strings.ContainsFunc(inner, unicode.IsLetter)
	for _, turn := range run.Turns {
		for _, cell := range turn.Cells {
			if !printed && strings.Contains(cell.Code, inner) {
				return a
			}
			shown := strings.Contains(cell.Code, "FINAL") || strings.Contains(cell.Output, a)
			printed = printed || !cell.Failed && (shown ||
				slices.ContainsFunc(cell.Variables, func(v Variable) bool { return v.Value == a }))
		}
	}
	if !printed {
		return a
	}
	return " " + inner + " "
}
