package reply

import (
	"strings"

	"github.com/gorlm/rlm/internal/lazy"
)

// thinkingTag is a tag of an element in which models write what they think to themselves, in any case and with white space; also as
// <seed:think>, [THINK], ◁think▷ and <|begin_of_thought|>, which some models are trained on.
var thinkingTag = lazy.Regexp(`(?i)<(/?)(?:\w+:)?(think|thinking|antthinking|thought|thoughts|thought_process|chain_of_thought|reasoning|scratchpad|reflection|` +
	`(?:inner_|internal_)?monologue|(?:inner|internal)_thoughts?|analysis)(?:\s+\w+=[^<>\n]*)?\s*>` +
	`|<\|(/?)(think|thinking|thought|thoughts|reasoning|scratchpad|reflection|analysis)\|>` +
	`|◁(/?)(think)▷|(?-i:\[(/?)(THINK)\])|<\|(?:begin|(end))_of_(thought)\|>`)

// thinkingTags finds the tags: where each begins and ends, its slash, its name.
func thinkingTags(reply string) [][]int {
	tags := thinkingTag().FindAllStringSubmatchIndex(reply, -1)
	for i, m := range tags {
		for at := 2; at < len(m); at += 4 {
			if m[at+2] >= 0 {
				tags[i] = []int{m[0], m[1], m[at], m[at+1], m[at+2], m[at+3]}
			}
		}
	}
	return tags
}

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
		if m[0] < s.pos {
			continue
		}
		s.copy(m[0])
		if s.fence.inside() || s.ticks%2 == 1 { // in code
			continue
		}
		if closing := m[3] > m[2]; closing {
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
func (s *stripper) closings(tags [][]int) {
	s.next = make([]int, len(tags))
	last, open := map[string]int{}, map[string][]int{}
	for i := len(tags) - 1; i >= 0; i-- {
		m := tags[i]
		name := strings.ToLower(s.reply[m[4]:m[5]])
		s.next[i] = -1
		if m[3] > m[2] {
			last[name] = m[1]
			open[name] = append(open[name], m[1])
		} else if n := len(open[name]); n > 0 {
			s.next[i] = open[name][n-1]
			open[name] = open[name][:n-1]
		} else if end, ok := last[name]; ok {
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
func (s *stripper) element(i int, m []int) bool {
	begins := strings.TrimSpace(s.line.String()) == ""
	switch end := s.next[i]; {
	case end >= 0:
		s.opened = true
		s.drop(end)
	case begins:
		s.unclosed = strings.Count(s.reply[:m[0]], "\n") + 1
		s.drop(len(s.reply))
		return false
	case s.open < 0:
		s.open = s.out.Len()
	}
	return true
}

// orphan drops everything before a closing tag that ends or begins a line and was never opened.
func (s *stripper) orphan(m []int) {
	rest := strings.TrimLeft(s.reply[m[1]:], " \t\r")
	ends := rest == "" || rest[0] == '\n'
	if s.opened || strings.TrimSpace(s.line.String()) != "" && !ends {
		return
	}
	s.opened = true
	s.out.Reset()
	s.line.Reset()
	s.ticks, s.pos = 0, 0
	s.drop(m[1])
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
