package reply

import (
	"bytes"
	"sort"
)

// span is a stretch of text that is code or markup: a code span, an HTML tag or comment.
type span struct{ start, end int }

// inSpan reports whether offset i of lf lies in a span.
func (d *detector) inSpan(lf *leaf, i int) bool {
	if lf.html {
		return d.inComment(lf, i)
	}
	if d.spansOf != lf {
		d.spansOf, d.spans = lf, findSpans(d.src, lf)
	}
	for _, s := range d.spans {
		if i >= s.start && i < s.end {
			return true
		}
	}
	return false
}

// inComment reports whether offset i of an HTML block lies in a comment that is open there.
func (d *detector) inComment(lf *leaf, i int) bool {
	head := d.src[lf.start:i]
	open := bytes.LastIndex(head, []byte("<!--"))
	return open >= 0 && !bytes.Contains(head[open:], []byte("-->"))
}

// findSpans finds the code spans, HTML tags and comments of a text block in one pass, by CommonMark's rules: a
// run of backticks is closed by the next run of the same length; what begins first wins.
func findSpans(src []byte, lf *leaf) []span {
	runs := findRuns(src, lf)
	var out []span
	skip := 0 // offset up to which everything is consumed
	noComment := false
	run := 0
	for _, seg := range lf.lines {
		for i := seg.Start; i < seg.Stop; i++ {
			if i < skip {
				i = min(skip, seg.Stop) - 1
				continue
			}
			switch src[i] {
			case '\\':
				skip = i + 2
			case '`':
				for runs.all[run].end <= i {
					run++
				}
				skip = runs.all[run].end
				width := skip - i // a backslash may have taken the first backtick of the run
				if next := runs.next(run, width); next >= 0 {
					skip = runs.all[next].end
					out = append(out, span{i, skip})
				}
			case '<':
				end := tagEnd(src[i:seg.Stop])
				if bytes.HasPrefix(src[i:seg.Stop], []byte("<!--")) && !noComment {
					if end = bytes.Index(src[i:lf.end], []byte("-->")); end < 0 {
						noComment = true
					} else {
						end += len("-->")
					}
				}
				if end > 0 {
					out = append(out, span{i, i + end})
					skip = i + end
				}
			}
		}
	}
	return out
}

// backtickRun is a maximal run of backticks.
type backtickRun struct{ start, end int }

// backtickRuns are the runs of a text block, and the indexes of those of each width.
type backtickRuns struct {
	all     []backtickRun
	ofWidth map[int][]int
}

func findRuns(src []byte, lf *leaf) backtickRuns {
	runs := backtickRuns{ofWidth: map[int][]int{}}
	for _, seg := range lf.lines {
		for i := seg.Start; i < seg.Stop; {
			at := bytes.IndexByte(src[i:seg.Stop], '`')
			if at < 0 {
				break
			}
			start := i + at
			for i = start; i < seg.Stop && src[i] == '`'; i++ {
			}
			runs.ofWidth[i-start] = append(runs.ofWidth[i-start], len(runs.all))
			runs.all = append(runs.all, backtickRun{start, i})
		}
	}
	return runs
}

// next is the index of the first run of a width after run k, or -1.
func (r backtickRuns) next(k, width int) int {
	same := r.ofWidth[width]
	if n := sort.SearchInts(same, k+1); n < len(same) {
		return same[n]
	}
	return -1
}

// maxTag is the length of the longest HTML tag that is recognised.
const maxTag = 512

// tagEnd is the length of the HTML tag or autolink at the start of s, or 0. It is as strict as is needed to
// know that a backtick in an attribute opens no code span.
func tagEnd(s []byte) int {
	s = s[:min(len(s), maxTag)]
	i := 1
	if i < len(s) && s[i] == '/' {
		i++
	}
	if i >= len(s) || !isLetter(s[i]) {
		return 0
	}
	for ; i < len(s); i++ {
		switch s[i] {
		case '>':
			return i + 1
		case '<', '\n':
			return 0
		case '"', '\'':
			if s[i-1] != '=' {
				return 0
			}
			closing := bytes.IndexByte(s[i+1:], s[i])
			if closing < 0 {
				return 0
			}
			i += closing + 1
		}
	}
	return 0
}
