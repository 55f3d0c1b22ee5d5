package reply

import "strings"

// thinking is what stripThinking found.
type thinking struct {
	said string // the reply without what was thought
	// unclosed is the 1-based line of a tag that begins a line and is never closed: nothing after it was said. 0 if there is none.
	unclosed int
	// open is the offset in said of a tag inside a line that is never closed: what stands after it may be thought. -1 if there is none.
	open int
}

// stripThinking removes what a model thought to itself: <think>…</think> (and its like) outside of fenced code, and everything
// before a </think> whose opening tag stands in the prompt. Line ends stay, so line numbers remain right.
func stripThinking(reply string) thinking {
	tags := thinkingTags(reply)
	if len(tags) == 0 {
		return thinking{said: reply, open: -1}
	}
	s := stripper{reply: reply, open: -1}
	s.closings(tags)
	for i, m := range tags {
		if m.start < s.pos {
			continue
		}
		s.copy(m.start)
		if s.fence.inside() || s.ticks%2 == 1 { // in code
			continue
		}
		if m.closes {
			s.orphan(m)
		} else if !s.element(i, m) {
			return thinking{said: s.out.String(), unclosed: s.unclosed, open: s.open}
		}
	}
	s.copy(len(reply))
	return thinking{said: s.out.String(), open: s.open}
}

type stripper struct {
	reply    string
	out      strings.Builder
	pos      int // what stands before it is copied or dropped
	fence    fenceState
	line     strings.Builder // the line so far, as it is copied
	ticks    int             // the backticks of that line
	next     []int           // for each opening tag the end of the closing tag that follows it; -1 if none does
	opened   bool
	unclosed int
	open     int
}

// closings finds the closing tag for every opening one, from the end: its own or, if one is missing, the next.
func (s *stripper) closings(tags []tag) {
	s.next = make([]int, len(tags))
	last, open := map[string]int{}, map[string][]int{}
	for i := len(tags) - 1; i >= 0; i-- {
		m := tags[i]
		s.next[i] = -1
		if m.closes {
			last[m.name] = m.end
			open[m.name] = append(open[m.name], m.end)
		} else if n := len(open[m.name]); n > 0 {
			s.next[i] = open[m.name][n-1]
			open[m.name] = open[m.name][:n-1]
		} else if end, ok := last[m.name]; ok {
			s.next[i] = end
		}
	}
}

// copy takes over the reply up to offset i, and follows its fences.
func (s *stripper) copy(i int) {
	text := s.reply[s.pos:i]
	s.out.WriteString(text)
	for line := range strings.Lines(text) {
		s.line.WriteString(line)
		if strings.HasSuffix(line, "\n") {
			s.fence.line(s.line.String())
			s.line.Reset()
			s.ticks = 0
		} else {
			s.ticks += strings.Count(line, "`")
		}
	}
	s.pos = i
}

// drop leaves out the reply up to offset i, except for its line ends.
func (s *stripper) drop(i int) {
	s.out.WriteString(strings.Repeat("\n", strings.Count(s.reply[s.pos:i], "\n")))
	s.pos = i
}

// element drops the element that opens with tag i. It is false if nothing after the tag was said.
func (s *stripper) element(i int, m tag) bool {
	begins := strings.TrimSpace(s.line.String()) == ""
	switch end := s.next[i]; {
	case end >= 0:
		s.opened = true
		s.drop(end)
	case begins:
		s.unclosed = strings.Count(s.reply[:m.start], "\n") + 1
		s.drop(len(s.reply))
		return false
	case s.open < 0:
		s.open = s.out.Len()
	}
	return true
}

// orphan drops everything before a closing tag that ends or begins a line and was never opened.
func (s *stripper) orphan(m tag) {
	if s.opened {
		return
	}
	rest := strings.TrimLeft(s.reply[m.end:], " \t\r")
	ends := rest == "" || rest[0] == '\n'
	if strings.TrimSpace(s.line.String()) != "" && !ends {
		return
	}
	s.opened = true
	s.out.Reset()
	s.line.Reset()
	s.ticks, s.pos = 0, 0
	s.drop(m.end)
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
