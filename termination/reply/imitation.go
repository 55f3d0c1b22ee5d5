package reply

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/gorlm/rlm/internal/lazy"
)

// imitation is where a reply begins to write what only the notebook writes, the output of a cell: its offset, or -1. Marks of an
// observation are one anywhere; a line "Output: 99" or a block of output is one behind a cell, whose real output nobody has seen yet.
func imitation(l *layout, cells []Cell) int {
	ends := cellEnds(l, cells)
	first := -1
	found := func(at int) {
		if first < 0 || at < first {
			first = at
		}
	}
	for _, lf := range l.leaves {
		if at := imitatingLine(l, lf, ends); at >= 0 {
			found(at)
			break
		}
	}
	for i, b := range l.blocks {
		if isImitatingBlock(l, i, ends) {
			found(b.start)
			break
		}
	}
	return first
}

// cellEnds are the offsets at which the cells of a reply end, in order.
func cellEnds(l *layout, cells []Cell) []int {
	lines := lineCounter{src: l.src}
	var ends []int
	for _, b := range l.blocks {
		if len(ends) < len(cells) && cells[len(ends)].Line == lines.at(b.first) {
			ends = append(ends, b.end)
		}
	}
	return ends
}

// imitatingLine is the offset of the first line of a text block that only a notebook writes, or -1.
func imitatingLine(l *layout, lf leaf, ends []int) int {
	if lf.hidden {
		return -1
	}
	for i, seg := range lf.lines {
		line := l.str[seg.Start:seg.Stop]
		if isMarked(line) {
			return seg.Start
		}
		if len(ends) == 0 || seg.Start < ends[0] || lf.listed && i == 0 {
			continue
		}
		if isShown(line) || isPrompted(l.str[lineStart(l.src, seg.Start):seg.Stop]) || isTold(line) {
			return seg.Start
		}
		value, is := labelledValue(line)
		if !is {
			continue
		}
		if value == "" {
			value = firstLine(l.str[seg.Stop:l.nextFence(seg.Stop)])
		}
		if isValue(value) {
			return seg.Start
		}
	}
	return -1
}

// presenting is a line that says that the output of a cell follows.
var presenting = lazy.Regexp(`(?i)\b(?:output|outputs|observation|results?|prints?|printed|gives|shows|returns|displays|stdout)[\s*_]*[:.]?[\s*_]*$`)

func firstLine(s string) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), "\n")
	return strings.TrimSpace(s)
}

// isValue reports whether what stands behind "Output:" is output, rather than a description of it.
func isValue(s string) bool {
	s = strings.Trim(s, " \t*_`")
	words := strings.Fields(s)
	switch {
	case len(words) == 0 || markerWidth([]byte(s)) > 0 && !strings.HasPrefix(s, "-1"):
		return false
	case strings.ContainsRune(`"'[{<`, rune(s[0])) || strings.HasPrefix(s, "map[") || strings.HasPrefix(s, "&{"):
		return true
	case len(words) == 1 && calls().MatchString(s):
		return false
	case len(words) == 1:
		return !isFormat(strings.ToLower(strings.Trim(s, ".,;:")))
	case s[0] >= '0' && s[0] <= '9' || s[0] == '-':
		return len(words) <= 4
	}
	return len(words) <= 6 && assigned().MatchString(s)
}

// assigned is a value with its name: "len = 16", "total: 42".
var assigned = lazy.Regexp(`^[\w ]+(?:=|:)\s*["'\[{]?-?[\d"'\[{]`)

// calls is a call, which a completion signal is and output is not.
var calls = lazy.Regexp(`^\w+\(.*\)\W*$`)

// isFormat reports whether a word says what output looks like.
func isFormat(w string) bool {
	return slices.Contains([]string{"json", "csv", "text", "markdown", "table", "list", "none", "string", "number", "yaml", "html", "plain"}, w)
}

// isImitatingBlock reports whether block i shows the output of a cell before it: it is tagged as output, or stands right behind the
// cell, with at most a line between them that presents it.
func isImitatingBlock(l *layout, i int, ends []int) bool {
	b := &l.blocks[i]
	if !b.fenced || isCellTag(language(b.info)) {
		return false
	}
	lang := strings.ToLower(language(b.info))
	if lang == "" && !b.mayBeCell() || !isProgramming(lang) {
		if isMarked(firstLine(b.body)) {
			return true
		}
	}
	n, _ := slices.BinarySearch(ends, b.start+1) // the cells that end before the block
	if _, isCell := slices.BinarySearch(ends, b.end); n == 0 || isCell || strings.TrimSpace(b.body) == "" {
		return false
	}
	switch lang {
	case "output", "stdout", "observation", "result", "results", "out":
		return true
	case "", "text", "txt", "plain", "plaintext", "console", "log", "json":
	default:
		return false
	}
	between := strings.TrimSpace(l.str[max(ends[n-1], b.start-maxPresented):b.start])
	presented := presenting().MatchString(between) && !strings.Contains(between, "\n")
	return presented || between == "" && lang != "json" && lang != ""
}

// maxPresented bounds the text between a cell and a block that shows its output.
const maxPresented = 200

// voidBehind takes the cells behind an imitation out of a reply: they rest on a result that nobody has seen.
func voidBehind(l *layout, at int, cells []Cell, skipped []Skipped) ([]Cell, []Skipped) {
	lines := lineCounter{src: l.src}
	from := lines.at(at)
	n := slices.IndexFunc(cells, func(c Cell) bool { return c.Line > from })
	if n < 0 {
		return cells, skipped
	}
	for _, c := range cells[n:] {
		lang := c.Lang
		if lang == "" {
			lang = CellTag
		}
		skipped = append(skipped, Skipped{
			Lang: lang, Line: c.Line, Code: true, Reason: fmt.Sprintf("this cell was not run, because the reply writes the notebook's output itself on line %d "+
				"and the cell stands behind it. Only the notebook writes output: send the cell again once you have seen the real one", from),
		})
	}
	slices.SortStableFunc(skipped, func(a, b Skipped) int { return cmp.Compare(a.Line, b.Line) })
	return cells[:n:n], skipped
}
