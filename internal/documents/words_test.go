package documents

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

var (
	linkTarget = regexp.MustCompile(`\]\([^)\s]*\)`)
	reference  = regexp.MustCompile(`\[\^?[0-9]{1,2}\]:?`) // of a footnote
	hyphenated = regexp.MustCompile(`(\p{L})[-\x{2010}]\n[ \t]*(\p{Ll})`)
	escape     = regexp.MustCompile(`\\([[:punct:]])`)
	blankLines = regexp.MustCompile(`\n[ \t\f]*\n`)
	gap        = regexp.MustCompile(`[ \t]{2,}|\f`)
)

// words splits a text into what is compared: numbers with their points and commas, words, and each character of Chinese and Japanese,
// which have no spaces. All are in the form in which compatible characters (ligatures, wide letters, presentation forms) are the same.
func words(s string) []string {
	s = norm.NFKC.String(strings.ToValidUTF8(s, "\uFFFD"))
	s = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Variation_Selector, r) {
			return -1 // soft hyphens, joiners, marks of direction
		}
		return r
	}, s)
	s = hyphenated.ReplaceAllString(s, "$1$2")
	s = reference.ReplaceAllString(linkTarget.ReplaceAllString(s, "]"), " ")
	s = escape.ReplaceAllString(s, "$1")
	var all []string
	runes := []rune(s)
	for i := 0; i < len(runes); {
		r := runes[i]
		switch {
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana):
			all = append(all, string(r))
			i++
		case isWord(r):
			from := i
			for i < len(runes) && (isWord(runes[i]) && !unicode.In(runes[i], unicode.Han, unicode.Hiragana, unicode.Katakana) || insideNumber(runes, i)) {
				i++
			}
			all = append(all, string(runes[from:i]))
		default:
			i++
		}
	}
	return all
}

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) }

func insideNumber(s []rune, i int) bool {
	return (s[i] == '.' || s[i] == ',') && i > 0 && i+1 < len(s) && unicode.IsDigit(s[i-1]) && unicode.IsDigit(s[i+1])
}

// isNumber says whether a word is a number as tables have it.
func isNumber(word string) bool {
	return strings.Trim(word, "0123456789.,") == "" && strings.ContainsAny(word, "0123456789")
}

// blocks splits a reference into what has an order of its own: paragraphs, or what a layout keeps apart with space, columns and cells.
func blocks(s string, layout bool) [][]string {
	var all [][]string
	cut := blankLines.Split(s, -1)
	if layout {
		cut = strings.Split(s, "\n")
	}
	for _, paragraph := range cut {
		cells := []string{paragraph}
		switch lines := strings.Split(paragraph, "\n"); {
		case layout:
			cells = gap.Split(paragraph, -1)
		case len(words(paragraph)) <= 3*len(lines):
			cells = lines // of a table, in an order of their own
		}
		for _, cell := range cells {
			if w := words(cell); len(w) > 0 {
				all = append(all, w)
			}
		}
	}
	return all
}

// likeness is how much of a reference is in a text.
type likeness struct {
	words          int
	found, ordered float64 // shares of them: anywhere, and in the order of their block
	missing        []string
}

func compare(text string, want [][]string) likeness {
	ours := words(text)
	left := map[string]int{}
	where := map[string][]int{}
	for i, w := range ours {
		left[w]++
		where[w] = append(where[w], i)
	}
	var l likeness
	found, ordered := 0, 0
	for _, block := range want {
		l.words += len(block)
		for _, w := range block {
			if left[w] > 0 {
				left[w]--
				found++
			} else {
				l.missing = append(l.missing, w)
			}
		}
		ordered += inOrder(ours, where, block)
	}
	if l.words > 0 {
		l.found, l.ordered = float64(found)/float64(l.words), float64(ordered)/float64(l.words)
	}
	return l
}

// inOrder is how many words of a block stand in its order at the place of the text where most of them do.
func inOrder(ours []string, where map[string][]int, block []string) int {
	rare := make([]int, len(block))
	for i := range rare {
		rare[i] = i
	}
	slices.SortStableFunc(rare, func(a, b int) int { return len(where[block[a]]) - len(where[block[b]]) })
	best, tried := 0, map[int]bool{}
	for _, i := range rare {
		for _, at := range where[block[i]] {
			start := at - i
			if len(tried) > 60 || best == len(block) {
				return best
			}
			if tried[start/4] {
				continue
			}
			tried[start/4] = true
			from, to := max(start-len(block)/8-4, 0), min(start+len(block)*9/8+8, len(ours)) // so that columns must not be mixed
			best = max(best, commonSubsequence(ours[from:to], block))
		}
	}
	return best
}

// commonSubsequence is the length of the longest one.
func commonSubsequence(a, b []string) int {
	row := make([]int, len(b)+1)
	for _, x := range a {
		diagonal := 0
		for j, y := range b {
			above := row[j+1]
			if x == y {
				row[j+1] = diagonal + 1
			} else {
				row[j+1] = max(above, row[j])
			}
			diagonal = above
		}
	}
	return row[len(b)]
}

// numberRows are the rows of tables in a layout: lines of at least three columns with at least two numbers.
func numberRows(layout string) [][]string {
	var rows [][]string
	for line := range strings.Lines(layout) {
		cells := gap.Split(strings.TrimSpace(line), -1)
		if len(cells) < 3 {
			continue
		}
		var numbers []string
		for _, cell := range cells {
			if w := words(cell); len(w) > 0 && len(w) <= 4 {
				for _, w := range w {
					if isNumber(w) {
						numbers = append(numbers, w)
					}
				}
			}
		}
		if len(numbers) >= 2 {
			rows = append(rows, numbers)
		}
	}
	return rows
}

// hasRow says whether one line of the text has these numbers in this order.
func hasRow(text string, numbers []string) bool {
	for line := range strings.Lines(text) {
		if commonSubsequence(words(line), numbers) == len(numbers) {
			return true
		}
	}
	return false
}
