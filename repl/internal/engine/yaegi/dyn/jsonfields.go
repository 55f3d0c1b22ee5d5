package dyn

import (
	"go/types"
	"reflect"
	"slices"
	"strings"
	"unicode"
)

// jsonField is a field of a struct as encoding/json sees it: promoted ones stand beside the others.
type jsonField struct {
	name                        string
	path                        []int
	typ                         types.Type
	tagged                      bool
	omitEmpty, omitZero, quoted bool
}

// jsonFields lists the fields of a struct by encoding/json's rules: breadth first through embedded structs; of several
// fields of one name the least nested wins, then the only tagged one, otherwise none.
func (r *Runtime) jsonFields(t *types.Struct) []jsonField {
	type level struct {
		st   *types.Struct
		path []int
	}
	var all []jsonField
	visited := map[*types.Struct]bool{}
	for next := []level{{t, nil}}; len(next) > 0; {
		current := next
		next = nil
		for _, l := range current {
			if visited[l.st] {
				continue
			}
			visited[l.st] = true
			for i := range l.st.NumFields() {
				f := l.st.Field(i)
				path := append(slices.Clone(l.path), i)
				tag := reflect.StructTag(l.st.Tag(i)).Get("json")
				inner, isStruct := embeddedStruct(f)
				if !f.Exported() && !(f.Embedded() && isStruct) || tag == "-" {
					continue
				}
				name, opts, _ := strings.Cut(tag, ",")
				if !validJSONName(name) {
					name = ""
				}
				if f.Embedded() && isStruct && name == "" {
					next = append(next, level{inner, path})
					continue
				}
				field := jsonField{name: name, path: path, typ: f.Type(), tagged: name != ""}
				if name == "" {
					field.name = f.Name()
				}
				for _, o := range strings.Split(opts, ",") {
					switch o {
					case "omitempty":
						field.omitEmpty = true
					case "omitzero":
						field.omitZero = true
					case "string":
						field.quoted = quotable(f.Type())
					}
				}
				all = append(all, field)
			}
		}
	}
	return dominant(all)
}

func embeddedStruct(f *types.Var) (*types.Struct, bool) {
	t := f.Type()
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	st, ok := t.Underlying().(*types.Struct)
	return st, ok
}

func quotable(t types.Type) bool {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&(types.IsBoolean|types.IsInteger|types.IsFloat|types.IsString) != 0
}

func validJSONName(s string) bool {
	for _, c := range s {
		if !strings.ContainsRune("!#$%&()*+-./:;<=>?@[]^_{|}~ ", c) && !unicode.IsLetter(c) && !unicode.IsDigit(c) {
			return false
		}
	}
	return s != ""
}

// dominant drops the fields that others hide, and orders the rest as they stand in the struct.
func dominant(all []jsonField) []jsonField {
	byName := map[string][]jsonField{}
	for _, f := range all {
		byName[f.name] = append(byName[f.name], f)
	}
	var out []jsonField
	for _, group := range byName {
		slices.SortStableFunc(group, func(a, b jsonField) int {
			if d := len(a.path) - len(b.path); d != 0 {
				return d
			}
			switch {
			case a.tagged == b.tagged:
				return 0
			case a.tagged:
				return -1
			}
			return 1
		})
		if len(group) > 1 && len(group[0].path) == len(group[1].path) && group[0].tagged == group[1].tagged {
			continue
		}
		out = append(out, group[0])
	}
	slices.SortFunc(out, func(a, b jsonField) int { return slices.Compare(a.path, b.path) })
	return out
}

// fieldNamed finds the field for a key: by its exact name, else without regard to case.
func (r *Runtime) fieldNamed(t *types.Struct, key string) (jsonField, bool) {
	fields := r.jsonFields(t)
	for _, f := range fields {
		if f.name == key {
			return f, true
		}
	}
	for _, f := range fields {
		if strings.EqualFold(f.name, key) {
			return f, true
		}
	}
	return jsonField{}, false
}
