package search

import (
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
)

// pattern is an expression that matches within lines, as in grep.
type pattern struct {
	re *regexp.Regexp
	// Every matching line contains at least one of literals; nil if none are known.
	literals []literal
	// lines means that a match cannot span a line end.
	lines bool
	// returns means that the expression contains \r, which then is part of a line that ends with \r\n.
	returns bool
}

// compile compiles an expression such that ^ and $ are the borders of lines and neither "." nor a class such as
// [^,] or \s matches a line end. An explicit \n does match, and then a match may span several lines. \r\n is a
// line end like \n, unless the expression contains \r. Literal parts also match as s spells them.
func compile(expr string, s spelling) (pattern, error) {
	if _, err := regexp.Compile(expr); err != nil {
		return pattern{}, err
	}
	tree, err := syntax.Parse(expr, syntax.Perl&^syntax.OneLine)
	if err != nil {
		return pattern{}, err
	}
	p := pattern{lines: !asksFor(expr, '\n'), returns: asksFor(expr, '\r')}
	switch {
	case p.lines:
		withinLine(tree)
		p.literals = s.required(tree)
	case !p.returns:
		tree = withReturns(tree)
	}
	p.re, err = regexp.Compile(s.loosen(tree).String())
	return p, err
}

// asksFor reports whether the expression contains \n or \r explicitly.
func asksFor(expr string, end rune) bool {
	escaped := map[rune]string{'\n': `\n`, '\r': `\r`}[end]
	return strings.ContainsRune(expr, end) || strings.Contains(strings.ReplaceAll(expr, `\\`, ""), escaped)
}

// withReturns allows a \r before each line end that the expression contains.
func withReturns(re *syntax.Regexp) *syntax.Regexp {
	optional := &syntax.Regexp{Op: syntax.OpQuest, Sub: []*syntax.Regexp{{Op: syntax.OpLiteral, Rune: []rune{'\r'}}}}
	for i, sub := range re.Sub {
		re.Sub[i] = withReturns(sub)
	}
	switch {
	case re.Op == syntax.OpEndLine:
		return &syntax.Regexp{Op: syntax.OpConcat, Sub: []*syntax.Regexp{optional, re}}
	case re.Op != syntax.OpLiteral || !slices.Contains(re.Rune, '\n'):
		return re
	}
	out := &syntax.Regexp{Op: syntax.OpConcat}
	for i, r := range re.Rune {
		if r == '\n' {
			out.Sub = append(out.Sub, optional)
		}
		out.Sub = append(out.Sub, &syntax.Regexp{Op: syntax.OpLiteral, Flags: re.Flags, Rune: re.Rune[i : i+1]})
	}
	return out
}

// withinLine removes the line end from everything that matches it implicitly.
func withinLine(re *syntax.Regexp) {
	switch re.Op {
	case syntax.OpAnyChar:
		re.Op = syntax.OpAnyCharNotNL
	case syntax.OpBeginText:
		re.Op = syntax.OpBeginLine
	case syntax.OpEndText:
		re.Op = syntax.OpEndLine
	case syntax.OpCharClass:
		re.Rune = withoutLineEnd(re.Rune)
	}
	for _, sub := range re.Sub {
		withinLine(sub)
	}
}

// withoutLineEnd removes \n from the ranges of a class.
func withoutLineEnd(ranges []rune) []rune {
	var out []rune
	for i := 0; i+1 < len(ranges); i += 2 {
		low, high := ranges[i], ranges[i+1]
		if low > '\n' || high < '\n' {
			out = append(out, low, high)
			continue
		}
		if low < '\n' {
			out = append(out, low, '\n'-1)
		}
		if high > '\n' {
			out = append(out, '\n'+1, high)
		}
	}
	return out
}

// find calls hit with the first match of each line of text[from:to]; from and to must be at line borders.
func (p pattern) find(text string, from, to int, hit func(start, end int)) {
	trimmed := p.lines && !p.returns && strings.Contains(text[from:to], "\r\n")
	if p.literals == nil && !trimmed {
		p.findPlain(text, from, to, hit)
		return
	}
	part := text[:to]
	candidate := func(offset int) int { return offset }
	if p.literals != nil {
		candidate = newFinder(part, p.literals).from
	}
	for offset := from; offset < to; {
		at := candidate(offset)
		if at == to {
			return
		}
		start, end := strings.LastIndexByte(part[:at], '\n')+1, lineEnd(part, at)
		line := part[start:end]
		if trimmed && end < to {
			line = trimCR(line)
		}
		if m := p.re.FindStringIndex(line); m != nil {
			hit(start+m[0], start+m[1])
		}
		offset = end + 1
	}
}

// findPlain searches the whole text, not line by line.
func (p pattern) findPlain(text string, from, to int, hit func(start, end int)) {
	for offset := from; offset < to; {
		m := p.re.FindStringIndex(text[offset:to])
		if m == nil {
			return
		}
		start, end := offset+m[0], offset+m[1]
		if start == to && from < to && text[to-1] == '\n' {
			return // there is no line after the last line end
		}
		next := lineEnd(text, max(start, end-1)) + 1
		if !p.returns && end > start && end < to && text[end-1:end+1] == "\r\n" {
			end-- // $ in an expression for several lines also matched \r
		}
		hit(start, end)
		offset = next
	}
}
