package schema

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
)

// Example is a Go expression for an answer that fits the schema, as cells write it: with the types of Declaration,
// every required field, and placeholder values.
func (s *Schema) Example() string {
	d := s.declared()
	switch {
	case s.root.isStruct():
		return d.example(s.root, TypeName, TypeName, 0)
	case s.root.to != nil:
		typ := d.typ(s.root, TypeName)
		return TypeName + "(" + d.example(s.root, typ, typ, 0) + ")"
	}
	return d.example(s.root, d.literal(s.root, TypeName), TypeName, 0)
}

// deepestExample bounds the depth of examples: types may be recursive.
const deepestExample = 4

// example is an expression for a node with the given type; hint is a name for its parts.
func (d *declarer) example(n *node, typ, hint string, depth int) string {
	if n.to != nil && len(n.types) == 0 && len(n.anyOf) == 0 {
		return d.example(n.to, typ, d.prefix+goName(d.defs[n.to]), depth)
	}
	if inner, ok := d.orNull(n); ok {
		if strings.HasPrefix(typ, "*") {
			if inner.target().isStruct() && depth < deepestExample {
				return "&" + d.example(inner, typ[1:], hint, depth)
			}
			return "nil"
		}
		return d.example(inner, typ, hint, depth)
	}
	switch {
	case n.isStruct():
		return typ + d.exampleFields(n, hint, depth)
	case strings.HasPrefix(typ, "[]"):
		return typ + "{" + d.exampleItem(n, typ[2:], hint, depth) + "}"
	case strings.HasPrefix(typ, "map[string]"):
		return typ + "{}"
	case typ == "time.Time":
		return "time.Now()"
	case typ == "any":
		return n.exampleAny(depth)
	}
	for _, v := range n.values() {
		switch typeOf(v) {
		case "string", "boolean":
			return compact(v)
		case "integer", "number":
			if literal := compact(v); fits(literal, typ) {
				return literal
			}
		}
	}
	switch typ {
	case "bool":
		return "true"
	case "int", "float64":
		return n.exampleNumber(typ)
	case "string":
		return strconv.Quote(n.exampleText())
	}
	return "nil"
}

// exampleAny is a value for a node whose Go type is any.
func (n *node) exampleAny(depth int) string {
	for n.to != nil {
		n = n.to
	}
	if len(n.anyOf) > 0 {
		n = n.anyOf[0].target()
	}
	for _, v := range n.values() {
		if t := typeOf(v); t == "string" || t == "boolean" || t == "integer" || t == "number" {
			return compact(v)
		}
	}
	switch {
	case depth >= deepestExample:
	case n.isStruct():
		var fields []string
		for _, p := range n.properties {
			if n.requires(p.name) {
				fields = append(fields, strconv.Quote(p.name)+": "+p.node.exampleAny(depth+1))
			}
		}
		return "map[string]any{" + strings.Join(fields, ", ") + "}"
	case slices.Contains(n.types, "object"):
		return "map[string]any{}"
	case slices.Contains(n.types, "array"):
		return "[]any{" + n.exampleItems(depth) + "}"
	case slices.Contains(n.types, "string"):
		return strconv.Quote(n.exampleText())
	case slices.Contains(n.types, "integer"):
		return n.exampleNumber("int")
	case slices.Contains(n.types, "number"):
		return n.exampleNumber("float64")
	case slices.Contains(n.types, "boolean"):
		return "true"
	}
	return "nil"
}

// exampleItems returns the required elements of a list with mixed types.
func (n *node) exampleItems(depth int) string {
	var values []string
	for i := range len(n.prefix) {
		values = append(values, n.prefix[i].exampleAny(depth+1))
	}
	for n.items != nil && n.minItems != nil && len(values) < min(*n.minItems, 3) {
		values = append(values, n.items.exampleAny(depth+1))
	}
	return strings.Join(values, ", ")
}

// exampleNumber is a number within the bounds of a node.
func (n *node) exampleNumber(typ string) string {
	var tried []string
	for _, bound := range []*number{n.minimum, n.maximum} {
		if bound == nil {
			continue
		}
		tried = append(tried, bound.literal)
		if v, _ := bound.rat.Float64(); typ == "int" { // the nearest whole numbers
			for _, whole := range []float64{math.Ceil(v), math.Floor(v)} {
				tried = append(tried, strconv.FormatFloat(whole, 'f', -1, 64))
			}
		}
	}
	for _, literal := range append(tried, "1") {
		if fits(literal, typ) && n.number(json.Number(literal), "") == nil {
			return literal
		}
	}
	return "1"
}

// mostExampleText bounds a text in an example, in characters.
const mostExampleText = 200

// exampleText is a text that satisfies a node's length, format and pattern.
func (n *node) exampleText() string {
	tried := []string{"…"}
	if n.minLength != nil {
		tried = append(tried, strings.Repeat("…", min(*n.minLength, mostExampleText)))
	}
	tried = append(tried, "2024-05-31", "2024-05-31T14:00:00Z", "")
	if n.pattern != nil {
		if re, err := syntax.Parse(n.pattern.String(), syntax.Perl); err == nil {
			tried = append(tried, matching(re.Simplify(), mostExampleText))
		}
	}
	for _, s := range tried {
		if n.text(s, "") == nil {
			return s
		}
	}
	return "…"
}

// matching is a text with no more than most characters that matches a pattern without inner assertions.
func matching(re *syntax.Regexp, most int) string {
	switch re.Op {
	case syntax.OpLiteral:
		return string(re.Rune[:min(len(re.Rune), most)])
	case syntax.OpCharClass:
		for i := 0; i < len(re.Rune); i += 2 {
			if c := max(re.Rune[i], '!'); c <= re.Rune[i+1] { // a visible one
				return string(c)
			}
		}
		if len(re.Rune) > 0 {
			return string(re.Rune[0])
		}
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return "x"
	case syntax.OpCapture, syntax.OpPlus, syntax.OpAlternate:
		return matching(re.Sub[0], most)
	case syntax.OpConcat:
		var b strings.Builder
		for _, sub := range re.Sub {
			if b.Len() < most {
				b.WriteString(matching(sub, most-b.Len()))
			}
		}
		return b.String()
	}
	return "" // optional parts, and the start and end of the text
}

// fits reports whether a number is a valid constant of a type.
func fits(literal, typ string) bool {
	v, err := strconv.ParseFloat(literal, 64)
	return err == nil && (typ != "int" || v == math.Trunc(v) && math.Abs(v) < 1<<53)
}

// exampleFields returns the required fields of a struct.
func (d *declarer) exampleFields(n *node, name string, depth int) string {
	if known, ok := d.names[n]; ok {
		name = known
	}
	var fields []string
	used := map[string]bool{}
	for _, p := range n.properties {
		field := goField(p.name, used)
		if !n.requires(p.name) || depth >= deepestExample {
			continue
		}
		fields = append(fields, field+": "+d.example(p.node, d.typ(p.node, name+field), name+field, depth+1))
	}
	return "{" + strings.Join(fields, ", ") + "}"
}

// exampleItem returns the elements of a list, usually one; none if lists are nested too deeply, or the elements can
// be anything.
func (d *declarer) exampleItem(n *node, typ, hint string, depth int) string {
	item := n.items
	if len(n.prefix) > 0 {
		item = n.prefix[0]
	}
	switch {
	case item == nil || depth >= deepestExample:
		return ""
	case typ == "any":
		return n.exampleItems(depth)
	}
	value := d.example(item, typ, hint+"Item", depth+1)
	if item.target().isStruct() && strings.HasPrefix(value, typ) {
		value = strings.TrimPrefix(value, typ) // the list names the type
	}
	least := 1
	if n.minItems != nil {
		least = max(least, min(*n.minItems, 3))
	}
	return strings.Join(slices.Repeat([]string{value}, least), ", ")
}

// goField is an unused name for a field of a struct.
func goField(name string, used map[string]bool) string {
	field := goName(name)
	for i := 2; used[field]; i++ {
		field = fmt.Sprintf("%s%d", goName(name), i)
	}
	used[field] = true
	return field
}
