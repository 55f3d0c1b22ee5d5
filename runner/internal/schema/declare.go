package schema

import (
	"cmp"
	"fmt"
	"go/format"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gorlm/rlm/internal/kit/jsonfields"
)

// TypeName is the Go type of an answer in the notebook.
const TypeName = "Answer"

// Declaration is Go source that declares the answer's type, TypeName, and the types that it uses. Comments add
// what types cannot express.
func (s *Schema) Declaration() string {
	source := strings.Join(s.declared().types, "\n\n")
	if out, err := format.Source([]byte(source)); err == nil {
		source = strings.TrimSpace(string(out))
	}
	return source
}

// declared declares the types of the answer.
func (s *Schema) declared() *declarer {
	d := &declarer{
		names: map[*node]string{s.root: TypeName}, used: map[string]bool{TypeName: true},
		defs: map[*node]string{},
	}
	for _, def := range s.defs {
		d.defs[def.node] = def.name
	}
	d.declare(s.root, TypeName)
	return d
}

type declarer struct {
	names map[*node]string // of declared types
	used  map[string]bool
	defs  map[*node]string // names of the schema's definitions
	types []string
	inner map[*node]*node // the non-null form of nullable nodes, one instance each

	prefix string // of the names of types
	input  bool   // the types are for values that cells write: a field that is set is sent, even if zero or empty
}

// declare writes the declaration of a node's type under a name.
func (d *declarer) declare(n *node, name string) {
	at := len(d.types)
	d.types = append(d.types, "")
	comment := ""
	if text := d.remark(n, name); text != "" {
		comment = "// " + text + "\n"
	}
	d.types[at] = comment + "type " + name + " " + d.literal(n, name)
}

// remark returns what the type of a node does not express. If a part of an answer has the type any, the objects
// among its alternatives get declared types, so that their fields are known.
func (d *declarer) remark(n *node, name string) string {
	text := n.remark()
	if d.prefix != "" || n.to != nil {
		return text
	}
	if _, ok := d.orNull(n); ok {
		return text
	}
	var objects []string
	for _, a := range n.anyOf {
		if a.target().isStruct() {
			objects = append(objects, d.typ(a, name+"Object"))
		}
	}
	if objects != nil {
		text += ": " + strings.Join(objects, " or ")
	}
	return text
}

// typ returns the type of a node; hint is a name for it.
func (d *declarer) typ(n *node, hint string) string {
	if n.to != nil { // keywords next to a reference can only narrow it
		return d.named(n.to, d.prefix+goName(cmp.Or(d.defs[n.to], path.Base(n.to.path))))
	}
	if inner, ok := d.orNull(n); ok {
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

// orNull returns the non-null form of a node; ok is false if the node is never null, or always.
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

// orNull caches orNull of a node, so that a type has only one name.
func (d *declarer) orNull(n *node) (*node, bool) {
	if inner, ok := d.inner[n]; ok {
		return inner, true
	}
	inner, ok := n.orNull()
	if ok {
		if d.inner == nil {
			d.inner = map[*node]*node{}
		}
		d.inner[n] = inner
	}
	return inner, ok
}

// isStruct reports whether a node is an object that fits a Go struct.
func (n *node) isStruct() bool {
	if len(n.types) != 1 || n.types[0] != "object" || n.nullable || len(n.properties) == 0 || n.extra != nil ||
		len(n.allOf) > 0 {
		return false
	}
	return !slices.ContainsFunc(n.properties, func(p property) bool { return !jsonfields.ValidName(p.name) })
}

// literal writes out the type of a node, without a name for it.
func (d *declarer) literal(n *node, name string) string {
	if inner, ok := d.orNull(n); ok {
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

// goType is the Go type of a node without parts; "array", "object" and "any" otherwise.
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

// values returns the values of an enumeration or a constant.
func (n *node) values() []any {
	if n.constant != nil {
		return []any{*n.constant}
	}
	return n.enum
}

// ofElements returns the values of the enumeration for the elements of a list or a map.
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
		field := goField(p.name, used)
		typ, tag := d.typ(p.node, name+field), p.name
		if tag == "-" {
			tag = "-,"
		}
		text := d.remark(p.node, name+field)
		switch {
		case n.requires(p.name):
		case d.input:
			typ, text = settable(typ, text)
			tag = strings.TrimSuffix(tag, ",") + ",omitzero"
		default:
			if !strings.HasPrefix(typ, "*") && !strings.HasPrefix(typ, "[]") && !strings.HasPrefix(typ, "map[") &&
				typ != "string" &&
				p.node.target().goType() != "any" {
				typ = "*" + typ // a zero value is an answer; nil means no value
			}
			tag = strings.TrimSuffix(tag, ",") + ",omitempty"
		}
		fmt.Fprintf(&b, "%s %s `json:\"%s\"`", field, typ, tag)
		if text != "" {
			b.WriteString(" // " + text)
		}
		b.WriteByte('\n')
	}
	b.WriteString("}")
	return b.String()
}

// settable is the type of a field for which being absent and being zero mean different things. Text, numbers and
// bools become any, to which a cell can assign without a pointer, and the remark names the type.
func settable(typ, remark string) (string, string) {
	basic := strings.TrimPrefix(typ, "*")
	switch {
	case slices.Contains([]string{"string", "int", "float64", "bool"}, basic):
		return "any", strings.TrimSuffix(basic+"; "+remark, "; ")
	case typ == "any" || strings.HasPrefix(typ, "*") || strings.HasPrefix(typ, "[]") || strings.HasPrefix(typ, "map["):
		return typ, remark
	}
	return "*" + typ, remark
}

// goName converts a property's name to an exported Go name.
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
