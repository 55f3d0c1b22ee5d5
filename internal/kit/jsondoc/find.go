package jsondoc

import (
	"encoding/json"
	"slices"
	"strings"
)

// Candidates returns the parts of a reply that may be the JSON value asked for: the text after a model's thinking,
// fenced blocks, the last one first, and the objects and lists in prose, the longest one first. The text as a whole
// is not among them.
func Candidates(text string) []string {
	var out []string
	if at := strings.LastIndex(text, "</think>"); at >= 0 {
		text = text[at+len("</think>"):]
		out = append(out, text)
	}
	parts := strings.Split(text, "```")
	for i := len(parts) - 1 - len(parts)%2; i > 0; i -= 2 {
		_, block, _ := strings.Cut(parts[i], "\n")
		out = append(out, block)
	}
	return append(out, inProse(text)...)
}

// inProse finds the outermost objects and lists in a text, the longest one first. If a value begins well but is
// truncated or broken it finds nothing, because a part of it must not be taken for the whole.
func inProse(text string) []string {
	const tries = 200 // limits the work on a reply full of brackets
	var found []string
	for range tries {
		at := strings.IndexAny(text, "{[")
		if at < 0 {
			break
		}
		text = text[at:]
		d := json.NewDecoder(strings.NewReader(text))
		var value json.RawMessage
		if d.Decode(&value) != nil {
			if beginsAsJSON(text) {
				return nil
			}
			text = text[1:]
			continue
		}
		found = append(found, string(value))
		text = text[d.InputOffset():]
	}
	slices.SortStableFunc(found, func(a, b string) int { return len(b) - len(a) })
	return found
}

// beginsAsJSON distinguishes a value from brackets in prose by what follows the bracket.
func beginsAsJSON(text string) bool {
	rest := strings.TrimLeft(text[1:], " \t\r\n")
	if rest == "" {
		return true
	}
	if text[0] == '{' {
		return rest[0] == '"' || rest[0] == '}'
	}
	return strings.IndexByte("\"{[-0123456789", rest[0]) >= 0
}
