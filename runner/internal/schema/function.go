package schema

import (
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// Function is a schema as one side of a Go function has it: the object that it takes as parameters, or the value that it gives as a
// result. Types are the declarations that the rest needs.
type Function struct {
	// Params are Go source, "query string". Fields are the properties that they fill; an empty one is for a parameter that holds all
	// other properties.
	Params, Fields []string
	Result         string
	Types          string
}

// mostPositional is how many properties are parameters of their own: more could not be told apart in a call.
const mostPositional = 3

// Params makes parameters of the object that a schema describes: each required property is one, in the order in which they are said to be
// required, and the others are the fields of a last one that can be left out. Where there are many, all are fields of one. Types
// have names that begin with prefix; used holds those that are taken, and learns the new ones.
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

// declarer declares types for a schema that is called root.
func (s *Schema) declarer(prefix, root string, used map[string]bool) *declarer {
	d := &declarer{names: map[*node]string{}, used: used, defs: map[*node]string{s.root: root}, prefix: prefix}
	for _, def := range s.defs {
		d.defs[def.node] = def.name
	}
	return d
}

// paramName makes a Go name of a property's that hides nothing which a signature needs.
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
