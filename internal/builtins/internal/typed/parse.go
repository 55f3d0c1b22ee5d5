package typed

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/gorlm/rlm/internal/kit/jsondoc"
)

// Parse reads JSON into maps, lists, strings, float64 and bool. The value may be in a fenced block or surrounded
// by prose, as models write it; several values in a row (JSON Lines) become a list. A whole number beyond 2^53
// stays a json.Number, because a float64 would change it.
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

// parseLines reads a sequence of at least two values.
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

// parse finds the JSON value in a reply: all of it, a fenced block, or the only object or list in prose.
func parse(reply string) (any, error) {
	text := strings.TrimSpace(reply)
	if text == "" {
		return nil, errors.New("empty")
	}
	tree, err := parseAll(text)
	if err == nil {
		return tree, nil
	}
	for _, candidate := range jsondoc.Candidates(text) {
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

// untyped converts a JSON value as encoding/json does for any, except that a whole number beyond 2^53 stays a
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
