package schema

import (
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// Function is one side of a Go function made from a schema: the parameters for an object, or the result for a
// value. Types are the declarations that the function needs.
type Function struct {
	// Params are Go source, "query string". Fields are the names of the properties that the parameters fill; an
	// empty name means all other properties.
	Params, Fields []string
	Result         string
	Types          string
}

// mostPositional bounds the properties that become separate parameters: more would be hard to tell apart in a
// call.
const mostPositional = 3

// Params makes parameters for the object that a schema describes: one for each required property, in the order of
// required, and an optional last one with the other properties as fields. If too many are required, a single
// parameter has all properties as fields. Names of types begin with prefix; used holds the names that are taken,
// and gets the new ones.
func (s *Schema) Params(prefix string, used map[string]bool) Function {
	d := s.declarer(prefix, "Arguments", used)
	d.input = true
	root := s.root
	if !root.isStruct() {
		if len(root.properties) == 0 && (root.closed || root.extra == nil) && len(root.anyOf) == 0 && root.to == nil {
			return Function{}
		}
		return Function{Params: []string{"arguments map[string]any"}, Fields: []string{""}}
	}
	var required, rest []property
	for _, name := range root.required {
		i := slices.IndexFunc(root.properties, func(p property) bool { return p.name == name })
		if i >= 0 && !slices.ContainsFunc(required, func(p property) bool { return p.name == name }) {
			required = append(required, root.properties[i])
		}
	}
	for _, p := range root.properties {
		if !root.requires(p.name) {
			rest = append(rest, p)
		}
	}
	var f Function
	if len(required) > mostPositional {
		f.Params, f.Fields = []string{"arguments " + d.named(root, prefix+"Arguments")}, []string{""}
		f.Types = strings.Join(d.types, "\n")
		return f
	}
	names := map[string]bool{}
	for _, p := range required {
		f.Params = append(f.Params, paramName(p.name, names)+" "+d.typ(p.node, prefix+goName(p.name)))
		f.Fields = append(f.Fields, p.name)
	}
	if len(rest) > 0 {
		options := &node{types: []string{"object"}, properties: rest}
		f.Params = append(f.Params, paramName("options", names)+" ..."+d.named(options, prefix+"Options"))
		f.Fields = append(f.Fields, "")
	}
	f.Types = strings.Join(d.types, "\n")
	return f
}

// Value makes a result of the value that a schema describes.
func (s *Schema) Value(prefix string, used map[string]bool) Function {
	d := s.declarer(prefix, "Result", used)
	result := d.typ(s.root, prefix+"Result")
	return Function{Result: result, Types: strings.Join(d.types, "\n")}
}

// declarer declares types for a schema; root names its root type.
func (s *Schema) declarer(prefix, root string, used map[string]bool) *declarer {
	d := &declarer{names: map[*node]string{}, used: used, defs: map[*node]string{s.root: root}, prefix: prefix}
	for _, def := range s.defs {
		d.defs[def.node] = def.name
	}
	return d
}

// paramName converts a property's name to a Go name that shadows nothing in a signature.
func paramName(name string, used map[string]bool) string {
	var b strings.Builder
	for _, c := range name {
		switch {
		case unicode.IsLetter(c), unicode.IsDigit(c) && b.Len() > 0:
			b.WriteRune(c)
		case b.Len() > 0:
			b.WriteByte('_')
		}
	}
	out := strings.TrimRight(b.String(), "_")
	if out == "" {
		out = "argument"
	}
	if token.IsKeyword(out) || types.Universe.Lookup(out) != nil || unicode.IsUpper([]rune(out)[0]) {
		out = "the_" + out
	}
	free := out
	for i := 2; used[free]; i++ {
		free = out + strconv.Itoa(i)
	}
	used[free] = true
	return free
}
