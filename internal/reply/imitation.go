package reply

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/gorlm/rlm/internal/kit/startup"
	"github.com/gorlm/rlm/internal/kit/text"
)

// imitation returns the offset of the first imitation of a cell's output, or the end of the reply. The marks of an
// observation are an imitation anywhere. A line like "Output: 99" or a block of output is one only after a cell,
// whose real output the model cannot have seen yet.
func imitation(l *layout, cells []Cell) int {
	ends := cellEnds(l, cells)
	first := len(l.src)
	for _, lf := range l.leaves {
		if at := imitatingLine(l, lf, ends); at != -1 {
			first = at
			break
		}
	}
	for i, b := range l.blocks {
		if isImitatingBlock(l, i, ends) {
			first = min(first, b.start)
			break
		}
	}
	return first
}

// cellEnds returns the offsets at which the cells of a reply end, in order.
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

// imitatingLine returns the offset of the first line of a text block that imitates a notebook, or -1.
func imitatingLine(l *layout, lf textBlock, ends []int) int {
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
			value = text.FirstLine(l.str[seg.Stop:l.nextFence(seg.Stop)])
		}
		if isValue(value) {
			return seg.Start
		}
	}
	return -1
}

// presenting matches a line that announces the output of a cell.
var presenting = startup.Regexp(
	`(?i)\b(?:output|outputs|observation|results?|prints?|printed|gives|shows|returns|displays|stdout)[\s*_]*[:.]?[\s*_]*$`)

// isValue reports whether the text after "Output:" is output, rather than a description of output.
func isValue(s string) bool {
	s = strings.Trim(s, " \t*_`")
	words := strings.Fields(s)
	if len(words) == 0 || markerWidth([]byte(s)) > 0 {
		return false
	}
	if isOneOf(s[0], `"'[{<`) || strings.HasPrefix(s, "map[") || strings.HasPrefix(s, "&{") {
		return true
	}
	if len(words) == 1 {
		return !calls().MatchString(s) && !isFormat(strings.ToLower(strings.Trim(s, ".,;:")))
	}
	if isOneOf(s[0], "0123456789-") {
		return len(words) <= 4
	}
	return len(words) <= 6 && assigned().MatchString(s)
}

// assigned matches a value with its name: "len = 16", "total: 42".
var assigned = startup.Regexp(`^[\w ]+(?:=|:)\s*["'\[{]?-?[\d"'\[{]`)

// calls matches a call, such as a completion signal, which is not output.
var calls = startup.Regexp(`^\w+\(.*\)\W*$`)

// isFormat reports whether a word names a format of output.
func isFormat(w string) bool {
	return slices.Contains([]string{
		"json", "csv", "text", "markdown", "table", "list", "none", "string", "number", "yaml", "html", "plain",
	}, w)
}

// isImitatingBlock reports whether block i imitates an observation or shows the output of a cell before it: it has
// the marks of an observation, is tagged as output, or follows the cell directly, with at most one line between
// them that introduces it.
func isImitatingBlock(l *layout, i int, ends []int) bool {
	b := &l.blocks[i]
	if !b.fenced || isCellTag(language(b.info)) {
		return false
	}
	lang := strings.ToLower(language(b.info))
	if lang == "" && !b.mayBeCell() || !isProgramming(lang) {
		if isMarked(text.FirstLine(b.body)) {
			return true
		}
	}
	n, _ := slices.BinarySearch(ends, b.start+1) // the number of cells that end before the block
	if _, isCell := slices.BinarySearch(ends, b.end); n == 0 || isCell || strings.TrimSpace(b.body) == "" {
		return false
	}
	if isOutput(lang) {
		return true
	}
	switch lang {
	case "", "text", "txt", "plain", "plaintext", "console", "log", "json":
	default:
		return false
	}
	between := strings.TrimSpace(l.str[max(ends[n-1], b.start-maxPresented):b.start])
	presented := presenting().MatchString(between) && !strings.Contains(between, "\n")
	return presented || between == "" && lang != "json" && lang != ""
}

// isOutput reports whether a block with this tag shows printed output.
func isOutput(lang string) bool {
	switch strings.ToLower(lang) {
	case "output", "stdout", "observation", "result", "results", "out":
		return true
	}
	return false
}

// maxPresented bounds the text between a cell and a block that shows its output.
const maxPresented = 200

// voidBehind moves the cells after an imitation to the skipped blocks, because they are based on an invented
// result.
func voidBehind(l *layout, at int, cells []Cell, skipped []SkippedBlock) ([]Cell, []SkippedBlock) {
	lines := lineCounter{src: l.src}
	from := lines.at(at)
	n := slices.IndexFunc(cells, func(c Cell) bool { return c.Line > from })
	if n == -1 {
		return cells, skipped
	}
	for _, c := range cells[n:] {
		lang := c.Lang
		if lang == "" {
			lang = CellTag
		}
		skipped = append(skipped, SkippedBlock{
			Lang: lang, Line: c.Line, Code: true, Reason: fmt.Sprintf(
				"this cell was not run, because the reply writes the notebook's output itself on line %d "+
					"and the cell stands behind it. Only the notebook writes output: send the cell again once you have seen the real one", from),
		})
	}
	slices.SortStableFunc(skipped, func(a, b SkippedBlock) int { return cmp.Compare(a.Line, b.Line) })
	return cells[:n:n], skipped
}
