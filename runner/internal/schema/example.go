package schema

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Example is a Go expression for an answer of the form, as cells write it: with the types of Declaration, every field that has to be
// there, and values that stand for others.
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

// deepestExample is how deep examples go: a type may hold itself.
const deepestExample = 4

// example is an expression of a node that has the given type, in the place called hint.
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
		if n.minimum != nil && fits(n.minimum.literal, typ) {
			return n.minimum.literal
		}
		return "1"
	case "string":
		if n.format == "date" {
			return strconv.Quote("2024-05-31")
		}
		return `"…"`
	}
	return "nil"
}

// fits reports whether a number can stand as a constant of a type.
func fits(literal, typ string) bool {
	v, err := strconv.ParseFloat(literal, 64)
	return err == nil && (typ != "int" || v == math.Trunc(v) && math.Abs(v) < 1<<53)
}

// exampleFields are the fields of a struct that have to be there.
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

// exampleItem is one element of a list; none where lists go too deep, or may be empty and hold anything.
func (d *declarer) exampleItem(n *node, typ, hint string, depth int) string {
	item := n.items
	if len(n.prefix) > 0 {
		item = n.prefix[0]
	}
	if item == nil || typ == "any" || depth >= deepestExample {
		return ""
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

// goField is the name of a field in a struct whose other names are used.
func goField(name string, used map[string]bool) string {
	field := goName(name)
	for i := 2; used[field]; i++ {
		field = fmt.Sprintf("%s%d", goName(name), i)
	}
	used[field] = true
	return field
}
