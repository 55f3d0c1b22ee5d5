package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/gorlm/rlm/internal/kit/text"
	"github.com/gorlm/rlm/internal/kit/units"
)

// check reports what is wrong with a value; the error names its field.
func (s *Schema) check(v any) error {
	return (&checker{left: mostSteps}).value(s.root, v, "")
}

// mostSteps bounds the work of a check: nested alternatives can double it with each level.
const mostSteps = 5_000_000

type checker struct {
	left    int
	foreign bool // the value is another program's: a null field counts as missing, and extra fields are allowed
	types   bool // check only the types of values that are present
}

var errTooMuch = errors.New("the value has too many parts and alternatives to be checked")

// value checks v against n; path names it in errors.
func (c *checker) value(n *node, v any, path string) error {
	if c.left--; c.left < 0 {
		return errTooMuch
	}
	if n.to != nil {
		if err := c.value(n.to, v, path); err != nil {
			return err
		}
	}
	if c.types && v == nil {
		return nil
	}
	if typ := typeOf(v); !n.allows(typ) {
		if n.enum != nil {
			return mismatch(path, oneOf(n.enum), v)
		}
		return mismatch(path, n.wanted(), v)
	}
	for _, part := range n.allOf {
		if err := c.value(part, v, path); err != nil {
			return err
		}
	}
	if !c.types && n.constant != nil && !same(v, *n.constant) {
		return mismatch(path, shown(*n.constant), v)
	}
	if !c.types && n.enum != nil && !slices.ContainsFunc(n.enum, func(e any) bool { return same(v, e) }) {
		return mismatch(path, oneOf(n.enum), v)
	}
	if err := c.parts(n, v, path); err != nil {
		return err
	}
	return c.alternatives(n, v, path)
}

// parts checks the constraints for the type of a value.
func (c *checker) parts(n *node, v any, path string) error {
	switch v := v.(type) {
	case string:
		if !c.types {
			return n.text(v, path)
		}
	case json.Number:
		if !c.types {
			return n.number(v, path)
		}
	case []any:
		return c.list(n, v, path)
	case object:
		return c.object(n, v, path)
	}
	return nil
}

func (n *node) text(s, path string) error {
	size := utf8.RuneCountInString(s)
	switch {
	case n.minLength != nil && size < *n.minLength:
		return mismatch(path, "text of at least "+units.Of(*n.minLength, "character"), s)
	case n.maxLength != nil && size > *n.maxLength:
		return mismatch(path, "text of at most "+units.Of(*n.maxLength, "character"), s)
	case n.pattern != nil && !n.pattern.MatchString(s):
		return mismatch(path, "text that matches "+n.pattern.String(), s)
	case n.format == "date" && !parses(s, time.DateOnly):
		return mismatch(path, "a date such as 2024-05-31", s)
	case n.format == "date-time" && !parses(strings.ToUpper(s), time.RFC3339Nano):
		return mismatch(path, "a date and time in RFC 3339, such as 2024-05-31T14:00:00Z", s)
	}
	return nil
}

func parses(s, layout string) bool {
	_, err := time.Parse(layout, s)
	return err == nil
}

func (n *node) number(literal json.Number, path string) error {
	if n.minimum == nil && n.maximum == nil {
		if _, ok := parseNumber(string(literal)); !ok {
			return mismatch(path, "a number of a size that can be worked with", literal)
		}
		return nil
	}
	v, ok := parseNumber(string(literal))
	switch {
	case !ok:
		return mismatch(path, "a number of a size that can be worked with", literal)
	case n.minimum != nil && v.rat.Cmp(n.minimum.rat) < 0:
		return mismatch(path, "a number of at least "+n.minimum.literal, literal)
	case n.maximum != nil && v.rat.Cmp(n.maximum.rat) > 0:
		return mismatch(path, "a number of at most "+n.maximum.literal, literal)
	}
	return nil
}

func (c *checker) list(n *node, list []any, path string) error {
	switch {
	case c.types:
	case n.minItems != nil && len(list) < *n.minItems:
		return mismatch(path, fmt.Sprintf("a list of at least %s", units.Of(*n.minItems, "value")), list)
	case n.maxItems != nil && len(list) > *n.maxItems:
		return mismatch(path, fmt.Sprintf("a list of at most %s", units.Of(*n.maxItems, "value")), list)
	case n.noItems && len(list) > len(n.prefix):
		return mismatch(path, fmt.Sprintf("a list of at most %s", units.Of(len(n.prefix), "value")), list)
	}
	for i, item := range list {
		part := n.items
		if i < len(n.prefix) {
			part = n.prefix[i]
		}
		if part == nil {
			continue
		}
		if err := c.value(part, item, fmt.Sprintf("%s[%d]", path, i)); err != nil {
			return err
		}
	}
	return nil
}

func (c *checker) object(n *node, o object, path string) error {
	have := make(map[string]any, len(o))
	for _, m := range o {
		have[m.Name] = m.Value
	}
	for _, name := range n.required {
		if _, ok := have[name]; !ok && !c.types {
			return &absence{join(path, name), similar(name, o)}
		}
	}
	for _, p := range n.properties { // in the schema's order, so that the first error is about the first field
		if v, ok := have[p.name]; ok {
			if c.foreign && v == nil && !n.requires(p.name) {
				delete(have, p.name)
				continue
			}
			if err := c.value(p.node, v, join(path, p.name)); err != nil {
				return err
			}
			delete(have, p.name)
		}
	}
	for _, m := range o {
		if _, left := have[m.Name]; !left {
			continue
		}
		if n.closed && !c.foreign {
			return fmt.Errorf("field %s is not one that the answer has%s", join(path, m.Name), n.fieldNames())
		}
		if n.extra != nil {
			if err := c.value(n.extra, m.Value, join(path, m.Name)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (n *node) fieldNames() string {
	if len(n.properties) == 0 || len(n.properties) > 30 {
		return ""
	}
	names := make([]string, len(n.properties))
	for i, p := range n.properties {
		names[i] = p.name
	}
	return "; there are " + strings.Join(names, ", ")
}

// alternatives checks anyOf. If no alternative fits, the error is that of the only alternative for values of this
// type, or a summary of all.
func (c *checker) alternatives(n *node, v any, path string) error {
	if len(n.anyOf) == 0 {
		return nil
	}
	var of []error
	for _, a := range n.anyOf {
		err := c.value(a, v, path)
		if err == nil || errors.Is(err, errTooMuch) {
			return err
		}
		if a.target().allows(typeOf(v)) {
			of = append(of, err)
		}
	}
	if len(of) == 1 {
		return of[0]
	}
	return mismatch(path, n.wanted(), v)
}

// target follows references that add no constraints.
func (n *node) target() *node {
	for n.to != nil && len(n.types) == 0 && !n.nullable {
		n = n.to
	}
	return n
}

// same compares values by the rules of JSON Schema: numbers by value, objects without regard to order.
func same(a, b any) bool {
	switch a := a.(type) {
	case json.Number:
		other, ok := b.(json.Number)
		if !ok {
			return false
		}
		x, okX := parseNumber(string(a))
		y, okY := parseNumber(string(other))
		return okX && okY && x.rat.Cmp(y.rat) == 0 || a == other
	case []any:
		other, ok := b.([]any)
		return ok && slices.EqualFunc(a, other, same)
	case object:
		other, ok := b.(object)
		if !ok || len(a) != len(other) {
			return false
		}
		for _, m := range a {
			v, ok := other.Get(m.Name)
			if !ok || !same(m.Value, v) {
				return false
			}
		}
		return true
	}
	return reflect.DeepEqual(a, b)
}

var inWords = map[string]string{
	"boolean": "true or false", "object": "an object", "array": "a list", "number": "a number",
	"integer": "a whole number", "string": "text",
}

// wanted describes the expected value.
func (n *node) wanted() string {
	var words []string
	add := func(w string) {
		if w != "" && !slices.Contains(words, w) {
			words = append(words, w)
		}
	}
	for _, t := range n.types {
		add(inWords[t])
	}
	for _, a := range n.anyOf {
		t := a.target()
		switch {
		case t.enum != nil:
			add(oneOf(t.enum))
		case t.constant != nil:
			add(shown(*t.constant))
		default:
			add(t.wanted())
		}
	}
	if n.nullable {
		add("null")
	}
	return strings.Join(words, " or ")
}

// oneOf lists the values of an enumeration, up to a bound.
func oneOf(values []any) string {
	const most = 20
	if len(values) == 1 {
		return shown(values[0])
	}
	words := make([]string, 0, most+1)
	for _, v := range values[:min(len(values), most)] {
		words = append(words, shown(v))
	}
	if len(values) > most {
		words = append(words, text.Ellipsis)
	}
	return "one of " + strings.Join(words, ", ")
}

// shown is a value on one line, shortened if long.
func shown(v any) string { return text.Line(compact(v), 80) }

// mismatchError reports the expected and the actual value of a field. Its text is built on demand: most errors of
// alternatives are never read.
type mismatchError struct {
	path, want string
	got        any
}

func (m *mismatchError) Error() string {
	if m.path == "" {
		return fmt.Sprintf("the answer should be %s, and is %s", m.want, shown(m.got))
	}
	return fmt.Sprintf("field %s should be %s, and is %s", m.path, m.want, shown(m.got))
}

func mismatch(path, want string, got any) error { return &mismatchError{path, want, got} }

// absence reports a missing field, and a field with a similar name that may have been meant.
type absence struct{ path, similar string }

func (a *absence) Error() string {
	if a.similar != "" {
		return fmt.Sprintf("field %s is missing (the answer has %q; the name must be exact)", a.path, a.similar)
	}
	return fmt.Sprintf("field %s is missing", a.path)
}

// similar is the field of an object whose name is almost name.
func similar(name string, o object) string {
	fold := func(s string) string {
		return strings.ToLower(strings.NewReplacer("_", "", "-", "", " ", "").Replace(s))
	}
	for _, m := range o {
		if fold(m.Name) == fold(name) {
			return m.Name
		}
	}
	return ""
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}
