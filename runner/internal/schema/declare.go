package schema

import (
	"fmt"
	"go/format"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gorlm/rlm/internal/brief"
	"github.com/gorlm/rlm/internal/quantity"
)

// TypeName is the Go type that an answer has in the notebook.
const TypeName = "Answer"

// Declaration is Go source that declares the answer's type, TypeName, and the types that it is made of. Comments say what types
// cannot.
func (s *Schema) Declaration() string {
	d := declarer{names: map[*node]string{}, used: map[string]bool{TypeName: true}, defs: map[*node]string{}}
	for _, def := range s.defs {
		d.defs[def.node] = def.name
	}
	d.names[s.root] = TypeName
	d.declare(s.root, TypeName)
	source := strings.Join(d.types, "\n\n")
	if out, err := format.Source([]byte(source)); err == nil {
		source = strings.TrimSpace(string(out))
	}
	return source
}

type declarer struct {
	names map[*node]string // of types that are declared
	used  map[string]bool
	defs  map[*node]string // the names of definitions in the schema
	types []string

	prefix string // of the names of definitions
	input  bool   // the types are for values that cells write: a zero stands for what is left out
}

// declare writes the type of a node under a name.
func (d *declarer) declare(n *node, name string) {
	at := len(d.types)
	d.types = append(d.types, "")
	comment := ""
	if text := n.remark(); text != "" {
		comment = "// " + text + "\n"
	}
	d.types[at] = comment + "type " + name + " " + d.literal(n, name)
}

// typ is the type of a node in the place called hint.
func (d *declarer) typ(n *node, hint string) string {
	if n.to != nil && len(n.types) == 0 && len(n.anyOf) == 0 {
		return d.named(n.to, d.prefix+goName(d.defs[n.to]))
	}
	if inner, ok := n.orNull(); ok {
		typ := d.typ(inner, hint)
		if typ == "any" || strings.HasPrefix(typ, "[]") || strings.HasPrefix(typ, "map[") {
			return typ
		}
		return "*" + typ
	}
	if n.isStruct() {
		return d.named(n, hint)
	}
	return d.literal(n, hint)
}

// named declares a type once.
func (d *declarer) named(n *node, want string) string {
	if name, ok := d.names[n]; ok {
		return name
	}
	name := want
	for i := 2; d.used[name]; i++ {
		name = want + strconv.Itoa(i)
	}
	d.names[n], d.used[name] = name, true
	d.declare(n, name)
	return name
}

// orNull is what a node holds when it is not null; ok is false if it is never null, or nothing else.
func (n *node) orNull() (inner *node, ok bool) {
	if n.nullable && len(n.types) == 1 {
		of := *n
		of.nullable = false
		of.enum = slices.DeleteFunc(slices.Clone(n.enum), func(v any) bool { return v == nil })
		return &of, true
	}
	if len(n.anyOf) == 2 && len(n.types) == 0 {
		for i, a := range n.anyOf {
			if a.nullable && len(a.types) == 0 {
				return n.anyOf[1-i], true
			}
		}
	}
	return nil, false
}

// isStruct reports whether a node is an object whose fields a Go struct can have.
func (n *node) isStruct() bool {
	if len(n.types) != 1 || n.types[0] != "object" || n.nullable || len(n.properties) == 0 || n.extra != nil {
		return false
	}
	return !slices.ContainsFunc(n.properties, func(p property) bool { return !taggable(p.name) })
}

// literal is the type of a node, spelled out.
func (d *declarer) literal(n *node, name string) string {
	if inner, ok := n.orNull(); ok {
		return "*" + d.typ(inner, name+"Value")
	}
	if n.to != nil {
		return d.typ(n, name)
	}
	switch typ := n.goType(); typ {
	case "array":
		return "[]" + d.element(n, name)
	case "object":
		switch {
		case n.isStruct():
			return d.fields(n, name)
		case n.extra != nil && len(n.properties) == 0:
			return "map[string]" + d.typ(n.extra, name+"Value")
		}
		return "map[string]any"
	default:
		return typ
	}
}

// goType is the Go type of a node that holds no other; "array", "object" and "any" otherwise.
func (n *node) goType() string {
	types := n.types
	if len(types) == 0 {
		for _, v := range n.values() {
			if t := typeOf(v); !slices.Contains(types, t) {
				types = append(types, t)
			}
		}
	}
	if len(types) != 1 || n.nullable {
		return "any"
	}
	switch types[0] {
	case "boolean":
		return "bool"
	case "integer":
		return "int"
	case "number":
		return "float64"
	case "string":
		if n.format == "date-time" {
			return "time.Time"
		}
		return "string"
	case "array", "object":
		return types[0]
	}
	return "any"
}

// values are those of an enumeration or a constant.
func (n *node) values() []any {
	if n.constant != nil {
		return []any{*n.constant}
	}
	return n.enum
}

// ofElements are the values of an enumeration that the elements of a list or a map have.
func (n *node) ofElements() []any {
	for _, of := range []*node{n.items, n.extra} {
		switch {
		case of == nil || of.to != nil:
		case of.enum != nil:
			return of.enum
		default:
			return of.ofElements()
		}
	}
	return nil
}

// element is the type of a list's elements.
func (d *declarer) element(n *node, name string) string {
	switch {
	case len(n.prefix) > 0 && !n.noItems && n.items == nil:
		return "any"
	case len(n.prefix) == 0 && n.items == nil:
		return "any"
	}
	typ := ""
	parts := n.prefix
	if n.items != nil {
		parts = append(slices.Clone(parts), n.items)
	}
	for _, p := range parts {
		t := d.typ(p, name+"Item")
		if typ != "" && t != typ {
			return "any"
		}
		typ = t
	}
	return typ
}

// fields writes a struct.
func (d *declarer) fields(n *node, name string) string {
	var b strings.Builder
	b.WriteString("struct {\n")
	used := map[string]bool{}
	for _, p := range n.properties {
		field := goName(p.name)
		for i := 2; used[field]; i++ {
			field = goName(p.name) + strconv.Itoa(i)
		}
		used[field] = true
		typ, tag := d.typ(p.node, name+field), p.name
		if tag == "-" {
			tag = "-,"
		}
		switch {
		case n.requires(p.name):
		case d.input && isBasic(strings.TrimPrefix(typ, "*")) && !p.node.presetMatters():
			typ, tag = strings.TrimPrefix(typ, "*"), strings.TrimSuffix(tag, ",")+",omitempty"
		default:
			if !strings.HasPrefix(typ, "*") && !strings.HasPrefix(typ, "[]") && !strings.HasPrefix(typ, "map[") && typ != "string" && typ != "any" {
				typ = "*" + typ // a zero is an answer, nothing is none
			}
			tag = strings.TrimSuffix(tag, ",") + ",omitempty"
		}
		fmt.Fprintf(&b, "%s %s `json:\"%s\"`", field, typ, tag)
		if text := p.node.remark(); text != "" {
			b.WriteString(" // " + text)
		}
		b.WriteByte('\n')
	}
	b.WriteString("}")
	return b.String()
}

func isBasic(typ string) bool {
	return slices.Contains([]string{"string", "int", "float64", "bool"}, typ)
}

// remark says of a node what its Go type does not, in one line.
func (n *node) remark() string {
	if n.to != nil {
		return brief.Line(n.about, 300)
	}
	parts := []string{}
	add := func(format string, args ...any) { parts = append(parts, fmt.Sprintf(format, args...)) }
	if n.about != "" {
		add("%s", brief.Line(n.about, 300))
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
		add("%s", brief.Line(n.wanted(), 200))
	}
	if n.preset != nil {
		add("default %s", shown(n.preset))
	}
	const int64s = "9223372036854775807"
	lowest, highest := n.minimum != nil && len(n.minimum.literal) < len(int64s), n.maximum != nil && len(n.maximum.literal) < len(int64s)
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
			add("exactly %s", quantity.Of(*l.least, l.what))
		case l.least != nil && l.most != nil:
			add("%d to %s", *l.least, quantity.Of(*l.most, l.what))
		case l.least != nil:
			add("at least %s", quantity.Of(*l.least, l.what))
		case l.most != nil:
			add("at most %s", quantity.Of(*l.most, l.what))
		}
	}
	if n.pattern != nil && n.pattern.String() != duration {
		add("matches %s", brief.Line(n.pattern.String(), 100))
	}
	if n.format == "date" {
		add("a date such as 2024-05-31")
	}
	if len(n.prefix) > 0 {
		words := make([]string, len(n.prefix))
		for i, p := range n.prefix {
			words[i] = p.wanted()
		}
		add("%s", brief.Line(strings.Join(words, ", then "), 200))
	}
	return strings.Join(parts, "; ")
}

// taggable reports whether encoding/json takes a name from a tag.
func taggable(name string) bool {
	for _, c := range name {
		if !strings.ContainsRune("!#$%&()*+-./:;<=>?@[]^_{|}~ ", c) && !unicode.IsLetter(c) && !unicode.IsDigit(c) {
			return false
		}
	}
	return name != ""
}

// goName makes an exported Go name of a property's.
func goName(name string) string {
	var b strings.Builder
	up := true
	for _, c := range name {
		switch {
		case !unicode.IsLetter(c) && !unicode.IsDigit(c):
			up = true
			continue
		case up:
			c = unicode.ToUpper(c)
		}
		up = false
		b.WriteRune(c)
	}
	out := b.String()
	if first, _ := utf8.DecodeRuneInString(out); !unicode.IsUpper(first) {
		out = "F" + out
	}
	return out
}
