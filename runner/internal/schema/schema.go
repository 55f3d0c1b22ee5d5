// Package schema checks a run's answer against a form. A form is written as JSON Schema (a subset of 2020-12), in
// short ("name string, year int"), or as a Go type of the embedding program. It is declared in the notebook as a Go
// type, and an answer is checked against it and encoded as compact JSON, with the fields in the form's order.
//
// Everything is bounded: an answer comes from a model, through an untrusted worker.
package schema

import (
	"regexp"
	"slices"
)

// Schema is the form of an answer. It does not change and is safe for concurrent use.
type Schema struct {
	// JSON is the schema as JSON Schema, compact.
	JSON string

	root *node
	defs []property // the root's $defs, in order
}

// node is a schema or a part of one.
type node struct {
	types    []string // allowed types; none: any
	nullable bool     // null is allowed; types has the other types
	enum     []any    // allowed values; nil: any
	constant *any
	about    string // title or description, for the model

	properties []property
	required   []string
	extra      *node // schema of other properties; nil: any
	closed     bool  // there are no other properties

	prefix  []*node
	items   *node // schema of further elements; nil: any
	noItems bool  // there are no further elements

	anyOf []*node
	allOf []*node // only in a foreign schema
	ref   string  // the definition that also applies; "#" is the root
	to    *node   // the target of ref

	minimum, maximum     *number
	minLength, maxLength *int
	minItems, maxItems   *int
	pattern              *regexp.Regexp
	format               string // date, date-time
	preset               any    // default value, only in a foreign schema
	path                 string // in the schema, for errors
}

// property is a property of an object, or a definition.
type property struct {
	name string
	node *node
}

// requires reports whether an object must have a property.
func (n *node) requires(name string) bool { return slices.Contains(n.required, name) }

// allows reports whether the keyword type allows values of a type.
func (n *node) allows(typ string) bool {
	return len(n.types) == 0 && !n.nullable || slices.Contains(n.types, typ) || typ == "null" && n.nullable ||
		typ == "integer" && slices.Contains(n.types, "number")
}

// Fields returns the names of an object's fields, in order; none for anything else.
func (s *Schema) Fields() []string {
	var names []string
	for _, p := range s.root.target().properties {
		names = append(names, p.name)
	}
	return names
}
