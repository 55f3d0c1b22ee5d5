package export

import (
	"strings"
)

// segments splits a reply at its cells: the prose before each cell, and the text after the last. A cell that is
// not found in the reply has no prose before it.
func segments(reply string, cells []*cell) (before []string, after string) {
	rest := strings.ReplaceAll(reply, "\r\n", "\n")
	before = make([]string, len(cells))
	for i, c := range cells {
		source := strings.TrimSpace(c.started.Source)
		at := fenced(rest, source, c.started.Untagged)
		if at < 0 || c.started.Own {
			continue
		}
		before[i] = withoutFence(rest[:at], true)
		rest = withoutFence(rest[at+len(source):], false)
	}
	return before, strings.TrimSpace(rest)
}

// fenced is the position of source in a fenced block that contains nothing else, -1 if there is none. It ignores
// the same text in prose.
func fenced(reply, source string, untagged bool) int {
	for from := 0; source != ""; {
		found := strings.Index(reply[from:], source)
		if found < 0 {
			break
		}
		at := from + found
		if opensBlock(reply[:at], untagged) && endsBlock(reply[at+len(source):]) {
			return at
		}
		from = at + 1
	}
	return -1
}

// opensBlock reports whether a text ends with the opening fence of a block, with a tag or without one.
func opensBlock(text string, untagged bool) bool {
	above := strings.TrimRight(text, " \t\n")
	if !strings.Contains(text[len(above):], "\n") {
		return false
	}
	line := above[strings.LastIndexByte(above, '\n')+1:]
	return isFence(line) && (strings.Trim(line, " \t>`~") == "") == untagged
}

// endsBlock reports whether only the closing fence follows in a block.
func endsBlock(text string) bool {
	line, below, _ := strings.Cut(text, "\n")
	if strings.TrimSpace(line) != "" {
		return false
	}
	below = strings.TrimLeft(below, " \t\n")
	line, _, _ = strings.Cut(below, "\n")
	return below == "" || isFence(line)
}

// withoutFence removes the fence of a cell from the end of the prose before the cell, or from the start of the prose
// after it.
func withoutFence(prose string, atEnd bool) string {
	if atEnd {
		trimmed := strings.TrimRight(prose, " \t\r\n")
		line := trimmed[strings.LastIndexByte(trimmed, '\n')+1:]
		if isFence(line) {
			return strings.TrimSpace(strings.TrimSuffix(trimmed, line))
		}
		return strings.TrimSpace(prose)
	}
	trimmed := strings.TrimLeft(prose, " \t\r\n")
	if line, behind, _ := strings.Cut(trimmed, "\n"); isFence(line) {
		return behind
	}
	return prose
}

func isFence(line string) bool {
	line = strings.TrimLeft(line, " \t>")
	return strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~")
}
