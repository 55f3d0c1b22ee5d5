package text

import (
	"regexp"
	"regexp/syntax"
	"strings"
)

// pattern is an expression that matches within lines, as grep's do.
type pattern struct {
	re *regexp.Regexp
	// literals are what every matching line contains, if that is known.
	literals []literal
	// lines says that a match cannot reach over a line end.
	lines bool
}

// compile reads an expression so that ^ and $ are the borders of lines and neither "." nor a class such as [^,] or \s
// matches a line end. A line end that is asked for (\n) does match, and then a match may reach over several lines.
func compile(expr string) (pattern, error) {
	if _, err := regexp.Compile(expr); err != nil {
		return pattern{}, err
	}
	tree, err := syntax.Parse(expr, syntax.Perl&^syntax.OneLine)
	if err != nil {
		return pattern{}, err
	}
	p := pattern{lines: !asksForLineEnd(expr)}
	if p.lines {
		withinLine(tree)
		p.literals = required(tree)
	}
	p.re, err = regexp.Compile(tree.String())
	return p, err
}

// asksForLineEnd says whether the expression names a line end itself.
func asksForLineEnd(expr string) bool {
	return strings.ContainsRune(expr, '\n') || strings.Contains(strings.ReplaceAll(expr, `\\`, ""), `\n`)
}

// withinLine takes the line end out of everything that matches it by the way.
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

// find calls hit with the first match of each line of text[from:to], which begin and end at line borders.
func (p pattern) find(text string, from, to int, hit func(start, end int)) {
	if p.literals == nil {
		p.findPlain(text, from, to, hit)
		return
	}
	part := text[:to]
	f := newFinder(part, p.literals)
	for offset := from; offset < to; {
		at := f.from(offset)
		if at == to {
			return
		}
		start, end := strings.LastIndexByte(part[:at], '\n')+1, lineEnd(part, at)
		if m := p.re.FindStringIndex(part[start:end]); m != nil {
			hit(start+m[0], start+m[1])
		}
		offset = end + 1
	}
}

func (p pattern) findPlain(text string, from, to int, hit func(start, end int)) {
	for offset := from; offset < to; {
		m := p.re.FindStringIndex(text[offset:to])
		if m == nil {
			return
		}
		start, end := offset+m[0], offset+m[1]
		if start == to && from < to && text[to-1] == '\n' {
			return // behind the last line end there is no line
		}
		hit(start, end)
		offset = lineEnd(text, max(start, end-1)) + 1
	}
}
