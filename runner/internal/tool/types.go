package tool

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gorlm/rlm/internal/kit/callback"
	"github.com/gorlm/rlm/internal/kit/text"
	"github.com/gorlm/rlm/runner/internal/gotype"
)

// source writes a type of this program as a notebook can declare it. The last parameter of a variadic function is
// written with dots.
func source(t *gotype.Type, variadic bool) string {
	if variadic {
		return "..." + source(t.Elem, false)
	}
	if t.Declared != "" {
		return t.Declared
	}
	return literal(t)
}

// literal writes a type without its name. A type with JSON methods becomes any, because a notebook cannot have its
// methods.
func literal(t *gotype.Type) string {
	switch t.Form {
	case gotype.Basic:
		return t.Kind().String()
	case gotype.Text:
		return "string"
	case gotype.Moment:
		return "time.Time"
	case gotype.Span:
		return "time.Duration"
	case gotype.Nullable:
		if elem := source(t.Elem, false); elem != "any" { // any can be nil itself
			return "*" + elem
		}
	case gotype.List:
		if n := t.Size(); n >= 0 {
			return fmt.Sprintf("[%d]%s", n, source(t.Elem, false))
		}
		return "[]" + source(t.Elem, false)
	case gotype.Map:
		return "map[" + source(t.Key, false) + "]" + source(t.Elem, false)
	case gotype.Struct:
		return fields(t)
	}
	return "any"
}

// fields writes a struct with the fields of its JSON.
func fields(t *gotype.Type) string {
	var lines []string
	used := map[string]bool{}
	for _, f := range t.Fields {
		name, tag := t.FieldByIndex(f.Path).Name, f.Tag.Get("json")
		for ; used[name]; name += "2" {
			tag = f.Name + strings.TrimPrefix(tag, f.Name)
		}
		used[name] = true
		if tag != "" {
			tag = fmt.Sprintf(" `json:%q`", tag)
		}
		lines = append(lines, name+" "+source(f.Of, false)+tag)
	}
	return "struct {\n" + strings.Join(lines, "\n") + "\n}"
}

// declarations declares the named types.
func declarations(types []*gotype.Type) string {
	var decls []string
	for _, t := range types {
		decls = append(decls, "type "+t.Declared+" "+literal(t))
	}
	return strings.Join(decls, "\n")
}

// constants describes the numbers of a type with a method String, since a notebook sees only the numbers: "0
// Sunday, 1 Monday". It is empty for all other types.
func constants(t *gotype.Type) string {
	const most = 20
	if t.Form != gotype.Basic || !t.Implements(reflect.TypeFor[fmt.Stringer]()) || t.Kind() < reflect.Int ||
		t.Kind() > reflect.Uint64 {
		return ""
	}
	var names []string
	for n := range most {
		var name string
		var failed error
		callback.Guard("the method String", &failed, func() error {
			name = reflect.ValueOf(n).Convert(t.Type).Interface().(fmt.Stringer).String()
			return nil
		})
		first, _ := utf8.DecodeRuneInString(name)
		switch ok := failed == nil && unicode.IsLetter(first) && !strings.Contains(name, strconv.Itoa(n)); {
		case ok:
			names = append(names, strconv.Itoa(n)+" "+text.Line(name, 60))
		case n > 0: // an enumeration may begin at 1
			return strings.Join(names, ", ")
		}
	}
	return strings.Join(names, ", ")
}
