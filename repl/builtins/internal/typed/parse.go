package typed

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
)

// Parse reads JSON into maps, lists, strings, float64 and bool. The value may stand in a fenced block or between prose, as models
// write it; several values in a row (JSON Lines) become a list. A whole number beyond 2^53 stays a json.Number, because a
// float64 would change it.
func Parse(text string) (any, error) {
	if all, err := parseLines(text); err == nil {
		return untyped(all), nil
	}
	tree, err := parse(text)
	if err != nil {
		return nil, fmt.Errorf("the text is %w", err)
	}
	return untyped(tree), nil
}

// parseLines reads values that follow each other, at least two.
func parseLines(text string) ([]any, error) {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var all []any
	for {
		var tree any
		err := d.Decode(&tree)
		if errors.Is(err, io.EOF) && len(all) > 1 {
			return all, nil
		}
		if err != nil {
			return nil, err
		}
		all = append(all, tree)
	}
}

// parse finds the JSON value in a reply: the whole of it, a fenced block, or the one object or list between prose.
func parse(reply string) (any, error) {
	text := strings.TrimSpace(reply)
	if text == "" {
		return nil, errors.New("empty")
	}
	tree, err := parseAll(text)
	if err == nil {
		return tree, nil
	}
	for _, candidate := range candidates(text) {
		if tree, err := parseAll(candidate); err == nil {
			return tree, nil
		}
	}
	return nil, fmt.Errorf("not JSON: %w", err)
}

func parseAll(text string) (any, error) {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var tree any
	if err := d.Decode(&tree); err != nil {
		if errors.Is(err, io.ErrUnexpectedEOF) {
			return nil, errors.New("it ends in the middle of a value")
		}
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("text follows after the value")
	}
	return tree, nil
}

// candidates are the parts of a reply that may be the value: what follows a model's thinking, fenced blocks, the last one first, and
// the objects and lists that stand in prose, the longest one first.
func candidates(text string) []string {
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

// untyped is a JSON value as encoding/json gives it for any, except that a whole number beyond 2^53 stays a
// json.Number, because a float64 would change it.
func untyped(tree any) any {
	switch x := tree.(type) {
	case json.Number:
		f, err := x.Float64()
		if err != nil || !strings.ContainsAny(string(x), ".eE") && math.Abs(f) >= 1<<53 {
			return x
		}
		return f
	case []any:
		out := make([]any, len(x))
		for i := range x {
			out[i] = untyped(x[i])
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(x))
		for k := range x {
			out[k] = untyped(x[k])
		}
		return out
	}
	return tree
}
