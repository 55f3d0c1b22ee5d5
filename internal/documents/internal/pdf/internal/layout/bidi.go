package layout

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/bidi"
)

// item is a character of a line, in visual order.
type item struct {
	text string
	rtl  bool
}

func isLetter(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.IsLetter(r)
}

// class determines the direction of an item between runs.
type class uint8

const (
	neutral class = iota
	ltr
	rtl
	number
	separator // within numbers: "12,5", "10:30", "50%"
)

func classify(it item) class {
	if it.rtl {
		return rtl
	}
	p, _ := bidi.LookupString(it.text)
	switch p.Class() {
	case bidi.L:
		return ltr
	case bidi.R, bidi.AL:
		return rtl
	case bidi.EN, bidi.AN:
		return number
	case bidi.CS, bidi.ES, bidi.ET:
		return separator
	}
	return neutral
}

// logical reorders the items of a line from visual order (left to right) to reading order. It reverses the
// reordering of the Unicode bidirectional algorithm.
func logical(items []item, pageRTL bool) {
	classes := make([]class, len(items))
	left, right := 0, 0
	for i, it := range items {
		classes[i] = classify(it)
		switch classes[i] {
		case ltr:
			right++
		case rtl:
			left++
		}
	}
	if left > right || pageRTL && left*4 > right {
		reverse(items, classes)
		eachRun(classes, func(c class) bool { return c == ltr || c == number }, joinsLeftToRight, func(i, j int) {
			reverse(items[i:j], classes[i:j])
		})
		mirror(items, classes)
		return
	}
	eachRun(classes, func(c class) bool { return c == rtl }, func(a, b class) bool { return true }, func(i, j int) {
		reverse(items[i:j], classes[i:j])
		inside := classes[i:j]
		eachRun(inside, func(c class) bool { return c == number }, joinsLeftToRight, func(k, l int) {
			reverse(items[i+k:i+l], inside[k:l])
		})
		mirror(items[i:j], inside)
	})
}

// joinsLeftToRight reports whether two non-RTL parts separated by neutral items form one run.
func joinsLeftToRight(a, b class) bool { return a == ltr || b == ltr }

// eachRun calls do for each run of a class. Neutral items between two parts belong to the run if the parts join;
// separators of numbers always do.
func eachRun(classes []class, is func(class) bool, joins func(a, b class) bool, do func(i, j int)) {
	for i := 0; i < len(classes); i++ {
		if !is(classes[i]) {
			continue
		}
		end := i + 1
		for j := end; j < len(classes); j++ {
			if is(classes[j]) {
				if j == end || joins(classes[end-1], classes[j]) || j == end+1 && classes[end] == separator {
					end = j + 1
					continue
				}
				break
			}
			if classes[j] != neutral && classes[j] != separator && !(classes[j] == number && is(rtl)) {
				break
			}
		}
		for end < len(classes) && classes[end-1] == number && classes[end] == separator && percent(classes, end) {
			end++
		}
		do(i, end)
		i = end - 1
	}
}

// percent reports whether a separator after a number belongs to it, as in "50%": no other number follows.
func percent(classes []class, i int) bool { return i+1 == len(classes) || classes[i+1] != number }

func reverse(items []item, classes []class) {
	slices.Reverse(items)
	slices.Reverse(classes)
}

var mirrored = map[string]string{
	"(": ")", ")": "(", "[": "]", "]": "[", "{": "}", "}": "{", "<": ">", ">": "<", "«": "»", "»": "«", "‹": "›",
	"›": "‹",
}

// opening contains the opening brackets.
const opening = "([{<«‹"

// mirror swaps brackets in right-to-left text, where the page shows ")" for "(" in the text. Some programs write
// text brackets instead; theirs already match and stay.
func mirror(items []item, classes []class) {
	var brackets []int
	depth, match := 0, true
	for i := range items {
		if mirrored[items[i].text] == "" || between(classes, i, ltr) {
			continue
		}
		brackets = append(brackets, i)
		if strings.Contains(opening, items[i].text) {
			depth++
		} else {
			depth--
		}
		match = match && depth >= 0
	}
	if match && depth == 0 {
		return
	}
	for _, i := range brackets {
		items[i].text = mirrored[items[i].text]
	}
}

// between reports whether both neighbours of an item have the class.
func between(classes []class, i int, c class) bool {
	return i > 0 && i+1 < len(classes) && classes[i-1] == c && classes[i+1] == c
}
