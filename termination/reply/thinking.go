package reply

import (
	"strings"
)

// thinkingTags are the elements in which models write what they think to themselves.
var thinkingTags = [...]string{"think", "thinking"}

// stripThinking removes what a model thought to itself: <think>…</think> (also <thinking>) that begins
// a line outside of fenced code, and everything before a </think> whose opening tag stands in the prompt. Line ends
// stay, so line numbers remain right. unclosed is the 1-based line of a <think> that is never closed, else 0.
func stripThinking(reply string) (prose string, unclosed int) {
	if !strings.Contains(reply, "<think") && !strings.Contains(reply, "</think") {
		return reply, 0
	}
	var out strings.Builder
	var fence fenceState
	opened := false
	for i := 0; i < len(reply); {
		end := len(reply)
		if nl := strings.IndexByte(reply[i:], '\n'); nl >= 0 {
			end = i + nl + 1
		}
		line := reply[i:end]
		if !fence.inside() {
			if tag, ok := openingTag(line); ok {
				opened = true
				stop := strings.Index(reply[i:], "</"+tag+">")
				if stop < 0 {
					unclosed = strings.Count(reply[:i], "\n") + 1
					out.WriteString(strings.Repeat("\n", strings.Count(reply[i:], "\n")))
					return out.String(), unclosed
				}
				stop += i + len("</>") + len(tag)
				out.WriteString(strings.Repeat("\n", strings.Count(reply[i:stop], "\n")))
				i = stop
				continue
			}
			if at, ok := orphanClose(line); ok && !opened {
				opened = true
				out.Reset()
				out.WriteString(strings.Repeat("\n", strings.Count(reply[:i], "\n")))
				i += at
				continue
			}
		}
		fence.line(line)
		out.WriteString(line)
		i = end
	}
	return out.String(), 0
}

// openingTag reports whether a line begins with an opening thinking tag.
func openingTag(line string) (tag string, ok bool) {
	line = strings.TrimLeft(line, " \t\r\n")
	for _, tag := range thinkingTags {
		if strings.HasPrefix(line, "<"+tag+">") {
			return tag, true
		}
	}
	return "", false
}

// orphanClose finds a closing thinking tag that begins or ends a line; at is the offset after it.
func orphanClose(line string) (at int, ok bool) {
	for _, tag := range thinkingTags {
		closing := "</" + tag + ">"
		i := strings.Index(line, closing)
		if i < 0 {
			continue
		}
		at := i + len(closing)
		if strings.TrimSpace(line[:i]) == "" || strings.TrimSpace(line[at:]) == "" {
			return at, true
		}
	}
	return 0, false
}

// fenceState follows fences line by line, as closely as is needed to know that a tag is code.
type fenceState struct {
	char byte
	size int
}

func (f *fenceState) inside() bool { return f.size > 0 }

func (f *fenceState) line(line string) {
	line = strings.TrimLeft(line, " \t>")
	if line == "" || line[0] != '`' && line[0] != '~' {
		return
	}
	size := len(line) - len(strings.TrimLeft(line, line[:1]))
	switch {
	case size < 3:
	case !f.inside():
		if line[0] == '~' || !strings.Contains(line[size:], "`") {
			f.char, f.size = line[0], size
		}
	case line[0] == f.char && size >= f.size && strings.TrimSpace(line[size:]) == "":
		f.size = 0
	}
}
