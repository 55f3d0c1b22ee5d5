// Package skim finds all matches of a regular expression in a long text, like package regexp but faster. If every
// match begins with one of few characters, it skips from one such character to the next, at a nanosecond a byte.
// Unless matches begin with a fixed text, package regexp would simulate its automaton for every byte in between.
package skim

import "regexp"

// shortest is the length in bytes from which looking for the first characters of matches is worthwhile.
const shortest = 4096

// each calls yield with the positions of the first n matches in s, in the form of FindStringSubmatchIndex; of all
// matches if n is negative. If that would not be faster than package regexp, it calls nothing, and ok is false.
func each(re *regexp.Regexp, s string, n int, yield func(place []int)) (ok bool) {
	if re == nil || len(s) < shortest {
		return false
	}
	first, ok := firstBytes(re)
	if !ok {
		return false
	}
	for pos := 0; n != 0; n-- {
		for pos < len(s) && !first[s[pos]] {
			pos++
		}
		if pos == len(s) {
			break
		}
		place := re.FindStringSubmatchIndex(s[pos:])
		if place == nil {
			break
		}
		for i := range place {
			if place[i] >= 0 {
				place[i] += pos
			}
		}
		pos = place[1]
		yield(place)
	}
	return true
}

// capacity is the initial capacity of the results in package regexp.
const capacity = 10

// collect applies of to each match, or calls otherwise if each cannot be used.
func collect[T any](re *regexp.Regexp, s string, n int, otherwise func(string, int) []T, of func(place []int) T) []T {
	var out []T
	ok := each(re, s, n, func(place []int) {
		if out == nil {
			out = make([]T, 0, capacity)
		}
		out = append(out, of(place))
	})
	if !ok {
		return otherwise(s, n)
	}
	return out
}

// FindAllString is like Regexp.FindAllString.
func FindAllString(re *regexp.Regexp, s string, n int) []string {
	return collect(re, s, n, re.FindAllString, func(p []int) string { return s[p[0]:p[1]] })
}

// FindAllStringIndex is like Regexp.FindAllStringIndex.
func FindAllStringIndex(re *regexp.Regexp, s string, n int) [][]int {
	return collect(re, s, n, re.FindAllStringIndex, func(p []int) []int { return p[0:2] })
}

// FindAllStringSubmatch is like Regexp.FindAllStringSubmatch.
func FindAllStringSubmatch(re *regexp.Regexp, s string, n int) [][]string {
	return collect(re, s, n, re.FindAllStringSubmatch, func(p []int) []string {
		parts := make([]string, len(p)/2)
		for i := range parts {
			if p[2*i] >= 0 {
				parts[i] = s[p[2*i]:p[2*i+1]]
			}
		}
		return parts
	})
}

// FindAllStringSubmatchIndex is like Regexp.FindAllStringSubmatchIndex.
func FindAllStringSubmatchIndex(re *regexp.Regexp, s string, n int) [][]int {
	return collect(re, s, n, re.FindAllStringSubmatchIndex, func(p []int) []int { return p })
}
