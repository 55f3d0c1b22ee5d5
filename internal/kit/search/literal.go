package search

import (
	"regexp/syntax"
	"strings"
	"unicode/utf8"
)

// literal is a text that every match of an expression contains; fold means that letters match in both cases.
type literal struct {
	text string
	fold bool
}

// required finds texts of which every match of re contains at least one; nil if there are none worth looking for.
func required(re *syntax.Regexp) []literal {
	switch re.Op {
	case syntax.OpLiteral:
		return literalOf(re)
	case syntax.OpCapture, syntax.OpPlus:
		return required(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return required(re.Sub[0])
		}
	case syntax.OpConcat:
		var best []literal
		for _, sub := range re.Sub {
			if found := required(sub); found != nil && (best == nil || shortest(found) > shortest(best)) {
				best = found
			}
		}
		return best
	case syntax.OpAlternate:
		var all []literal
		for _, sub := range re.Sub {
			found := required(sub)
			if found == nil || len(all)+len(found) > 8 {
				return nil
			}
			all = append(all, found...)
		}
		return all
	}
	return nil
}

// literalOf returns the part of a literal that can be searched byte by byte. If both cases match, k and s have
// counterparts outside of ASCII (the Kelvin sign and the long s), so it returns the longest part without them.
func literalOf(re *syntax.Regexp) []literal {
	text := string(re.Rune)
	fold := re.Flags&syntax.FoldCase != 0
	if fold {
		parts := strings.FieldsFunc(
			strings.ToLower(text), func(r rune) bool { return r == 'k' || r == 's' || r >= utf8.RuneSelf })
		text = ""
		for _, p := range parts {
			if len(p) > len(text) {
				text = p
			}
		}
	}
	if len(text) < 2 {
		return nil
	}
	return []literal{{text, fold}}
}

func shortest(all []literal) int {
	n := len(all[0].text)
	for _, l := range all {
		n = min(n, len(l.text))
	}
	return n
}

// finder finds the next occurrence of any of several literals.
type finder struct {
	text     string
	literals []literal
	next     []int // the next occurrence of each literal; len(text) if there is none
	bytes    []rareByte
}

// rareByte is the next occurrence of a literal's rarest byte, in both cases. It is cached, because otherwise a
// case that does not occur would be searched to the end of the text each time.
type rareByte struct{ low, high int }

func newFinder(text string, literals []literal) *finder {
	f := &finder{
		text: text, literals: literals, next: make([]int, len(literals)),
		bytes: make([]rareByte, len(literals)),
	}
	for i := range f.next {
		f.next[i], f.bytes[i] = -1, rareByte{-1, -1}
	}
	return f
}

// from returns the first occurrence at or after offset, len(text) if there is none. Offsets must not decrease.
func (f *finder) from(offset int) int {
	first := len(f.text)
	for i, l := range f.literals {
		if f.next[i] < offset {
			f.next[i] = index(f.text, l, offset, &f.bytes[i])
		}
		first = min(first, f.next[i])
	}
	return first
}

// index returns the first occurrence of l at or after offset; len(text) if there is none.
func index(text string, l literal, offset int, next *rareByte) int {
	if !l.fold {
		if at := strings.Index(text[offset:], l.text); at >= 0 {
			return offset + at
		}
		return len(text)
	}
	return indexFold(text, l.text, offset, next)
}

// indexFold is index for a lower-case ASCII literal that matches in both cases. It searches for the literal's
// rarest byte.
func indexFold(text, want string, offset int, next *rareByte) int {
	rare := rarest(want)
	low, high := want[rare], want[rare]
	if low >= 'a' && low <= 'z' {
		high -= 'a' - 'A'
	}
	for at := offset + rare; ; at++ {
		next.low = nextByte(text, low, at, next.low)
		next.high = nextByte(text, high, at, next.high)
		at = min(next.low, next.high)
		if at-rare+len(want) > len(text) {
			return len(text)
		}
		if equalFoldASCII(text[at-rare:at-rare+len(want)], want) {
			return at - rare
		}
	}
}

// nextByte returns the first c at or after offset, len(text) if there is none; known is an earlier result.
func nextByte(text string, c byte, offset, known int) int {
	if known >= offset {
		return known
	}
	if offset < len(text) {
		if at := strings.IndexByte(text[offset:], c); at >= 0 {
			return offset + at
		}
	}
	return len(text)
}

// rarest returns the index of the byte of a literal that is probably rarest in texts.
func rarest(want string) int {
	const common = "etaoinsrhldcumfpgwybvkxjqz" // English letters, the most frequent first
	best, rank := 0, -1
	for i := range len(want) {
		r := strings.IndexByte(common, want[i])
		if want[i] == ' ' {
			r = -1
		} else if r < 0 {
			r = len(common) / 2
		}
		if r > rank {
			best, rank = i, r
		}
	}
	return best
}

func equalFoldASCII(s, lowered string) bool {
	for i := range len(lowered) {
		c := s[i]
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != lowered[i] {
			return false
		}
	}
	return true
}
