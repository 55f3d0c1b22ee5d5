// Package thought separates a model's thinking from the text of a reply: elements in tags, channels, and the
// tokens of a template that a server left in it.
package thought

import "strings"

// Apart splits the text of a reply, as an endpoint sends it, into said, the text for the user, and the model's
// thoughts before and in between. asked reports whether the prompt contains a mark: marks that the prompt asks for,
// or is about, stay in the text, except for a plain <think>. Thoughts inside a line stay in the text, too. call means
// that a channel calls a tool.
func Apart(text string, asked func(mark string) bool) (said, thoughts string, call bool) {
	said = text
	if marks := Marks(text); len(marks) > 0 && !askedFor(text, marks, asked) {
		said, thoughts, call = cut(text, marks)
	}
	said, inner := elements(said, asked)
	if inner != "" { // after thinking, some models begin the reply with another token
		rest := strings.TrimLeft(said, space)
		if n := turnHead(rest); n > 0 && !asked(rest[:strings.IndexByte(rest, '>')+1]) {
			said = strings.Trim(rest[n:], "\r\n")
		}
	}
	return said, thoughts + inner, call
}

// askedFor reports whether the prompt contains the first token of the marks.
func askedFor(text string, marks []Span, asked func(string) bool) bool {
	m := marks[0]
	first := strings.TrimSpace(text[m.Start:m.End])
	if end := strings.IndexAny(first, ">]"); end >= 0 {
		return asked(first[:end+1])
	}
	return false
}

// cut removes marks, and collects the thoughts in them.
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

// elements removes the elements of thinking from a text: those at its head, one whose opening tag was in the
// prompt, and those on separate lines.
func elements(text string, asked func(string) bool) (said, thoughts string) {
	spans, _ := Elements(text, func(e Element) bool { return forItself(text, e, asked) })
	if len(spans) == 0 {
		return text, ""
	}
	if strings.TrimSpace(text[:spans[0].Start]) == "" {
		spans[0].Start = 0
	}
	for i := 2; i < len(spans); i += 3 { // each closing tag, with the line ends after it
		spans[i].End = len(text) - len(strings.TrimLeft(text[spans[i].End:], "\r\n"))
	}
	said, thoughts, _ = cut(text, spans)
	if spans[len(spans)-1].End == len(text) {
		said = strings.TrimRight(said, "\r\n")
	}
	return unwrapped(said, asked), thoughts
}

// forItself reports whether a model wrote an element for itself: not inside a line, and not if the prompt contains
// its tag.
func forItself(text string, e Element, asked func(string) bool) bool {
	mark, rest := text[e.Tag.Start:e.Tag.End], strings.TrimSpace(text[e.Tag.End:])
	// models are trained to think in these, whatever the prompt contains
	plain := e.Tag.Name == "think" || e.Tag.Name == "thought"
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

// sure reports whether an element of this name is thinking even if it is not closed, or follows other text.
func sure(name string) bool {
	switch name {
	case "think", "thinking", "antthinking", "thought", "thoughts", "channel":
		return true
	}
	return false
}

// unwrapped removes the element in which some models answer after thinking.
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

// Head returns the length of the thinking tag or channel mark at the start of a text, and the tag or mark that ends
// the thinking; maybe means that the text is too short to decide.
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

// closingOf returns the tag that closes the element of an opening tag.
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
