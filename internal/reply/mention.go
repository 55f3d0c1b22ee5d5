package reply

import (
	"bytes"
	"slices"
	"strings"

	"github.com/gorlm/rlm/internal/kit/startup"
)

// place returns how the call at src[from:to] is placed in its text block.
func (d *detector) place(lf *textBlock, from, to int, det Signal) Position {
	before := d.str[segmentStart(d.src, lf, from):from]
	after := d.str[to:segmentEnd(d.src, to)]
	opener := strings.TrimRight(before, " *_")
	closer := strings.TrimLeft(after, " *_")
	if (lf.quoted || lf.listed) && !d.isLazy(from) || isQuoted(opener, closer) || isPlaceholder(det) {
		return Mentioned
	}
	lead := strings.Trim(before, around+">")
	tail := strings.Trim(after, around+closers+"\r")
	if lead == "" && tail == "" {
		if talksAbout(d.presentation(from)) {
			return Mentioned
		}
		return Alone
	}
	if talksAbout(lead) {
		return Mentioned
	}
	if tail == "" {
		return EndsLine
	}
	return InSentence
}

// The characters that may surround a call on its line (emphasis, headings, white space of any kind) and the closing
// punctuation that may follow it.
const (
	around  = " \t\u00a0\u2003\u200b\u3000*_~#"
	closers = ".!;)。！）"
)

// isLazy reports whether the line at offset i begins at the margin with its own text. Markdown adds such a line to
// the list or quotation above (lazy continuation), although its author meant a new paragraph.
func (d *detector) isLazy(i int) bool {
	line := d.src[lineStart(d.src, i):]
	return !isSpace(line[0]) && markerWidth(line) == 0
}

// segmentStart returns the offset at which the text of the line at i begins, without the markers of its
// containers.
func segmentStart(src []byte, lf *textBlock, i int) int { return max(lf.start, lineStart(src, i)) }

func segmentEnd(src []byte, i int) int {
	line, _, _ := bytes.Cut(src[i:], []byte("\n"))
	return i + len(line)
}

// presentation returns the line above a call, if that line ends in a colon and the call is alone on its own line.
func (d *detector) presentation(from int) string {
	line := d.lineAbove(from)
	if !strings.HasSuffix(line, ":") {
		return ""
	}
	return line
}

// lineAbove returns the last non-empty line above the line of from.
func (d *detector) lineAbove(from int) string {
	head := bytes.TrimRight(d.src[:lineStart(d.src, from)], " \t\r\n*_")
	return string(head[lineStart(d.src, len(head)):])
}

// isQuoted reports whether a call is between quotation marks.
func isQuoted(before, after string) bool {
	return endsWithAny(before, `"'“‘«„`) && startsWithAny(after, `"'”’»“`)
}

func endsWithAny(s, set string) bool {
	return s != "" && strings.ContainsRune(set, lastRune(s))
}

func startsWithAny(s, set string) bool {
	for _, r := range s {
		return strings.ContainsRune(set, r)
	}
	return false
}

func lastRune(s string) rune {
	r := []rune(s[max(0, len(s)-4):])
	return r[len(r)-1]
}

// isPlaceholder reports whether an argument is only a placeholder for an answer, as in "FINAL(your answer)". A bare
// name does not count as one here, because it may be a variable, which the policy looks up first (Wants).
func isPlaceholder(det Signal) bool {
	if det.Bare || det.Var {
		return false
	}
	content := strings.ToLower(strings.Trim(det.Content, "<>[]{}\"' "))
	switch content {
	case "...", "…", "your answer", "your answer here", "your final answer", "the answer", "answer", "final answer",
		"my answer", "answer here", "your_answer", "final_answer":
		return true
	}
	return false
}

// IsPlaceholder reports whether a bare name that is not a variable is only a placeholder for an answer.
func IsPlaceholder(name string) bool {
	switch strings.ToLower(name) {
	case "answer", "final_answer", "finalanswer", "your_answer", "youranswer", "my_answer", "result", "value", "x",
		"text",
		"string", "output", "var", "variable", "name", "summary":
		return true
	}
	return false
}

// talksAbout reports whether the words before a call are about making the call rather than introduce it: "use", "I
// will call", "then", "when done:", "for example:". It recognises only English; in other languages only a call's
// place on its line counts.
func talksAbout(lead string) bool {
	sentence := strings.ToLower(lastSentence(lead))
	words := strings.FieldsFunc(sentence, func(r rune) bool { return !isIdent(r) && r != '\'' && r != '’' })
	if len(words) == 0 {
		return false
	}
	presented := strings.HasSuffix(strings.TrimRight(sentence, " *_"), ":")
	last := words[max(0, len(words)-2):]
	switch {
	case presented && presents(sentence) && (!isCondition(words[0]) || strings.Contains(sentence, ",")):
		return false
	case slices.ContainsFunc(last, isCallingWord), isCondition(words[0]), isImperative(words[0]),
		isHeading(sentence), isRefusal(words), announces().MatchString(sentence):
		return true
	case presented:
		return false
	}
	return isPlanning(sentence) || endsWithWord(sentence) && isLeadWord(words[len(words)-1])
}

// presents reports whether a sentence that ends in a colon announces the answer: "if we count only errors, the
// answer is 42:".
func presents(sentence string) bool {
	clause := sentence[strings.LastIndexByte(sentence, ',')+1:]
	for _, subject := range [...]string{"answer", "result", "total", "count", "sum", "number", "value", "solution"} {
		for _, verb := range [...]string{" is", " are", " was", " comes to"} {
			if strings.Contains(clause, subject+verb) {
				return true
			}
		}
	}
	return false
}

// isPlan reports whether w heads a plan.
func isPlan(w string) bool {
	switch w {
	case "plan", "then", "next", "todo", "do", "step", "steps", "later", "after", "afterwards", "outline", "approach",
		"strategy", "remaining",
		"pending", "draft", "usage", "eventually", "pseudocode", "idea", "soon", "expected", "expectation",
		"hypothesis", "prediction":
		return true
	}
	return false
}

// isHeading reports whether a sentence begins like a plan: "Plan:", "Step 2:", "To do:", "My plan:".
func isHeading(sentence string) bool {
	head, _, found := strings.Cut(sentence, ":")
	words := strings.FieldsFunc(head, func(r rune) bool { return !isIdent(r) })
	return found && len(words) > 0 && len(words) <= 2 && (isPlan(words[0]) || isPlan(words[len(words)-1]))
}

// endsWithWord reports whether the text before a call ends in a word, without a comma or dash.
func endsWithWord(s string) bool {
	s = strings.TrimRight(s, " *_")
	return s != "" && isIdent(lastRune(s))
}

// lastSentence returns the part of a line after the last full stop; empty if the line ends with one, because the
// call is then a separate sentence.
func lastSentence(s string) string {
	s = strings.TrimRight(s[max(0, len(s)-400):], " *_")
	if s != "" && isOneOf(s[len(s)-1], ".!?") && !strings.HasSuffix(s, "..") && !strings.HasSuffix(s, "e.g.") {
		return ""
	}
	from := 0
	for _, end := range [...]string{". ", "! ", "? ", "; "} {
		if at := strings.LastIndex(s, end); at != -1 {
			from = max(from, at+len(end))
		}
	}
	return s[from:]
}

func isCallingWord(w string) bool {
	switch w {
	case "call", "calls", "calling", "called", "use", "uses", "using", "invoke", "invokes", "invoking", "write",
		"writing",
		"type", "typing", "execute", "executing", "via", "with", "submit", "submitting", "emit", "emitting", "issue",
		"put", "say", "running", "like", "example", "format", "syntax", "instance", "template", "form", "e", "g", "eg",
		"run", "return":
		return true
	}
	return false
}

func isLeadWord(w string) bool {
	switch w {
	case "will", "would", "could", "should", "can", "may", "might", "must", "to", "i'll", "i’ll", "we'll", "then",
		"not", "never",
		"no", "cannot", "can't", "don't", "without", "before", "until", "unless", "when", "if", "once", "or", "a", "an",
		"the",
		"your", "this", "that", "as", "of", "by", "function", "command", "signal", "statement", "method", "tool",
		"builtin",
		"and", "do", "did", "does", "through", "after", "for":
		return true
	}
	return false
}

// isRefusal reports whether a sentence begins with a negation ("not", "do not answer", "never") or ends with
// "yet".
func isRefusal(words []string) bool {
	switch words[0] {
	case "not", "never", "don't", "don’t":
		return true
	}
	return len(words) > 1 && words[0] == "do" && words[1] == "not" || words[len(words)-1] == "yet"
}

// isCondition reports whether a sentence that begins with w is conditional or uncertain.
func isCondition(w string) bool {
	switch w {
	case "when", "once", "if", "until", "unless", "before", "whenever", "otherwise", "else", "maybe", "perhaps",
		"possibly", "tentatively",
		"assuming", "suppose", "supposing", "hypothetically", "theoretically", "presumably", "probably":
		return true
	}
	return false
}

// isImperative reports whether a sentence that begins with w instructs someone to call.
func isImperative(w string) bool {
	switch w {
	case "call", "use", "write", "type", "invoke", "execute":
		return true
	}
	return false
}

// announces matches words before a call that announce it for later: "At the end:", "the call would be".
var announces = startup.Regexp(`^at the (?:very )?end(?: of (?:it|this|the (?:run|task|turn)))?\s*[:,]?$`,
	`|\bguess(?: is| would be)?\s*:?$|\b(?:might|could|may)(?: \w+)? be\s*:?$|\b(?:call|command|signal|it|that|this) (?:would|will|should)(?: \w+)? be\s*:?$`)

// isPlanning reports whether a sentence is about something later.
func isPlanning(sentence string) bool {
	padded := " " + sentence + " "
	for _, phrase := range [...]string{
		" will ", "i'll ", "i’ll ", " going to ", " need to ", " have to ", " want to ", " later", " should ", " must ",
		" next",
	} {
		if strings.Contains(padded, phrase) {
			return true
		}
	}
	return false
}
