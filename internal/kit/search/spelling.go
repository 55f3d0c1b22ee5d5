package search

import (
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// spelling makes an expression also match a text's different spelling. The zero value changes nothing.
type spelling struct {
	form Form
	// composed: decomposed letters in the expression also match composed ones.
	composed bool
}

// changesNothing reports whether an expression is the same in every spelling.
func (s spelling) changesNothing(expr string) bool {
	return s.form == Form{} && norm.NFC.IsNormalString(expr)
}

// required finds the literals of which every match of the expression contains one, in the text's spelling.
func (s spelling) required(tree *syntax.Regexp) []literal {
	visible := s
	visible.form.Invisible, visible.form.Points = false, false
	found := required(visible.loosen(tree))
	if found == nil || s.form.Points && asksForPointed(tree) {
		return nil
	}
	if s.form.Invisible { // a line with a divided literal contains the dividing character
		for _, start := range []string{"\u00AD", "\xE2\x80", "\u2060", "\uFEFF"} {
			found = append(found, literal{text: start})
		}
	}
	return found
}

// asksForPointed reports whether an expression contains letters that may have points.
func asksForPointed(re *syntax.Regexp) bool {
	if re.Op == syntax.OpLiteral {
		return slices.ContainsFunc(re.Rune, takesPoints)
	}
	return slices.ContainsFunc(re.Sub, asksForPointed)
}

func takesPoints(r rune) bool { return r >= 0x0590 && r < 0x0700 && unicode.IsLetter(r) }

// loosen returns an expression that also matches the text's spelling of literals and short classes. It does not
// change its argument.
func (s spelling) loosen(re *syntax.Regexp) *syntax.Regexp {
	switch {
	case s == spelling{}:
		return re
	case re.Op == syntax.OpLiteral:
		return s.literal(re)
	case re.Op == syntax.OpCharClass:
		return s.class(re)
	case len(re.Sub) == 0:
		return re
	}
	out := *re
	out.Sub = make([]*syntax.Regexp, len(re.Sub))
	for i, sub := range re.Sub {
		out.Sub[i] = s.loosen(sub)
	}
	return &out
}

// literal loosens a literal.
func (s spelling) literal(re *syntax.Regexp) *syntax.Regexp {
	composed := []rune(norm.NFC.String(string(re.Rune)))
	out := &syntax.Regexp{Op: syntax.OpConcat}
	for i := 0; i < len(composed); {
		r := composed[i]
		if i > 0 && s.form.Invisible && inWord(r) && inWord(composed[i-1]) {
			out.Sub = append(out.Sub, optional(syntax.OpQuest, invisible))
		}
		forms, n := s.forms(composed[i:], re.Flags)
		i += n
		last := len(out.Sub) - 1
		switch {
		case s.form.Spaces && r == ' ':
			out.Sub = append(out.Sub, classOf(unicode.Zs))
		case len(forms) > 1:
			out.Sub = append(out.Sub, anyOf(forms, re.Flags))
		case last >= 0 && out.Sub[last].Op == syntax.OpLiteral:
			out.Sub[last].Rune = append(out.Sub[last].Rune, r)
		default:
			out.Sub = append(out.Sub, &syntax.Regexp{Op: syntax.OpLiteral, Flags: re.Flags, Rune: []rune{r}})
		}
		if s.form.Points && takesPoints(r) {
			out.Sub = append(out.Sub, optional(syntax.OpStar, points))
		}
	}
	if slices.Equal(composed, re.Rune) {
		return out
	}
	return &syntax.Regexp{Op: syntax.OpAlternate, Sub: []*syntax.Regexp{re, out}} // the literal itself may match, too
}

// forms returns the ways in which a text may write the beginning of a literal, and how many characters of the
// literal that is.
func (s spelling) forms(literal []rune, flags syntax.Flags) (forms []string, n int) {
	if s.form.Presentation {
		begin := string(literal[:min(len(literal), 3)])
		if flags&syntax.FoldCase != 0 {
			begin = strings.ToLower(begin)
		}
		for _, l := range ligature {
			if strings.HasPrefix(begin, l.letters) {
				return l.forms, len(l.letters)
			}
		}
	}
	if s.form.Decomposed {
		return spellings(literal[0]), 1
	}
	return nil, 1
}

// anyOf matches one of several texts.
func anyOf(texts []string, flags syntax.Flags) *syntax.Regexp {
	out := &syntax.Regexp{Op: syntax.OpAlternate}
	for _, text := range texts {
		out.Sub = append(out.Sub, &syntax.Regexp{Op: syntax.OpLiteral, Flags: flags, Rune: []rune(text)})
	}
	return out
}

// widestClass bounds the range of characters in a class that are expanded one by one.
const widestClass = 64

// class loosens a class that lists characters, but not one that excludes some.
func (s spelling) class(re *syntax.Regexp) *syntax.Regexp {
	var longer []string
	spaces := false
	for i := 0; i+1 < len(re.Rune); i += 2 {
		if re.Rune[i+1] == unicode.MaxRune {
			return re
		}
		spaces = spaces || s.form.Spaces && re.Rune[i] <= ' ' && ' ' <= re.Rune[i+1]
		if !s.form.Decomposed || re.Rune[i+1]-re.Rune[i] > widestClass {
			continue
		}
		for r := re.Rune[i]; r <= re.Rune[i+1]; r++ {
			longer = append(longer, spellings(r)[1:]...)
		}
	}
	if len(longer) == 0 && !spaces {
		return re
	}
	out := anyOf(longer, re.Flags)
	if out.Sub = append(out.Sub, re); spaces {
		out.Sub = append(out.Sub, classOf(unicode.Zs))
	}
	return out
}

// spellings returns all ways to write a character in code points, first the character itself: an e with two accents
// is composed, or has one or both of them decomposed, in any order.
func spellings(r rune) []string {
	all := []string{string(r)}
	parts := []rune(norm.NFD.String(string(r)))
	if r < utf8.RuneSelf || len(parts) < 2 {
		return all
	}
	for _, marks := range [][]rune{parts[1:], swapped(parts[1:])} {
		for n := range marks {
			begun := norm.NFC.String(string(parts[0]) + string(marks[:n]))
			form := begun + string(marks[n:])
			if norm.NFC.String(form) == norm.NFC.String(string(r)) && !slices.Contains(all, form) {
				all = append(all, form)
			}
		}
	}
	return all
}

// swapped returns marks in reverse order; one letter nearly always has at most two.
func swapped(marks []rune) []rune {
	out := slices.Clone(marks)
	slices.Reverse(out)
	return out
}

func classOf(table *unicode.RangeTable) *syntax.Regexp {
	out := &syntax.Regexp{Op: syntax.OpCharClass}
	for _, r := range table.R16 {
		for c := rune(r.Lo); c <= rune(r.Hi); c += rune(r.Stride) {
			out.Rune = append(out.Rune, c, c)
		}
	}
	return out
}

func optional(op syntax.Op, table *unicode.RangeTable) *syntax.Regexp {
	return &syntax.Regexp{Op: op, Sub: []*syntax.Regexp{classOf(table)}}
}
