// Package thought separates what a model thinks to itself from what it says in the text of a reply: elements
// in tags, channels, and the tokens of a template that a server left in it.
package thought

import "strings"

// Apart splits the text of a reply as an endpoint sends it: what is said, and what the model thought before
// and between. asked reports whether the prompt holds a mark: what a prompt asks for, or is about, stays in
// the reply, except for a plain <think>. Thoughts in the midst of a line are text that the reply is about.
// call says that a channel calls a tool.
func Apart(text string, asked func(mark string) bool) (said, thoughts string, call bool) {
	said = text
	if marks := Marks(text); len(marks) > 0 && !askedFor(text, marks, asked) {
		said, thoughts, call = cut(text, marks)
	}
	said, inner := elements(said, asked)
	if inner != "" { // some models begin what they say behind their thoughts with a token of its own
		rest := strings.TrimLeft(said, space)
		if n := turnHead(rest); n > 0 && !asked(rest[:strings.IndexByte(rest, '>')+1]) {
			said = strings.Trim(rest[n:], "\r\n")
		}
	}
	return said, thoughts + inner, call
}

// askedFor reports whether the prompt holds the first token of the marks.
func askedFor(text string, marks []Span, asked func(string) bool) bool {
	m := marks[0]
	first := strings.TrimSpace(text[m.Start:m.End])
	if end := strings.IndexAny(first, ">]"); end >= 0 {
		return asked(first[:end+1])
	}
	return false
}

// cut leaves out marks, and gathers what is thought in them.
func cut(text string, marks []Span) (said, thoughts string, call bool) {
	var out, inner strings.Builder
	from := 0
	for _, m := range marks {
		out.WriteString(text[from:m.Start])
		from = m.End
		call = call || m.Call
		if m.Thought {
			inner.WriteString(text[m.Start:m.End])
		}
	}
	out.WriteString(text[from:])
	return out.String(), inner.String(), call
}

// elements takes the elements of thinking out of a text: those at its head, one whose opening tag stood in
// the prompt, and those that have lines of their own.
func elements(text string, asked func(string) bool) (said, thoughts string) {
	spans, _ := Elements(text, func(e Element) bool { return forItself(text, e, asked) })
	if len(spans) == 0 {
		return text, ""
	}
	if strings.TrimSpace(text[:spans[0].Start]) == "" {
		spans[0].Start = 0
	}
	for i := 2; i < len(spans); i += 3 { // each closing tag, with the line ends behind it
		spans[i].End = len(text) - len(strings.TrimLeft(text[spans[i].End:], "\r\n"))
	}
	said, thoughts, _ = cut(text, spans)
	if spans[len(spans)-1].End == len(text) {
		said = strings.TrimRight(said, "\r\n")
	}
	return unwrapped(said, asked), thoughts
}

// forItself reports whether a model wrote an element for itself: not in the midst of a line, and not where
// the prompt holds its tag.
func forItself(text string, e Element, asked func(string) bool) bool {
	mark, rest := text[e.Tag.Start:e.Tag.End], strings.TrimSpace(text[e.Tag.End:])
	plain := e.Tag.Name == "think" || e.Tag.Name == "thought" // models are trained to think in these, whatever the prompt holds
	wanted := asked(mark) || !e.Tag.Closes && !plain && asked(strings.TrimRight(strings.SplitN(mark, " ", 2)[0], ">"))
	switch {
	case e.Tag.Closes:
		before := text[:e.Tag.Start]
		return sure(e.Tag.Name) && !wanted && len(Tags(before)) == 0 && strings.TrimSpace(before)+rest != ""
	case !e.Line, e.Head && !plain && wanted, !e.Head && (asked(mark) || !sure(e.Tag.Name)):
		return false
	}
	return e.Closed || sure(e.Tag.Name) && rest != "" && (e.Head || plain)
}

// sure reports whether an element of this name that is not closed is thought, and one behind other text.
func sure(name string) bool {
	switch name {
	case "think", "thinking", "antthinking", "thought", "thoughts", "channel":
		return true
	}
	return false
}

// unwrapped is a text without the element in which some models answer after they thought.
func unwrapped(text string, asked func(string) bool) string {
	inner := strings.TrimSpace(text)
	for _, name := range []string{"answer", "response", "output", "final"} {
		rest, opened := strings.CutPrefix(inner, "<"+name+">")
		rest, closed := strings.CutSuffix(rest, "</"+name+">")
		if opened && closed && !strings.Contains(rest, "<"+name+">") && !asked("<"+name+">") {
			return strings.TrimSpace(rest)
		}
	}
	return text
}

// Head is the tag of thinking, or the mark of a channel, with which a text begins, and the one that ends
// what is thought; maybe says that the text is too short to know.
func Head(text string) (length int, closing string, maybe bool) {
	const opening = messageStart + "assistant" + channelName
	switch {
	case text == "":
		return 0, "", true
	case strings.HasPrefix(text, channelName):
		return len(channelName), "final" + messageBody, false
	case strings.HasPrefix(text, opening):
		return len(opening), "final" + messageBody, false
	case text[0] != '<' && text[0] != '[' && !strings.HasPrefix(text, "◁"[:min(len(text), len("◁"))]):
		return 0, "", false
	}
	if tags := Tags(text[:min(len(text), 2*maxTagName)]); len(tags) > 0 && tags[0].Start == 0 && !tags[0].Closes {
		return tags[0].End, closingOf(text[:tags[0].End], tags[0].Name), false
	}
	return 0, "", len(text) < maxTagName && !strings.ContainsAny(text[1:], ">]▷ \n") || strings.HasPrefix(opening, text)
}

// closingOf is what closes an element that a tag opens.
func closingOf(opening, name string) string {
	switch {
	case strings.HasPrefix(opening, "<|channel"):
		return "<channel|>"
	case strings.HasPrefix(strings.ToLower(opening), "<|begin"), strings.HasPrefix(strings.ToLower(opening), "<|start"):
		return strings.NewReplacer("begin", "end", "BEGIN", "END", "start", "end", "START", "END").Replace(opening)
	case strings.HasPrefix(opening, "<|inner_"):
		return "<|inner_suffix|>"
	case strings.HasPrefix(opening, "<|"):
		return "<|/" + opening[len("<|"):]
	case strings.HasPrefix(opening, "<"):
		tag := opening[1:]
		return "</" + tag[:strings.Index(strings.ToLower(tag), name)+len(name)] + ">"
	case strings.HasPrefix(opening, "["):
		return "[/" + opening[1:]
	}
	return "◁/" + strings.TrimPrefix(opening, "◁")
}
