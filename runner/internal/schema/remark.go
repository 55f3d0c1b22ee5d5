package schema

import (
	"fmt"
	"strings"

	"github.com/gorlm/rlm/internal/kit/text"
	"github.com/gorlm/rlm/internal/kit/units"
)

// remark describes in one line what a node's Go type does not express.
func (n *node) remark() string {
	if n.to != nil {
		return text.Line(n.about, 300)
	}
	parts := []string{}
	add := func(format string, args ...any) { parts = append(parts, fmt.Sprintf(format, args...)) }
	if n.about != "" {
		add("%s", text.Line(n.about, 300))
	}
	if inner, ok := n.orNull(); ok && len(n.anyOf) > 0 {
		if text := inner.remark(); text != "" {
			add("%s", text)
		}
		return strings.Join(parts, "; ")
	}
	switch {
	case n.constant != nil:
		add("%s", shown(*n.constant))
	case n.enum != nil:
		add("%s", oneOf(n.enum))
	}
	if values := n.ofElements(); values != nil {
		add("each %s", oneOf(values))
	}
	if len(n.anyOf) > 0 {
		add("%s", text.Line(n.wanted(), 200))
	}
	if n.preset != nil {
		add("default %s", shown(n.preset))
	}
	const int64s = "9223372036854775807"
	lowest, highest := n.minimum != nil && len(n.minimum.literal) < len(int64s), n.maximum != nil &&
		len(n.maximum.literal) < len(int64s)
	switch {
	case lowest && highest:
		add("%s to %s", n.minimum.literal, n.maximum.literal)
	case lowest:
		add("at least %s", n.minimum.literal)
	case highest:
		add("at most %s", n.maximum.literal)
	}
	for _, l := range []struct {
		least, most *int
		what        string
	}{{n.minLength, n.maxLength, "character"}, {n.minItems, n.maxItems, "value"}} {
		switch {
		case l.least != nil && l.most != nil && *l.least == *l.most:
			add("exactly %s", units.Of(*l.least, l.what))
		case l.least != nil && l.most != nil:
			add("%d to %s", *l.least, units.Of(*l.most, l.what))
		case l.least != nil:
			add("at least %s", units.Of(*l.least, l.what))
		case l.most != nil:
			add("at most %s", units.Of(*l.most, l.what))
		}
	}
	if n.pattern != nil && n.pattern.String() != duration {
		add("matches %s", text.Line(n.pattern.String(), 100))
	}
	if n.format == "date" {
		add("a date such as 2024-05-31")
	}
	if len(n.prefix) > 0 {
		words := make([]string, len(n.prefix))
		for i, p := range n.prefix {
			words[i] = p.wanted()
		}
		add("%s", text.Line(strings.Join(words, ", then "), 200))
	}
	return strings.Join(parts, "; ")
}
