package export

import (
	"strings"
)

// segments splits a reply at its cells: the prose before each cell, and what follows the last one. A cell that is not found in the
// reply has no prose before it.
func segments(reply string, cells []*cell) (before []string, after string) {
	rest := reply
	before = make([]string, len(cells))
	for i, c := range cells {
		source := strings.TrimSpace(c.started.Source)
		at := strings.Index(rest, source)
		if at < 0 || source == "" || c.started.Own {
			continue
		}
		before[i] = withoutFence(rest[:at], true)
		rest = withoutFence(rest[at+len(source):], false)
	}
	return before, strings.TrimSpace(rest)
}

// withoutFence takes the fence of a cell off the end of the prose before it, or off the beginning of the prose behind it.
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
