package evidence

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gorlm/rlm/internal/kit/startup"
)

// inText finds the text of block quotes, code spans and quotation marks. Fenced code is not a quotation.
func inText(text string) (out []string) {
	var block, paragraph []string
	fence := ""
	flush := func() {
		if q := strings.Join(block, "\n"); strings.TrimSpace(q) != "" {
			out = append(out, bare(q))
		}
		out = append(out, inParagraph(strings.Join(paragraph, "\n"))...)
		block, paragraph = nil, nil
	}
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		trimmed := strings.TrimLeft(line, " ")
		switch quoted, isQuote := strings.CutPrefix(trimmed, ">"); {
		case fence != "":
			if strings.HasPrefix(trimmed, fence) {
				fence = ""
			}
		case strings.HasPrefix(trimmed, "```"), strings.HasPrefix(trimmed, "~~~"):
			flush()
			fence = trimmed[:3]
		case isQuote:
			if len(paragraph) > 0 {
				flush()
			}
			quoted = strings.TrimSpace(strings.TrimLeft(quoted, "> "))
			if quoted == "" || isAttribution(quoted) {
				flush()
				continue
			}
			block = append(block, quoted)
		case trimmed == "":
			flush()
		default:
			if len(block) > 0 {
				flush()
			}
			paragraph = append(paragraph, line)
		}
	}
	flush()
	return out
}

// isAttribution reports whether a line of a block quote names its author.
func isAttribution(line string) bool {
	for _, dash := range []string{"—", "–", "-- ", "― "} {
		if strings.HasPrefix(line, dash) {
			return true
		}
	}
	return false
}

// bare removes the quotation marks and the emphasis around a quotation.
func bare(q string) string {
	const deepest = 4
	for range deepest {
		t := strings.Trim(strings.TrimSpace(withoutMarks(q)), "*_")
		for open, closings := range pairs {
			for _, closing := range closings {
				if inner, ok := strings.CutPrefix(t, string(open)); ok && strings.HasSuffix(inner, string(closing)) {
					t = strings.TrimSuffix(inner, string(closing))
				}
			}
		}
		if t == q {
			return t
		}
		q = t
	}
	return q
}

// pairs maps opening quotation marks to their closing ones.
var pairs = map[rune]string{
	'"': `"`, '“': "”", '„': "“”", '«': "»", '»': "«", '‹': "›", '›': "‹", '‘': "’", '‚': "‘’", '「': "」", '『': "』",
	'〝': "〞", '＂': "＂",
}

// span matches a code span. One that begins with two backticks ends with two.
var span = startup.Regexp("``(?:[^`]|`[^`])+``|`[^`]+`")

// inParagraph finds code spans and text in quotation marks.
func inParagraph(text string) (out []string) {
	rest := text
	if strings.Contains(text, "`") {
		for _, code := range span().FindAllString(text, -1) {
			out = append(out, strings.TrimSpace(strings.Trim(code, "`")))
		}
		rest = span().ReplaceAllStringFunc(text, func(code string) string { return strings.Repeat("x", len(code)) })
	}
	return append(out, inMarks(text, rest)...)
}

// inMarks finds text in quotation marks. rest is text with code masked, and has the same length.
func inMarks(text, rest string) (out []string) {
	open := map[rune]bool{} // marks that are not closed in the rest of the text
	for i := 0; i < len(rest); {
		r, n := utf8.DecodeRuneInString(rest[i:])
		closing, opens := pairs[r]
		if !opens || open[r] || !canOpen(r, rest[:i], rest[i+n:]) {
			i += n
			continue
		}
		end := i + n
		length := closes(rest[end:], r, closing)
		if length < 0 {
			open[r] = true
			i += n
			continue
		}
		out = append(out, text[end:end+length])
		_, after := utf8.DecodeRuneInString(rest[end+length:])
		i = end + length + after
	}
	return out
}

// canOpen distinguishes opening quotation marks from apostrophes, inches and closing marks.
func canOpen(r rune, before, after string) bool {
	last, _ := utf8.DecodeLastRuneInString(before)
	next, _ := utf8.DecodeRuneInString(after)
	switch r {
	case '"', '»', '›', '‘', '＂':
		return (before == "" || !unicode.IsLetter(last) && !unicode.IsDigit(last)) && !unicode.IsSpace(next)
	}
	return true
}

// closes is the position where a quotation ends, -1 if it does not end.
func closes(text string, open rune, closing string) int {
	for i, r := range text {
		if !strings.ContainsRune(closing, r) || i == 0 {
			continue
		}
		next, _ := utf8.DecodeRuneInString(text[i+utf8.RuneLen(r):])
		last, _ := utf8.DecodeLastRuneInString(text[:i])
		switch open {
		case '"', '‘', '＂', '»', '›':
			if unicode.IsLetter(next) || unicode.IsDigit(next) || unicode.IsSpace(last) {
				continue // an apostrophe, or a mark that opens another quotation
			}
		}
		return i
	}
	return -1
}
