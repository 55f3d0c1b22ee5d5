package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/gorlm/rlm/internal/kit/jsondoc"
)

// Fit finds an answer in a text and returns it as compact JSON, with its fields in the schema's order. The text
// may be the JSON itself or contain it in a fenced block or between prose. The error names the field that does not
// fit, for the author of the text.
func (s *Schema) Fit(text string) (string, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return "", errors.New("the answer is empty")
	}
	v, first := decode(text)
	isJSON := first == nil
	if isJSON {
		if first = s.check(v); first == nil {
			return compact(s.ordered(v)), nil
		}
		if in, ok := s.within(v); ok && s.check(in) == nil {
			return compact(s.ordered(in)), nil
		}
	} else {
		first = fmt.Errorf("the answer is not JSON: %w", first)
		// A single value can be given as plain words.
		if !s.root.target().isStruct() && !strings.ContainsAny(text[:1], "{[") {
			first = s.check(text)
		}
		wrong := false
		for _, part := range jsondoc.Candidates(text) {
			v, err := decode(part)
			if err != nil {
				continue
			}
			if err := s.check(v); err == nil {
				return compact(s.ordered(v)), nil
			} else if !wrong {
				first, wrong = err, true
			}
		}
	}
	switch typeOf(v) { // a text may come without quotes
	case "object", "array", "null":
		if isJSON {
			return "", first
		}
	}
	if s.check(text) == nil {
		return compact(text), nil
	}
	return "", first
}

// within puts a bare list into an object, if the schema has only one field: the list becomes that field's value.
func (s *Schema) within(v any) (object, bool) {
	if _, list := v.([]any); !list || !s.root.isStruct() || len(s.root.properties) != 1 {
		return nil, false
	}
	return object{{Name: s.root.properties[0].name, Value: v}}, true
}

// ordered puts the properties of objects in the schema's order, followed by all others in their original order, and
// writes whole numbers without a fraction.
func (s *Schema) ordered(v any) any { return (&checker{left: mostSteps}).ordered(s.root, v) }

func (c *checker) ordered(n *node, v any) any {
	for _, a := range n.anyOf {
		if c.value(a, v, "") == nil {
			v = c.ordered(a, v)
			break
		}
	}
	if n.to != nil {
		v = c.ordered(n.to, v)
	}
	switch v := v.(type) {
	case json.Number:
		if len(n.types) == 1 && n.types[0] == "integer" {
			if exact, ok := parseNumber(string(v)); ok && exact.isWhole() {
				return json.Number(exact.whole())
			}
		}
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			part := n.items
			if i < len(n.prefix) {
				part = n.prefix[i]
			}
			if out[i] = item; part != nil {
				out[i] = c.ordered(part, item)
			}
		}
		return out
	case object:
		return c.orderedObject(n, v)
	}
	return v
}

func (c *checker) orderedObject(n *node, o object) object {
	have := make(map[string]any, len(o))
	for _, m := range o {
		have[m.Name] = m.Value
	}
	out := make(object, 0, len(o))
	for _, p := range n.properties {
		if v, ok := have[p.name]; ok {
			out = append(out, member{p.name, c.ordered(p.node, v)})
			delete(have, p.name)
		}
	}
	for _, m := range o {
		if _, left := have[m.Name]; !left {
			continue
		}
		if n.extra != nil {
			m.Value = c.ordered(n.extra, m.Value)
		}
		out = append(out, m)
	}
	return out
}
