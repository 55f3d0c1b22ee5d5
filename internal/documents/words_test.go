package documents

import (
	"regexp"
	"slices"
	"strings"

	"github.com/gorlm/rlm/internal/testing/likeness"
)

var blankLines = regexp.MustCompile(`\n[ \t\f]*\n`)

// blocks splits a reference into units with an order: paragraphs, or, in a layout, cells separated by space.
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
			cells = likeness.Gap.Split(paragraph, -1)
		case len(likeness.Words(paragraph)) <= 3*len(lines):
			cells = lines // the cells of a table may be in any order
		}
		for _, cell := range cells {
			if w := likeness.Words(cell); len(w) > 0 {
				all = append(all, w)
			}
		}
	}
	return all
}

// share measures how much of a reference is in a text.
type share struct {
	words          int
	found, ordered float64 // shares of words that are found anywhere, and in the order of their block
	missing        []string
}

func compare(text string, want [][]string) share {
	ours := likeness.Words(text)
	left := map[string]int{}
	where := map[string][]int{}
	for i, w := range ours {
		left[w]++
		where[w] = append(where[w], i)
	}
	var l share
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

// inOrder returns how many words of a block are in order at the place in the text where most of them are.
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
			// The range is narrow, so that text with mixed columns does not match.
			from, to := max(start-len(block)/8-4, 0), min(start+len(block)*9/8+8, len(ours))
			best = max(best, likeness.CommonSubsequence(ours[from:to], block))
		}
	}
	return best
}
