package thought

import "strings"

// Tag is a tag of an element in which models write their thoughts.
type Tag struct {
	Start, End int // offsets in the text
	Closes     bool
	Name       string // in lower case, without a namespace
}

// Tags finds the tags of thinking, ignoring case and white space: <think>, <seed:think>, <scratchpad id=1>; also
// [THINK], ◁think▷, <|thought|>, <|begin_of_thought|> and <|START_THINKING|>, which some models are trained to use.
// They are parsed by hand, because matching a case-insensitive expression takes longer than everything else that is
// done with a reply.
func Tags(reply string) []Tag {
	var tags []Tag
	end := 0
	for i := range len(reply) {
		if i < end {
			continue
		}
		t, ok := Tag{}, false
		switch reply[i] {
		case '<':
			if t, ok = barTag(reply[i:]); !ok {
				if t, ok = gemmaTag(reply[i:]); !ok {
					t, ok = angleTag(reply[i:])
				}
			}
		case '[':
			t, ok = namedTag(reply[i:], "[", "]", func(name string) bool { return name == "THINK" })
		case "◁"[0]:
			t, ok = namedTag(reply[i:], "◁", "▷", func(name string) bool { return strings.EqualFold(name, "think") })
		}
		if ok {
			t.Start, t.End = i, i+t.End
			t.Name = strings.ToLower(t.Name)
			tags = append(tags, t)
			end = t.End
		}
	}
	return tags
}

// maxTagName is longer than any tag without attributes.
const maxTagName = 40

// namedTag parses a tag without attributes: its opening, an optional slash, its name, its closing.
func namedTag(s, opening, closing string, isName func(string) bool) (t Tag, ok bool) {
	s = s[:min(len(s), maxTagName)]
	rest, ok := strings.CutPrefix(s, opening)
	if !ok {
		return t, false
	}
	rest, t.Closes = strings.CutPrefix(rest, "/")
	name, behind, found := strings.Cut(rest, closing)
	t.Name, t.End = name, len(s)-len(behind)
	return t, found && isName(name)
}

// barTag parses <|think|>, <|begin_of_thought|>, <|START_THINKING|> and similar tags.
func barTag(s string) (t Tag, ok bool) {
	if t, ok = namedTag(s, "<|", "|>", func(string) bool { return true }); !ok {
		return t, false
	}
	name := strings.ToLower(t.Name)
	switch name {
	case "inner_prefix", "inner_suffix": // Apertus
		t.Name, t.Closes = "thought", name == "inner_suffix"
		return t, true
	}
	for _, edge := range []string{"begin", "start", "end"} {
		rest, cut := strings.CutPrefix(name, edge+"_")
		rest = strings.TrimPrefix(rest, "of_")
		if cut && isThinking(rest) {
			ok = !t.Closes
			t.Closes, t.Name = edge == "end", rest
			return t, ok
		}
	}
	return t, isThinking(name)
}

// gemmaTag parses <|channel>thought and <channel|>, between which Gemma 4 thinks.
func gemmaTag(s string) (t Tag, ok bool) {
	const opening, closing = "<|channel>thought", "<channel|>"
	if strings.HasPrefix(s, opening) {
		return Tag{Name: "channel", End: len(opening)}, true
	}
	return Tag{Name: "channel", Closes: true, End: len(closing)}, strings.HasPrefix(s, closing)
}

// angleTag parses <think>, optionally with a namespace and an attribute.
func angleTag(s string) (t Tag, ok bool) {
	rest, closes := strings.CutPrefix(s[1:], "/")
	name := rest[:asciiWord(rest)]
	if behind, named := strings.CutPrefix(rest[len(name):], ":"); named && name != "" {
		rest, name = behind, behind[:asciiWord(behind)]
	}
	if !isThinking(name) {
		return t, false
	}
	rest = rest[len(name):]
	head, _, _ := strings.Cut(rest, "<")
	attribute, _, found := strings.Cut(head, ">")
	if !found || !isAttribute(attribute) {
		return t, false
	}
	return Tag{Name: name, Closes: closes, End: len(s) - len(rest) + len(attribute) + len(">")}, true
}

func isThinking(name string) bool {
	switch strings.ToLower(name) {
	case "think", "thinking", "antthinking", "thought", "thoughts", "thought_process", "chain_of_thought", "reasoning",
		"scratchpad", "reflection",
		"monologue", "inner_monologue", "internal_monologue", "inner_thought", "inner_thoughts", "internal_thought",
		"internal_thoughts", "analysis",
		"thinking_process", "internal_reasoning", "reasoning_content", "self_reflection", "deliberation", "cot":
		return true
	}
	return false
}

// isAttribute reports whether s is white space, or one attribute between white space whose value is on its line.
func isAttribute(s string) bool {
	rest := trimLeft(s)
	if rest == "" {
		return true
	}
	name, value, found := strings.Cut(rest, "=")
	if len(rest) == len(s) || !found || name == "" || asciiWord(name) != len(name) {
		return false
	}
	_, below, _ := strings.Cut(value, "\n")
	return trim(below) == ""
}

const space = " \t\n\v\f\r"

func trim(s string) string     { return strings.Trim(s, space) }
func trimLeft(s string) string { return strings.TrimLeft(s, space) }

// asciiWord returns the length of the word at the start of s.
func asciiWord(s string) int {
	n := 0
	for n < len(s) && (s[n]|0x20 >= 'a' && s[n]|0x20 <= 'z' || s[n] >= '0' && s[n] <= '9' || s[n] == '_') {
		n++
	}
	return n
}
