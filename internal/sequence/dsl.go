package sequence

import (
	"errors"
	"fmt"
	"go/token"
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode/utf8"
)

// Error is a mistake in the notation of a done sequence.
type Error struct {
	Text     string // the sequence as written
	Offset   int    // byte offset of the mistake
	Expected string // what was expected there, or what is wrong
}

// Error shows the sequence with a caret under the mistake.
func (e *Error) Error() string {
	caret := strings.Repeat(" ", utf8.RuneCountInString(e.Text[:e.Offset])) + "^"
	return fmt.Sprintf("done sequence: %s\n  %s\n  %s", e.Expected, e.Text, caret)
}

// Parse parses the notation of a done sequence, as termination.ParseSequence documents it. A mistake is a *Error.
func Parse(text string) (Sequence, error) {
	p := sequenceParser{text: text}
	s, err := p.sequence()
	if err != nil {
		return Sequence{}, err
	}
	return s.Compile()
}

type sequenceParser struct {
	text string
	pos  int
}

func (p *sequenceParser) fail(at int, format string, args ...any) error {
	return &Error{Text: p.text, Offset: min(at, len(p.text)), Expected: fmt.Sprintf(format, args...)}
}

func (p *sequenceParser) sequence() (Sequence, error) {
	s := Sequence{Name: p.name()}
	for {
		at := p.skipSpace()
		el, err := p.element()
		if err != nil {
			return Sequence{}, err
		}
		if len(s.Patterns) == maxPatterns {
			return Sequence{}, p.fail(at, "too long: a sequence has at most %d events", maxPatterns)
		}
		s.Patterns = append(s.Patterns, el)
		at = p.skipSpace()
		if at == len(p.text) {
			return s, nil
		}
		if p.text[at] != ',' {
			return Sequence{}, p.fail(at, "expected a comma or the end")
		}
		p.pos++
	}
}

// name parses "name:" at the beginning of the text, if it is there. A colon inside brackets belongs to a regular
// expression.
func (p *sequenceParser) name() string {
	before, _, found := strings.Cut(p.text, ":")
	if !found || strings.ContainsAny(before, "[,") || strings.TrimSpace(before) == "" {
		return strings.TrimSpace(p.text)
	}
	p.pos = len(before) + 1
	return strings.TrimSpace(before)
}

func (p *sequenceParser) skipSpace() int {
	for p.pos < len(p.text) && strings.IndexByte(" \t\r\n", p.text[p.pos]) >= 0 {
		p.pos++
	}
	return p.pos
}

func (p *sequenceParser) element() (Pattern, error) {
	start := p.pos
	for p.pos < len(p.text) && isWordByte(p.text[p.pos]) {
		p.pos++
	}
	word := p.text[start:p.pos]
	if word == "" {
		return Pattern{}, p.fail(start, "expected an event: %s", eventList)
	}
	typ, ok := eventType(word)
	if !ok {
		return Pattern{}, p.fail(start, "unknown event %q: expected %s", word, eventList)
	}
	el := Pattern{Type: typ}
	open := p.skipSpace()
	if open == len(p.text) || p.text[open] != '[' {
		if typ == ContentMatch {
			return Pattern{}, p.fail(open, "expected [ and the regular expression that the content is to match")
		}
		return el, nil
	}
	switch typ {
	case ToolEvent:
		name, err := p.toolName(open)
		el.Tool = name
		return el, err
	case ContentMatch:
		pattern, err := p.pattern(open)
		el.Content = pattern
		return el, err
	}
	return Pattern{}, p.fail(open, "expected a comma or the end: only T and C take brackets, %s does not", word)
}

func isWordByte(c byte) bool { return c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z' }

func (p *sequenceParser) toolName(open int) (string, error) {
	inside, _, closed := strings.Cut(p.text[open+1:], "]")
	if !closed {
		return "", p.fail(len(p.text), "expected ] after the name of the tool")
	}
	p.pos = open + len(inside) + 2
	name := strings.TrimSpace(inside)
	if !token.IsIdentifier(name) {
		return "", p.fail(open+1, "expected the name of a builtin or tool")
	}
	return name, nil
}

func (p *sequenceParser) pattern(open int) (string, error) {
	inside := p.text[open+1:]
	depth, escaped := 1, false
	for i, c := range inside {
		if escaped {
			escaped = false
			continue
		}
		switch c {
		case '\\':
			escaped = true
		case '[':
			depth++
		case ']':
			depth--
		}
		if depth == 0 {
			p.pos = open + i + 2
			return inside[:i], p.checkRegexp(open+1, inside[:i])
		}
	}
	return "", p.fail(len(p.text), "expected ] after the regular expression")
}

// checkRegexp returns an error that points at the wrong part of a regular expression.
func (p *sequenceParser) checkRegexp(at int, expr string) error {
	if expr == "" {
		return p.fail(at, "expected the regular expression that the content is to match")
	}
	_, err := regexp.Compile(expr)
	if err == nil {
		return nil
	}
	var bad *syntax.Error
	if errors.As(err, &bad) {
		return p.fail(at+max(0, strings.Index(expr, bad.Expr)), "the regular expression is wrong: %s: %s", bad.Code,
			bad.Expr)
	}
	return p.fail(at, "the regular expression is wrong: %v", err)
}
