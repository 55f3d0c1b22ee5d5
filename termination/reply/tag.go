package reply

import "strings"

// tag is a tag of an element in which models write what they think to themselves.
type tag struct {
	start, end int
	closes     bool
	name       string // in lower case
}

// thinkingTags finds the tags of thinking, in any case and with white space: <think>, <seed:think>, <scratchpad id=1>; also as [THINK],
// ◁think▷, <|thought|> and <|begin_of_thought|>, which some models are trained on. They are read by hand, because an expression that
// folds case takes longer for a reply than all else that is done with it.
func thinkingTags(reply string) []tag {
	var tags []tag
	for i := 0; i < len(reply); {
		t, ok := tag{}, false
		switch reply[i] {
		case '<':
			if t, ok = barTag(reply[i:]); !ok {
				t, ok = angleTag(reply[i:])
			}
		case '[':
			t, ok = namedTag(reply[i:], "[", "]", func(name string) bool { return name == "THINK" })
		case "◁"[0]:
			t, ok = namedTag(reply[i:], "◁", "▷", func(name string) bool { return strings.EqualFold(name, "think") })
		}
		if !ok {
			i++
			continue
		}
		t.start, t.end = i, i+t.end
		t.name = strings.ToLower(t.name)
		tags = append(tags, t)
		i = t.end
	}
	return tags
}

// maxTagName is longer than any tag without attributes.
const maxTagName = 40

// namedTag reads a tag without attributes: what opens it, a slash or none, its name, what ends it.
func namedTag(s, opening, closing string, isName func(string) bool) (t tag, ok bool) {
	rest, ok := strings.CutPrefix(s[:min(len(s), maxTagName)], opening)
	if !ok {
		return t, false
	}
	rest, t.closes = strings.CutPrefix(rest, "/")
	n := strings.Index(rest, closing)
	if n < 0 || !isName(rest[:n]) {
		return t, false
	}
	t.name, t.end = rest[:n], len(opening)+n+len(closing)
	if t.closes {
		t.end++
	}
	return t, true
}

// barTag reads <|think|>, <|begin_of_thought|> and their like.
func barTag(s string) (t tag, ok bool) {
	if len(s) < 2 || s[1] != '|' {
		return t, false
	}
	if t, ok = namedTag(s, "<|", "|>", isBarName); ok {
		return t, true
	}
	for _, prefix := range [...]string{"begin_of_", "end_of_"} {
		if t, ok = namedTag(s, "<|", "|>", func(name string) bool { return strings.EqualFold(name, prefix+"thought") }); ok && !t.closes {
			t.closes, t.name = prefix[0] == 'e', "thought"
			return t, true
		}
	}
	return t, false
}

func isBarName(name string) bool {
	switch unfold(name) {
	case "think", "thinking", "thought", "thoughts", "reasoning", "scratchpad", "reflection", "analysis":
		return true
	}
	return false
}

// angleTag reads <think>, with a namespace and an attribute or without.
func angleTag(s string) (t tag, ok bool) {
	at := 1
	if at < len(s) && s[at] == '/' {
		t.closes = true
		at++
	}
	end := at + wordLen(s[at:])
	if end < len(s) && s[end] == ':' && end > at {
		at = end + 1
		end = at + wordLen(s[at:])
	}
	if !isThinking(s[at:end]) {
		return t, false
	}
	n := strings.IndexAny(s[end:], "<>")
	if n < 0 || s[end+n] != '>' || !isAttribute(s[end:end+n]) {
		return t, false
	}
	t.name, t.end = s[at:end], end+n+1
	return t, true
}

func isThinking(name string) bool {
	if len(name) < len("think") || len(name) > maxTagName {
		return false
	}
	switch unfold(name) {
	case "think", "thinking", "antthinking", "thought", "thoughts", "thought_process", "chain_of_thought", "reasoning", "scratchpad", "reflection",
		"monologue", "inner_monologue", "internal_monologue", "inner_thought", "inner_thoughts", "internal_thought", "internal_thoughts", "analysis":
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
	n := wordLen(rest)
	if len(rest) == len(s) || n == 0 || n == len(rest) || rest[n] != '=' {
		return false
	}
	_, below, _ := strings.Cut(rest[n:], "\n")
	return trim(below) == ""
}

// wordLen is the length of the word at the start of s, of letters that are ASCII in some case.
func wordLen(s string) int {
	for i := 0; i < len(s); {
		switch {
		case isWordByte(s[i]):
			i++
		case strings.HasPrefix(s[i:], longS):
			i += len(longS)
		case strings.HasPrefix(s[i:], kelvin):
			i += len(kelvin)
		default:
			return i
		}
	}
	return len(s)
}

// longS and kelvin are the two letters beyond ASCII that are ASCII letters in another case.
const (
	longS  = "ſ"
	kelvin = "\u212a"
)

// unfold is s in lower case and in ASCII, as far as another case of it is.
func unfold(s string) string {
	return strings.ReplaceAll(strings.ToLower(s), longS, "s")
}

// isWordByte reports whether c is a letter, a digit or an underscore of ASCII, as \w of an expression is.
func isWordByte(c byte) bool { return c == '_' || isLetter(c) || c >= '0' && c <= '9' }
