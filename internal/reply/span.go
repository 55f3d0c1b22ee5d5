package reply

import (
	"bytes"
	"sort"
)

// codeSpan is a range of text that is code or markup: a code span, an HTML tag or comment.
type codeSpan struct{ start, end int }

// inSpan reports whether offset i of lf is in a span.
func (d *detector) inSpan(lf *textBlock, i int) bool {
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

// inComment reports whether offset i of an HTML block is in a comment.
func (d *detector) inComment(lf *textBlock, i int) bool {
	head := d.src[lf.start:i]
	open := bytes.LastIndex(head, []byte("<!--"))
	return open != -1 && !bytes.Contains(head[open:], []byte("-->"))
}

// findSpans finds the code spans, HTML tags and comments of a text block in one pass, by CommonMark's rules: a run
// of backticks is closed by the next run of the same length, and whatever begins first wins.
func findSpans(src []byte, lf *textBlock) []codeSpan {
	runs := findRuns(src, lf)
	var out []codeSpan
	noComment := false
	i := 0 // everything before it is done
	for _, seg := range lf.lines {
		for i = max(i, seg.Start); i < seg.Stop; {
			line := src[i:seg.Stop]
			at := bytes.IndexAny(line, "\\`<")
			if at == -1 {
				break
			}
			line = line[at:]
			i += at
			size := 1
			switch line[0] {
			case '\\':
				size = len("\\`")
			case '`':
				size = len(line) - len(bytes.TrimLeft(line, "`")) // shorter if a backslash escapes the first backtick
				if next, ok := runs.next(i+size, size); ok {
					out = append(out, codeSpan{i, next + size})
					i = next
				}
			case '<':
				end := tagEnd(line)
				if bytes.HasPrefix(line, []byte("<!--")) && !noComment {
					end = commentEnd(src[i:lf.end])
					noComment = end == 0
				}
				if end != 0 {
					size = end
					out = append(out, codeSpan{i, i + size})
				}
			}
			i += size
		}
	}
	return out
}

// commentEnd returns the length of the HTML comment at the start of s, or 0 if it is not closed.
func commentEnd(s []byte) int {
	comment, _, closed := bytes.Cut(s, []byte("-->"))
	if !closed {
		return 0
	}
	return len(comment) + len("-->")
}

// backtickRuns are the offsets of the maximal runs of backticks of a text block, by width.
type backtickRuns map[int][]int

func findRuns(src []byte, lf *textBlock) backtickRuns {
	runs := backtickRuns{}
	for _, seg := range lf.lines {
		for rest := src[seg.Start:seg.Stop]; ; {
			at := bytes.IndexByte(rest, '`')
			if at == -1 {
				break
			}
			rest = rest[at:]
			behind := bytes.TrimLeft(rest, "`")
			width := len(rest) - len(behind)
			runs[width] = append(runs[width], seg.Stop-len(rest))
			rest = behind
		}
	}
	return runs
}

// next returns the offset of the first run of a width at or after offset i.
func (r backtickRuns) next(i, width int) (at int, ok bool) {
	same := r[width]
	n := sort.SearchInts(same, i)
	if n == len(same) {
		return 0, false
	}
	return same[n], true
}

// maxTag is the length of the longest HTML tag that is recognised.
const maxTag = 512

// tagEnd returns the length of the HTML tag or autolink at the start of s, or 0. It reads attributes, because a
// backtick in one opens no code span.
func tagEnd(s []byte) int {
	s = s[:min(len(s), maxTag)]
	rest := bytes.TrimPrefix(s[1:], []byte("/"))
	if len(rest) == 0 || !isLetter(rest[0]) {
		return 0
	}
	for {
		at := bytes.IndexAny(rest, "<>\n\"'")
		if at == -1 {
			return 0
		}
		head, behind := rest[:at], rest[at+1:]
		switch mark := rest[at:][:1]; mark[0] {
		case '>':
			return len(s) - len(behind)
		case '"', '\'':
			closed := false
			if _, rest, closed = bytes.Cut(behind, mark); !closed || !bytes.HasSuffix(head, []byte("=")) {
				return 0
			}
		default:
			return 0
		}
	}
}
