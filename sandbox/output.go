package sandbox

import (
	"fmt"
	"unicode/utf8"
)

// cellOutput assembles the output of a cell: the beginning, which was streamed, and the end, which the worker
// keeps.
type cellOutput struct {
	stream []byte // the first bytes
	tail   []byte // the last bytes, if they were not streamed
	total  int64  // bytes printed; 0 while only the stream is known
}

// text cuts the middle out of the output so that limit bytes remain, not counting the text that marks the cut. It
// also returns the number of bytes cut.
func (o cellOutput) text(limit int) (string, int64) {
	total := max(o.total, int64(len(o.stream)+len(o.tail)))
	if int64(len(o.stream)+len(o.tail)) == total && total <= int64(limit) {
		return string(o.stream) + string(o.tail), 0
	}
	head := o.stream
	rest := o.tail
	if int64(len(o.stream)+len(o.tail)) == total { // no gap: the end may begin in the stream
		rest = append(append([]byte(nil), o.stream...), o.tail...)
	}
	if len(head) > limit/2 {
		head = head[:limit/2]
	}
	if len(rest) > limit-limit/2 {
		rest = rest[len(rest)-(limit-limit/2):]
	}
	head, rest = wholeRunes(head, rest)
	cut := total - int64(len(head)+len(rest))
	if cut <= 0 {
		return string(head) + string(rest), 0
	}
	return fmt.Sprintf("%s\n[… %d bytes of output cut out here …]\n%s", head, cut, rest), cut
}

// wholeRunes drops the parts of characters that a cut left at the end of head and at the beginning of rest.
func wholeRunes(head, rest []byte) ([]byte, []byte) {
	for i := 1; i < utf8.UTFMax && i <= len(head); i++ {
		if c := head[len(head)-i]; utf8.RuneStart(c) {
			if !utf8.FullRune(head[len(head)-i:]) {
				head = head[:len(head)-i]
			}
			break
		}
	}
	for i := 0; i < utf8.UTFMax-1 && len(rest) > 0 && !utf8.RuneStart(rest[0]); i++ {
		rest = rest[1:]
	}
	return head, rest
}
