package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// dialect is the supported dialect.
const dialect = "https://json-schema.org/draft/2020-12/schema"

// Parse parses a JSON schema. A keyword that is not supported in the schema of an answer is an error that names its
// path.
func Parse(text string) (*Schema, error) {
	tree, err := decode(text)
	if err != nil {
		return nil, fmt.Errorf("the schema is not JSON: %w", err)
	}
	p := reader{keywords: keywords(), defs: map[string]*node{}}
	s := &Schema{JSON: compact(tree)}
	if top, ok := tree.(object); ok {
		if s.defs, err = p.definitions(top); err != nil {
			return nil, err
		}
	}
	if s.root, err = p.node(tree, "#"); err != nil {
		return nil, err
	}
	p.defs["#"] = s.root
	return s, p.link()
}

// reader reads the parts of a schema.
type reader struct {
	keywords map[string]func(p *reader, n *node, v any) error
	defs     map[string]*node // by reference
	refs     []*node          // nodes with references
	all      []*node
	foreign  bool // ignore unknown keywords
}

// definitions parses the root's $defs. They are filled in place, so that they can refer to each other.
func (p *reader) definitions(top object) ([]property, error) {
	raw, ok := top.Get("$defs")
	if !ok {
		return nil, nil
	}
	defs, ok := raw.(object)
	if !ok {
		return nil, at("#/$defs", "it should be an object")
	}
	var out []property
	for _, d := range defs {
		path := "#/$defs/" + escape(d.Name)
		n, err := p.node(d.Value, path)
		if err != nil {
			return nil, err
		}
		p.defs[path] = n
		out = append(out, property{d.Name, n})
	}
	return out, nil
}

// link resolves references. A schema that refers only to itself is refused: checking a value against it would never
// end.
func (p *reader) link() error {
	for _, n := range p.refs {
		if n.to = p.defs[n.ref]; n.to == nil {
			return at(n.path+"/$ref", fmt.Sprintf("there is no %s; a reference leads to # or to #/$defs/NAME", n.ref))
		}
	}
	for _, n := range p.all {
		if n.leadsTo(n, map[*node]bool{}) {
			return at(n.path, "it refers to itself, and so says nothing")
		}
	}
	return nil
}

// leadsTo reports whether checking a value against n also checks it against target.
func (n *node) leadsTo(target *node, seen map[*node]bool) bool {
	if seen[n] {
		return false
	}
	seen[n] = true
	next := slices.Concat(n.anyOf, n.allOf)
	if n.to != nil {
		next = append(next, n.to)
	}
	return slices.ContainsFunc(next, func(m *node) bool { return m == target || m.leadsTo(target, seen) })
}

// keywords maps keywords to functions that parse them into a node.
func keywords() map[string]func(p *reader, n *node, v any) error {
	return map[string]func(p *reader, n *node, v any) error{
		"type": (*reader).types, "enum": (*reader).enum, "const": func(_ *reader, n *node, v any) error {
			n.constant = &v
			return nil
		},
		"properties": (*reader).properties, "required": (*reader).required, "additionalProperties": (*reader).extra,
		"items": (*reader).items, "prefixItems": (*reader).prefixItems, "anyOf": (*reader).anyOf, "$ref": (*reader).ref,
		"minimum":   func(_ *reader, n *node, v any) (err error) { n.minimum, err = bound(v); return err },
		"maximum":   func(_ *reader, n *node, v any) (err error) { n.maximum, err = bound(v); return err },
		"minLength": func(_ *reader, n *node, v any) (err error) { n.minLength, err = length(v); return err },
		"maxLength": func(_ *reader, n *node, v any) (err error) { n.maxLength, err = length(v); return err },
		"minItems":  func(_ *reader, n *node, v any) (err error) { n.minItems, err = length(v); return err },
		"maxItems":  func(_ *reader, n *node, v any) (err error) { n.maxItems, err = length(v); return err },
		"pattern":   (*reader).pattern, "format": (*reader).format, "title": (*reader).text,
		"description": (*reader).text,
		"$schema":     (*reader).schema, "$defs": (*reader).defsAtRoot,
		"$comment": ignored, "default": ignored, "examples": ignored, // they constrain nothing
	}
}

func ignored(*reader, *node, any) error { return nil }

// known lists the keywords for an error.
const known = "type, enum, const, properties, required, additionalProperties, items, prefixItems, anyOf, $defs, $ref, minimum, maximum, " +
	"minLength, maxLength, minItems, maxItems, pattern, format (date, date-time), title and description"

// node reads a schema at a path.
func (p *reader) node(v any, path string) (*node, error) {
	n := &node{path: path}
	p.all = append(p.all, n)
	if v == true || p.foreign && len(p.all) > mostForeign {
		return n, nil
	}
	o, ok := v.(object)
	if !ok && p.foreign {
		return n, nil
	}
	if !ok {
		return nil, at(path, "a schema is an object, and this is "+shown(v))
	}
	for _, m := range o {
		read, ok := p.keywords[m.Name]
		where := path + "/" + escape(m.Name)
		if p.foreign {
			if ok {
				_ = read(p, n, m.Value) // ignore what makes no sense
			}
			continue
		}
		if !ok {
			return nil, at(where, "this keyword is not supported here; an answer's schema can use "+known)
		}
		if err := read(p, n, m.Value); err != nil {
			var placed *pathError
			if errors.As(err, &placed) {
				return nil, err
			}
			return nil, at(where, err.Error())
		}
	}
	return n, nil
}

// pathError is an error at a path of a schema.
type pathError struct{ path, what string }

func (e *pathError) Error() string { return "the schema at " + e.path + ": " + e.what }

func at(path, what string) error { return &pathError{path, what} }

// escape writes a name as a part of a JSON pointer.
func escape(name string) string { return strings.NewReplacer("~", "~0", "/", "~1").Replace(name) }

var allTypes = []string{"null", "boolean", "object", "array", "number", "integer", "string"}

func (p *reader) types(n *node, v any) error {
	list, ok := v.([]any)
	if !ok {
		list = []any{v}
	}
	for _, item := range list {
		name, ok := item.(string)
		switch {
		case !ok || !slices.Contains(allTypes, name):
			return fmt.Errorf("it should be one of %s, and is %s", strings.Join(allTypes, ", "), shown(item))
		case name == "null":
			n.nullable = true
		case !slices.Contains(n.types, name):
			n.types = append(n.types, name)
		}
	}
	if len(list) == 0 {
		return errors.New("no value has none of the types")
	}
	return nil
}

func (p *reader) enum(n *node, v any) error {
	list, ok := v.([]any)
	if !ok || len(list) == 0 {
		return errors.New("it should be a list of the values that are allowed")
	}
	n.enum = list
	return nil
}

func (p *reader) properties(n *node, v any) error {
	o, ok := v.(object)
	if !ok {
		return errors.New("it should be an object")
	}
	for _, m := range o {
		part, err := p.node(m.Value, n.path+"/properties/"+escape(m.Name))
		if err != nil {
			return err
		}
		n.properties = append(n.properties, property{m.Name, part})
	}
	return nil
}

func (p *reader) required(n *node, v any) error {
	list, ok := v.([]any)
	if !ok {
		return errors.New("it should be a list of names")
	}
	for _, item := range list {
		name, ok := item.(string)
		if !ok {
			return errors.New("it should be a list of names")
		}
		n.required = append(n.required, name)
	}
	return nil
}

func (p *reader) extra(n *node, v any) (err error) {
	n.extra, n.closed, err = p.rest(v, n.path+"/additionalProperties")
	return err
}

func (p *reader) items(n *node, v any) (err error) {
	n.items, n.noItems, err = p.rest(v, n.path+"/items")
	return err
}

// rest parses the schema of all other elements. It may be true, for anything, or false, for none.
func (p *reader) rest(v any, path string) (of *node, none bool, err error) {
	if any, ok := v.(bool); ok {
		return nil, !any, nil
	}
	of, err = p.node(v, path)
	return of, false, err
}

func (p *reader) prefixItems(n *node, v any) (err error) {
	n.prefix, err = p.nodes(v, n.path+"/prefixItems")
	return err
}

func (p *reader) anyOf(n *node, v any) (err error) {
	n.anyOf, err = p.nodes(v, n.path+"/anyOf")
	return err
}

func (p *reader) nodes(v any, path string) ([]*node, error) {
	list, ok := v.([]any)
	if !ok || len(list) == 0 {
		return nil, errors.New("it should be a list of schemas")
	}
	out := make([]*node, len(list))
	for i, item := range list {
		var err error
		if out[i], err = p.node(item, path+"/"+strconv.Itoa(i)); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (p *reader) ref(n *node, v any) error {
	ref, ok := v.(string)
	if !ok {
		return errors.New("it should be text such as #/$defs/NAME")
	}
	n.ref = ref
	p.refs = append(p.refs, n)
	return nil
}

func (p *reader) pattern(n *node, v any) (err error) {
	text, ok := v.(string)
	if !ok {
		return errors.New("it should be a regular expression")
	}
	if n.pattern, err = regexp.Compile(text); err != nil {
		return fmt.Errorf("this regular expression cannot be used (its syntax is Go's, without look-around and back-references): %w", err)
	}
	return nil
}

func (p *reader) format(n *node, v any) error {
	if v != "date" && v != "date-time" {
		return fmt.Errorf("the formats that are checked are date and date-time, not %s", shown(v))
	}
	n.format = v.(string)
	return nil
}

func (p *reader) text(n *node, v any) error {
	text, ok := v.(string)
	if !ok {
		return errors.New("it should be text")
	}
	if n.about == "" || len(text) > len(n.about) { // a description is better than a title
		n.about = text
	}
	return nil
}

func (p *reader) schema(n *node, v any) error {
	if text, ok := v.(string); !ok || strings.TrimSuffix(text, "#") != dialect || n.path != "#" {
		return fmt.Errorf("only %s is understood, at the root", dialect)
	}
	return nil
}

func (p *reader) defsAtRoot(n *node, _ any) error {
	if n.path != "#" {
		return errors.New("definitions stand at the root")
	}
	return nil
}

// bound reads minimum or maximum.
func bound(v any) (*number, error) {
	literal, ok := v.(json.Number)
	if ok {
		var n number
		if n, ok = parseNumber(string(literal)); ok {
			return &n, nil
		}
	}
	return nil, errors.New("it should be a number")
}

// length reads a number of characters or elements.
func length(v any) (*int, error) {
	literal, ok := v.(json.Number)
	if ok {
		if n, ok := parseNumber(string(literal)); ok && n.isWhole() && n.rat.Sign() >= 0 && n.rat.Num().IsInt64() {
			size := int(min(n.rat.Num().Int64(), 1<<30))
			return &size, nil
		}
	}
	return nil, errors.New("it should be a whole number, 0 or more")
}
