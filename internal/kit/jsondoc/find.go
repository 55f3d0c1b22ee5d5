package jsondoc

import (
	"encoding/json"
	"slices"
	"strings"
)

// Candidates are the parts of a text that may be the value: what follows a model's thinking, fenced blocks, the last one first, and
// the objects and lists that stand in prose, the longest one first. The text as a whole is not among them.
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

// inProse finds the objects and lists in a text, outermost ones only, the longest one first. A value that begins well and then is
// cut off or broken makes it find nothing: what stands inside of it must not be taken for the whole.
func inProse(text string) []string {
	const tries = 200 // a reply full of brackets is no reason to read it over and over
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

// beginsAsJSON tells a value from brackets in prose by what follows the bracket.
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
