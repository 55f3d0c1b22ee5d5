package thought

import (
	"slices"
	"strings"
)

// Element is an element of thinking in a text.
type Element struct {
	Tag    Tag  // the opening tag; if the prompt ends with that, the closing tag
	Closed bool // closed by its own tag or, if that is missing, by the next closing tag
	Head   bool // only thoughts precede it
	Line   bool // only thoughts precede it on its line
}

// Elements finds, in order, the elements of thinking outside of code that count: their tags, and the thoughts
// between them. Everything after an unclosed element that counts is thinking. open is the offset of the first
// unclosed element that does not count; len(text) if there is none.
func Elements(text string, counts func(Element) bool) (spans []Span, open int) {
	f := finder{text: text, counts: counts, open: len(text)}
	tags := Tags(text)
	if len(tags) == 0 {
		return nil, f.open
	}
	f.closings(tags)
	for i, t := range tags {
		if t.Start < f.pos {
			continue
		}
		f.say(t.Start)
		switch line := strings.TrimSpace(f.line.String()) == ""; {
		case f.fence.inside() || f.ticks%2 == 1: // code
		case t.Closes:
			f.orphan(t, line)
		default:
			f.element(Element{t, f.next[i] != nil, !f.said, line}, f.next[i])
		}
	}
	return f.spans, f.open
}

type finder struct {
	text   string
	counts func(Element) bool
	spans  []Span
	open   int
	next   []*Tag // for each opening tag the tag that closes it; nil if none does

	pos    int             // everything before this offset is done
	said   bool            // text other than thoughts was found
	line   strings.Builder // the line so far, without thoughts
	ticks  int             // the backticks in line
	fence  fenceState
	opened bool // an element was found
}

// closings finds the closing tag for every opening one, from the end: its own or, if that is missing, the next
// with its name, or else the next of any name.
func (f *finder) closings(tags []Tag) {
	f.next = make([]*Tag, len(tags))
	last, open := map[string]*Tag{}, map[string][]*Tag{}
	for i, t := range slices.Backward(tags) {
		if t.Closes {
			last[t.Name], last[""] = &tags[i], &tags[i]
			open[t.Name] = append(open[t.Name], &tags[i])
		} else if n := len(open[t.Name]); n != 0 {
			f.next[i] = open[t.Name][n-1]
			open[t.Name] = open[t.Name][:n-1]
		} else if f.next[i] = last[t.Name]; f.next[i] == nil {
			f.next[i] = last[""]
		}
	}
}

// say treats the text up to offset i as text for the user, and follows the fences in it.
func (f *finder) say(i int) {
	said := f.text[f.pos:i]
	f.said = f.said || strings.TrimSpace(said) != ""
	for line := range strings.Lines(said) {
		f.line.WriteString(line)
		if strings.HasSuffix(line, "\n") {
			f.fence.line(f.line.String())
			f.line.Reset()
			f.ticks = 0
		} else {
			f.ticks += strings.Count(line, "`")
		}
	}
	f.pos = i
}

// think records the thoughts between two tags.
func (f *finder) think(start, from, to, end int) {
	f.spans = append(f.spans,
		Span{Start: start, End: from}, Span{Start: from, End: to, Thought: true}, Span{Start: to, End: end})
	f.pos = end
}

// element records the element that a tag opens.
func (f *finder) element(e Element, closing *Tag) {
	switch {
	case !f.counts(e):
		if !e.Closed {
			f.open = min(f.open, e.Tag.Start)
		}
	case e.Closed:
		f.opened = true
		f.think(e.Tag.Start, e.Tag.End, closing.Start, closing.End)
	default:
		f.think(e.Tag.Start, e.Tag.End, len(f.text), len(f.text))
	}
}

// orphan treats everything before a closing tag without an opening one as thinking, if the tag ends or begins a
// line.
func (f *finder) orphan(t Tag, line bool) {
	rest := strings.TrimLeft(f.text[t.End:], " \t\r")
	ends := rest == "" || rest[0] == '\n'
	if f.opened || !line && !ends || !f.counts(Element{t, true, !f.said, line}) {
		return
	}
	f.opened, f.said, f.ticks, f.spans = true, false, 0, nil
	f.line.Reset()
	f.think(0, 0, t.Start, t.End)
}

// fenceState follows fences line by line, as closely as needed to recognise a tag in code.
type fenceState struct {
	char byte
	size int
}

func (f *fenceState) inside() bool { return f.size > 0 }

func (f *fenceState) line(line string) {
	line = strings.TrimLeft(line, " \t>")
	if !strings.HasPrefix(line, "```") && !strings.HasPrefix(line, "~~~") {
		return
	}
	info := strings.TrimLeft(line, line[:1])
	size := len(line) - len(info)
	if !f.inside() {
		if line[0] == '~' || !strings.Contains(info, "`") {
			f.char, f.size = line[0], size
		}
		return
	}
	if line[0] == f.char && size >= f.size && strings.TrimSpace(info) == "" {
		f.size = 0
	}
}
