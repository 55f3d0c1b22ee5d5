package grounding

import "strings"

// maxEnclosing bounds how far before a row the keys that enclose it are searched for.
const maxEnclosing = 4 << 10

// enclosing returns the words of the two nearest keys that enclose an entry of an indented configuration: the "pool" of
//
//	"pool": {
//	  "min": 4
func (t *tracer) enclosing(r *row) (ws []word) {
	indent := func(line string) int { return len(line) - len(strings.TrimLeft(line, " \t-")) }
	line := t.text[strings.LastIndexByte(t.text[:r.at], '\n')+1 : r.end]
	if !strings.ContainsAny(line, ":=") {
		return nil
	}
	base := max(0, r.at-maxEnclosing)
	depth, above := indent(line), t.text[base:r.at]
	t.work += len(above) / 16
	for n := 0; n < 2 && above != ""; {
		above = strings.TrimSuffix(above, "\n")
		i := strings.LastIndexByte(above, '\n') + 1
		head := strings.TrimRight(above[i:], " \r{[")
		section := len(head) > 2 && head[0] == '[' && head[len(head)-1] == ']'
		if section || head != "" && indent(head) < depth && head[len(head)-1] == ':' {
			for _, w := range appendWords(nil, head) {
				ws = append(ws, word{text: w.text, at: base + i + w.at, end: base + i + w.end})
			}
			depth = indent(head)
			n++
		}
		if section {
			break
		}
		above = above[:i]
	}
	return ws
}
