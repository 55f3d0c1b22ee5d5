package reply

import (
	"bytes"
	"slices"
	"strings"
)

// place says how the call at src[from:to] stands in its text block.
func (d *detector) place(lf *leaf, from, to int, det Signal) Place {
	before := d.str[segmentStart(d.src, lf, from):from]
	after := d.str[to:segmentEnd(d.src, to)]
	opener := strings.TrimRight(before, " *_")
	closer := strings.TrimLeft(after, " *_")
	switch {
	case lf.quoted, lf.listed, isQuoted(opener, closer), isPlaceholder(det):
		return Mentioned
	}
	lead := strings.Trim(before, " \t*_~#>")
	tail := strings.Trim(after, " \t\r\n*_~.!;)。！")
	switch {
	case lead == "" && tail == "":
		if talksAbout(d.presentation(lf, from)) {
			return Mentioned
		}
		return Alone
	case talksAbout(lead):
		return Mentioned
	case tail == "":
		return EndsLine
	}
	return InSentence
}

// segmentStart is where the text of the line that holds i begins, without the markers of its containers.
func segmentStart(src []byte, lf *leaf, i int) int {
	start := lineStart(src, i)
	if start < lf.start {
		return lf.start
	}
	return start
}

func segmentEnd(src []byte, i int) int {
	if nl := bytes.IndexByte(src[i:], '\n'); nl >= 0 {
		return i + nl
	}
	return len(src)
}

// presentation is the line before a call that stands alone, if it leads up to it with a colon.
func (d *detector) presentation(lf *leaf, from int) string {
	head := bytes.TrimRight(d.src[:lineStart(d.src, from)], " \t\r\n*_")
	if len(head) == 0 || head[len(head)-1] != ':' {
		return ""
	}
	return string(head[lineStart(d.src, len(head)):])
}

// isQuoted reports whether a call stands between quotation marks.
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

// isPlaceholder reports whether an argument stands for an answer, as in "FINAL(your answer)". A bare name may
// still be a variable; the policy looks (Wants) before it believes this.
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

// IsPlaceholder reports whether a bare name that is no variable only stands for an answer.
func IsPlaceholder(name string) bool {
	switch strings.ToLower(name) {
	case "answer", "final_answer", "finalanswer", "your_answer", "youranswer", "my_answer", "result", "value", "x", "text",
		"string", "output", "var", "variable", "name", "summary":
		return true
	}
	return false
}

// talksAbout reports whether the words before a call talk about calling it rather than present it: "use", "I will
// call", "then", "when done:", "for example:". It knows English; elsewhere only a call's place on its line counts.
func talksAbout(lead string) bool {
	sentence := strings.ToLower(lastSentence(lead))
	presented := strings.HasSuffix(strings.TrimRight(sentence, " *_"), ":")
	words := strings.FieldsFunc(sentence, func(r rune) bool { return !isIdent(r) && r != '\'' && r != '’' })
	if len(words) == 0 {
		return false
	}
	if slices.ContainsFunc(words[max(0, len(words)-2):], isCallingWord) || isCondition(words[0]) || isImperative(words[0]) {
		return true
	}
	if presented {
		return false
	}
	return isPlanning(sentence) || endsWithWord(sentence) && isLeadWord(words[len(words)-1])
}

// endsWithWord reports whether a sentence breaks off in a word, without a comma or dash before the call.
func endsWithWord(s string) bool {
	s = strings.TrimRight(s, " *_")
	return s != "" && isIdent(lastRune(s))
}

// lastSentence is the part of a line after the last full stop.
func lastSentence(s string) string {
	s = s[max(0, len(s)-400):]
	for i := len(s) - 2; i >= 0; i-- {
		if strings.IndexByte(".!?;", s[i]) >= 0 && s[i+1] == ' ' {
			return s[i+2:]
		}
	}
	return s
}

func isCallingWord(w string) bool {
	switch w {
	case "call", "calls", "calling", "called", "use", "uses", "using", "invoke", "invokes", "invoking", "write", "writing",
		"type", "typing", "execute", "executing", "via", "with", "submit", "submitting", "emit", "emitting", "issue",
		"put", "say", "running", "like", "example", "format", "syntax", "instance", "template", "form", "e", "g", "eg", "run", "return":
		return true
	}
	return false
}

func isLeadWord(w string) bool {
	switch w {
	case "will", "would", "could", "should", "can", "may", "might", "must", "to", "i'll", "i’ll", "we'll", "then", "not", "never",
		"no", "cannot", "can't", "don't", "without", "before", "until", "unless", "when", "if", "once", "or", "a", "an", "the",
		"your", "this", "that", "as", "of", "by", "function", "command", "signal", "statement", "method", "tool", "builtin",
		"and", "do", "did", "does", "through", "after", "for":
		return true
	}
	return false
}

func isCondition(w string) bool {
	switch w {
	case "when", "once", "if", "until", "unless", "before", "whenever":
		return true
	}
	return false
}

// isImperative reports whether a sentence that begins with w tells someone to call.
func isImperative(w string) bool {
	switch w {
	case "call", "use", "write", "type", "invoke", "execute":
		return true
	}
	return false
}

// isPlanning reports whether a sentence speaks of later.
func isPlanning(sentence string) bool {
	padded := " " + sentence + " "
	for _, phrase := range [...]string{
		" will ", "i'll ", "i’ll ", " going to ", " need to ", " have to ", " want to ", " later", " should ", " must ", " next",
	} {
		if strings.Contains(padded, phrase) {
			return true
		}
	}
	return false
}
