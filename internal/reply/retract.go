package reply

import (
	"strings"

	"github.com/gorlm/rlm/internal/kit/startup"
)

// promiseAbove caches whether the line above a line is a promise.
type promiseAbove struct {
	line int // where the line begins
	is   bool
	told bool // whether the line has been examined
}

// isPromised reports whether the line above the call at i states that the call comes later. The result is cached,
// because many calls may be below one long line.
func (d *detector) isPromised(i int) bool {
	if line := lineStart(d.src, i); !d.promise.told || d.promise.line != line {
		d.promise = promiseAbove{line: line, is: isPromise(d.lineAbove(i)), told: true}
	}
	return d.promise.is
}

// isPromise reports whether a line above a call is unfinished and states that the call comes later: "After that I
// would answer".
func isPromise(line string) bool {
	line = strings.TrimRight(line, " \t*_")
	if line == "" || strings.ContainsAny(line[len(line)-1:], ".!?;`)") {
		return false
	}
	lower := strings.ToLower(line)
	presented := strings.Contains(lower, "answer is") || strings.Contains(lower, ",") && presents(lower)
	last := lower[strings.LastIndexAny(lower, " \t")+1:]
	announced := isPlanning(lower) && isCallingWord(last)
	return (announced || promises(line)) && !presented
}

// promises reports whether a line announces a later answer.
func promises(line string) bool {
	first := strings.TrimLeft(line, "\t\n\f\r >*_#")
	if promisesFirst().MatchString(first[:min(len(first), maxPromise)]) {
		return true
	}
	before := byte(' ')
	for i := range len(line) {
		begins := !isWordByte(before)
		before = line[i]
		if !begins || !isOneOf(line[i], "iIwW") {
			continue
		}
		said := line[i:min(len(line), i+maxPromise)]
		who := 1
		if line[i]|0x20 == 'w' {
			who = len("we")
		}
		if isModal(said[min(len(said), who):]) && promise().MatchString(said) {
			return true
		}
	}
	return false
}

// isModal reports whether s begins with a modal verb: would, could, might, may.
func isModal(s string) bool {
	for _, word := range [...]string{" would", "'d", "’d", " could", " might", " may"} {
		if strings.EqualFold(s[:min(len(s), len(word))], word) {
			return true
		}
	}
	return false
}

// maxPromise is longer than any match of promisesFirst and of promise.
const maxPromise = 64

var (
	// promisesFirst matches the beginning of a line (after Markdown marks) that announces a later answer.
	promisesFirst = startup.Regexp(
		`(?i)^(?:after (?:that|this|which|i)\b|afterwards|once\b|when\b|then i\b|later\b|eventually\b|next,? i\b|if (?:that|this|it|so)\b)`)
	// promise matches such an announcement further along in the line.
	promise = startup.Regexp(
		`(?i)^(?:i|we)(?:'d|’d| would| could| might| may)\b(?: then| later| probably| finally)? (?:answer|say|call|give|write|finish|end|conclude|respond|return|submit)`)
)

// maxRetraction is how many bytes after a call are searched for its retraction.
const maxRetraction = 1000

// isTakenBack reports whether the text between a call and the next one retracts it: "wait, that is wrong".
func (d *detector) isTakenBack(end, next int) bool {
	stop := min(next, end+maxRetraction)
	for _, lf := range d.leaves[d.leafFrom(end):] {
		from := max(lf.start, end)
		if from > stop {
			break
		}
		if !lf.hidden && retraction().MatchString(d.str[from:min(lf.end, stop)]) {
			return true
		}
	}
	return false
}

// retraction matches a line that retracts the text above it.
var retraction = startup.Regexp(
	`(?im)^[\s>*_#().!-]*(?:(?:oh|but|hmm+)?[,.… ]*wait\b(?: a (?:moment|minute|second))?\s*(?:[,.!:;…—–-]|no\b|that\b|this\b|i\b|let\b|$)|hold on\b|scratch that|correction\s*[:,]|oops|no,? wait|`,
	`no, (?:that|this|it)\b|on second thought|actually, (?:no|that|this|it|let me|i)\b|sorry, (?:that|this|it|i)\b|hmm+\b|(?:please )?(?:ignore|disregard) (?:that|this|the above))`,
	`|\b(?:that|this|it|the (?:above|answer))(?:'s|’s| is| was| may be| might be| cannot be| can't be| can’t be) (?:wrong|incorrect|not (?:right|correct)|a mistake)\b`,
	`|\bi (?:made a mistake|was wrong|take (?:that|it) back)\b`)
