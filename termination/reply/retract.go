package reply

import (
	"strings"

	"github.com/gorlm/rlm/internal/lazy"
)

// isPromise reports whether a line above a call breaks off before it and says that the call comes later: "After that I would answer".
func isPromise(line string) bool {
	line = strings.TrimRight(line, " \t*_")
	if line == "" || strings.ContainsAny(line[len(line)-1:], ".!?;`)") {
		return false
	}
	lower := strings.ToLower(line)
	presented := strings.Contains(lower, "answer is") || strings.Contains(lower, ",") && presents(lower)
	last := lower[strings.LastIndexAny(lower, " \t")+1:]
	announced := isPlanning(lower) && isCallingWord(last)
	return (announced || promise().MatchString(line)) && !presented
}

// promise is how a line speaks of a later answer.
var promise = lazy.Regexp(`(?i)^[\s>*_#]*(?:after (?:that|this|which|i)\b|afterwards|once\b|when\b|then i\b|later\b|eventually\b|next,? i\b|if (?:that|this|it|so)\b)` +
	`|\b(?:i|we)(?:'d|’d| would| could| might| may)\b(?: then| later| probably| finally)? (?:answer|say|call|give|write|finish|end|conclude|respond|return|submit)`)

// maxRetraction is how far behind a call its retraction is looked for.
const maxRetraction = 1000

// isTakenBack reports whether the text between a call and the next one takes it back: "wait, that is wrong".
func (d *detector) isTakenBack(end, next int) bool {
	stop := min(next, d.nextFence(end), end+maxRetraction)
	if stop <= end {
		return false
	}
	tail := d.str[end:stop]
	return retraction().MatchString(tail)
}

// retraction is how a line takes back what stands above it.
var retraction = lazy.Regexp(`(?im)^[\s>*_#().!-]*(?:(?:oh|but|hmm+)?[,.… ]*wait\b(?: a (?:moment|minute|second))?\s*(?:[,.!:;…—–-]|no\b|that\b|this\b|i\b|let\b|$)|hold on\b|scratch that|correction\s*[:,]|oops|no,? wait|` +
	`no, (?:that|this|it)\b|on second thought|actually, (?:no|that|this|it|let me|i)\b|sorry, (?:that|this|it|i)\b|hmm+\b|(?:please )?(?:ignore|disregard) (?:that|this|the above))` +
	`|\b(?:that|this|it|the (?:above|answer))(?:'s|’s| is| was| may be| might be| cannot be| can't be| can’t be) (?:wrong|incorrect|not (?:right|correct)|a mistake)\b` +
	`|\bi (?:made a mistake|was wrong|take (?:that|it) back)\b`)
