package reply

import (
	"slices"
	"strings"

	"github.com/gorlm/rlm/internal/kit/startup"
)

// FindWord finds the first of the given words that begins or ends a line of prose as a whole word, outside of
// code, HTML and quotations. rest is the prose without it.
func FindWord(prose string, words []string) (word, rest string, ok bool) {
	l := readMarkdown(prose)
	for _, lf := range l.leaves {
		if lf.html || lf.quoted {
			continue
		}
		for _, seg := range lf.lines {
			word, line, ok := edgeWord(string(seg.Value(l.src)), words)
			if !ok {
				continue
			}
			from := seg.Start
			if strings.TrimSpace(line) == "" { // nothing else is on the line: drop its list marker too
				from = lineStart(l.src, from)
			}
			return word, passed(strings.TrimSpace(l.str[:from] + line + l.str[seg.Stop:])), true
		}
	}
	return "", "", false
}

// passed returns "" if the rest of a reply only reports that the answer was given before, as some agents do: "DONE
// __PASS__".
func passed(rest string) string {
	if strings.Trim(rest, "_") == "PASS" {
		return ""
	}
	return rest
}

// edgeWord finds a word that is the whole first or last word of a line; rest is the line without it.
func edgeWord(line string, words []string) (word, rest string, ok bool) {
	const edge = " \t\r\n*_.,:;!-"
	head, tail := strings.TrimLeft(line, edge), strings.TrimRight(line, edge)
	end := line[len(strings.TrimRight(line, "\n")):]
	for _, w := range words {
		if w == "" {
			continue
		}
		if after, found := strings.CutPrefix(head, w); found && (after == "" || !isIdent(runeAt(after))) {
			return w, strings.Trim(after, " \t\r\n*.,:;!-") + end, true
		}
		if before, found := strings.CutSuffix(tail, w); found && before != "" && !isIdent(lastRune(before)) {
			return w, strings.Trim(before, " \t*_,:;-") + end, true
		}
	}
	return "", "", false
}

// WithoutCalls returns the prose of a reply without its calls of completion signals: it removes lines that contain
// only such a call, even in a code span, calls without an argument, a text that is begun as an argument and never
// closed, and words at the end that only introduce a removed call. If nothing else remains, it returns "", or the
// whole prose if the reply has no signals.
func WithoutCalls(r Reply, n Names) string {
	if len(r.Signals) == 0 && !strings.Contains(r.Prose, "`") {
		return r.Prose
	}
	prose := r.Prose
	for _, d := range r.Signals {
		if d.Cut || d.Malformed == notClosed {
			prose = withoutOpen(prose, d.RawMatch)
		} else if d.Malformed == "" && d.Place == Alone {
			prose = withoutLine(prose, d.RawMatch)
		} else if d.Malformed == "" && strings.TrimSpace(d.Content) == "" {
			prose = strings.Replace(prose, d.RawMatch, "", 1)
		}
	}
	var out strings.Builder
	for line := range strings.Lines(prose) {
		if !n.isCall(strings.Trim(line, " \t\r\n`*_>.-")) {
			out.WriteString(line)
		}
	}
	said := strings.TrimSpace(out.String())
	if !strings.HasSuffix(strings.TrimSpace(r.Prose), said) { // the prose ended with a call
		said = withoutLead(said)
	}
	if strings.Trim(said, "*_`# \n") != "" && !onlyFences(said) {
		return said
	}
	if len(r.Signals) > 0 {
		return ""
	}
	return r.Prose
}

// onlyFences reports whether every line of a text opens or closes a code block.
func onlyFences(said string) bool {
	for line := range strings.Lines(said) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "```") {
			return false
		}
	}
	return true
}

// withoutOpen removes the line of a call that is never closed, with what follows it, if the call begins the line or
// a quoted text: then the rest is its argument. Otherwise it is only mentioned.
func withoutOpen(prose, call string) string {
	at := strings.Index(prose, call)
	if at < 0 {
		return prose
	}
	line := strings.LastIndexByte(prose[:at], '\n') + 1
	if strings.Trim(prose[line:at], around) == "" || opensText().MatchString(call) {
		return prose[:line]
	}
	return prose
}

var opensText = startup.Regexp(`^\w+\s*[(（]\s*["'\x60“]`)

// withoutLead removes the last line of a text if it only introduces what follows: "The answer is:".
func withoutLead(text string) string {
	lead := strings.TrimRight(text, around+"\r\n")
	if !strings.HasSuffix(lead, ":") && !strings.HasSuffix(lead, "：") {
		return text
	}
	return strings.TrimSpace(lead[:strings.LastIndexByte(lead, '\n')+1])
}

// withoutLine removes the first occurrence of a call that is alone on its lines, with the marks around it.
func withoutLine(text, call string) string {
	for at := range text {
		behind, found := strings.CutPrefix(text[at:], call)
		if !found {
			continue
		}
		head, tail := strings.TrimRight(text[:at], around+">"), strings.TrimLeft(behind, around+closers)
		if (head == "" || strings.HasSuffix(head, "\n")) && (tail == "" || strings.HasPrefix(tail, "\n")) {
			return head + tail
		}
	}
	return text
}

// isCall reports whether a line is a call of a signal.
func (n Names) isCall(line string) bool {
	name, rest, found := strings.Cut(line, "(")
	if !found || !slices.Contains(n.All(), strings.TrimSpace(name)) {
		return false
	}
	d := detector{layout: &layout{str: rest, src: []byte(rest)}}
	at, end := d.closeParen(0, len(rest))
	return strings.HasSuffix(rest, ")") && (at == -1 || end == len(rest))
}
