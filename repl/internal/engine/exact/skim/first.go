package skim

import (
	"regexp"
	"regexp/syntax"
	"unicode"
	"unicode/utf8"
)

// most is the largest number of different first bytes for which skipping is worthwhile.
const most = 40

// firstBytes returns the bytes with which a match can begin. ok is false if a match can be empty, depends on the
// text before it, begins with a fixed text, or can begin with too many bytes.
func firstBytes(re *regexp.Regexp) (first [256]bool, ok bool) {
	if prefix, _ := re.LiteralPrefix(); prefix != "" {
		return first, false // package regexp itself skips to the prefix
	}
	parsed, err := syntax.Parse(re.String(), syntax.Perl)
	if err != nil {
		return first, false
	}
	prog, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		return first, false
	}
	const behind = syntax.EmptyBeginLine | syntax.EmptyBeginText | syntax.EmptyWordBoundary | syntax.EmptyNoWordBoundary
	for i := range prog.Inst {
		if in := &prog.Inst[i]; in.Op == syntax.InstEmptyWidth && syntax.EmptyOp(in.Arg)&behind != 0 {
			return first, false
		}
	}
	if !begin(prog, uint32(prog.Start), make([]bool, len(prog.Inst)), &first) {
		return first, false
	}
	n := 0
	for _, yes := range first {
		if yes {
			n++
		}
	}
	return first, n <= most
}

// begin adds to first the bytes with which a match that starts at instruction pc can begin. It reports whether
// every such match begins with a character from a small known set.
func begin(prog *syntax.Prog, pc uint32, seen []bool, first *[256]bool) bool {
	if seen[pc] {
		return true
	}
	seen[pc] = true
	switch in := &prog.Inst[pc]; in.Op {
	case syntax.InstAlt, syntax.InstAltMatch:
		return begin(prog, in.Out, seen, first) && begin(prog, in.Arg, seen, first)
	case syntax.InstCapture, syntax.InstNop, syntax.InstEmptyWidth:
		return begin(prog, in.Out, seen, first)
	case syntax.InstFail:
		return true
	case syntax.InstRune, syntax.InstRune1:
		addRunes(in, first)
		return true
	}
	return false
}

// addRunes adds the first bytes of an instruction's characters. A non-ASCII character adds all non-ASCII bytes, so
// that the search never stops inside a character, and also finds invalid UTF-8.
func addRunes(in *syntax.Inst, first *[256]bool) {
	if len(in.Rune) == 1 { // possibly case-insensitive
		r := in.Rune[0]
		addRange(first, r, r)
		if syntax.Flags(in.Arg)&syntax.FoldCase != 0 {
			for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
				addRange(first, f, f)
			}
		}
		return
	}
	for i := 0; i+1 < len(in.Rune); i += 2 {
		addRange(first, in.Rune[i], in.Rune[i+1])
	}
}

func addRange(first *[256]bool, low, high rune) {
	for r := low; r <= min(high, utf8.RuneSelf-1); r++ {
		first[r] = true
	}
	if high >= utf8.RuneSelf {
		for b := utf8.RuneSelf; b < len(first); b++ {
			first[b] = true
		}
	}
}
