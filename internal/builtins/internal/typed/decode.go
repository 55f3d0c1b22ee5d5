package typed

import (
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"go/types"
	"reflect"
	"sort"
	"strings"

	"github.com/gorlm/rlm/internal/kit/units"
)

// Decode fills target, a settable value of static type t, from a model's reply. The JSON may be in a fenced block
// or surrounded by prose. Every error names the field and what was expected; target changes only if the whole
// reply fits. quote, if not nil, receives the quotes in the reply and may reject them.
func Decode(reply string, t types.Type, target reflect.Value, quote Quote) error {
	tree, err := parse(reply)
	if err != nil {
		return fmt.Errorf("the reply is %w", err)
	}
	if !isObject(t) {
		if m, ok := tree.(map[string]any); ok && len(m) == 1 {
			if inner, ok := m[wrapper]; ok {
				tree = inner
			}
		}
	}
	return filler{quote: quote}.replace(tree, t, target)
}

// Unmarshal fills target, a settable value of static type t, from JSON that a Go program wrote: missing and null
// values become zero, and durations and constants are numbers.
func Unmarshal(data []byte, t types.Type, target reflect.Value) error {
	tree, err := parseAll(string(data))
	if err != nil {
		return err
	}
	return filler{plain: true}.replace(tree, t, target)
}

// filler sets values from decoded JSON.
type filler struct {
	plain bool // like encoding/json, without the checks for a model's reply
	quote Quote
}

// replace sets target only if the whole value fits.
func (f filler) replace(tree any, t types.Type, target reflect.Value) error {
	fresh := reflect.New(target.Type()).Elem()
	if err := f.fill(tree, t, fresh, ""); err != nil {
		return err
	}
	target.Set(fresh)
	return nil
}

// fill sets v, of static type t, from a decoded JSON value.
func (f filler) fill(tree any, t types.Type, v reflect.Value, path string) error {
	if f.plain && tree == nil {
		return nil
	}
	if done, err := f.fillSpecial(tree, t, v, path); done {
		return err
	}
	if cs := choices(t); cs != nil && !f.plain {
		return fillChoice(tree, cs, v, path)
	}
	switch u := types.Unalias(t).Underlying().(type) {
	case *types.Basic:
		return fillBasic(tree, u, v, path)
	case *types.Pointer:
		return f.fillPointer(tree, u, v, path)
	case *types.Slice:
		return f.fillSlice(tree, u.Elem(), v, path)
	case *types.Array:
		return f.fillArray(tree, u, v, path)
	case *types.Map:
		return f.fillMap(tree, u, v, path)
	case *types.Struct:
		return f.fillStruct(tree, u, v, path)
	case *types.Interface:
		return set(v, reflect.ValueOf(untyped(tree)), path)
	}
	return unsupported(path, t, "JSON has no such value")
}

// fillSpecial fills the types with a special JSON form; done is false for all others.
func (f filler) fillSpecial(tree any, t types.Type, v reflect.Value, path string) (done bool, err error) {
	switch kind := special(t); {
	case kind == "time.Time":
		return true, fillTime(tree, v, path)
	case kind == "time.Duration":
		if f.plain {
			return false, nil
		}
		return true, fillDuration(tree, v, path)
	case kind == "encoding/json.Number":
		n, ok := tree.(json.Number)
		if !ok {
			return true, mismatch(path, "a number", tree)
		}
		return true, setString(v, string(n), path)
	case kind != "" || decodesItself(t), f.plain && isBytes(t):
		return true, f.fillItself(tree, v, path)
	}
	return false, nil
}

// fillItself lets a compiled type read its own JSON or text.
func (f filler) fillItself(tree any, v reflect.Value, path string) error {
	raw, err := json.Marshal(tree)
	if err != nil {
		return at(path, err)
	}
	if v.Kind() == reflect.Interface || !v.CanAddr() {
		return at(path, errors.New("the notebook cannot fill a value of this type"))
	}
	if _, ok := v.Addr().Interface().(json.Unmarshaler); !ok {
		if u, isText := v.Addr().Interface().(encoding.TextUnmarshaler); isText {
			s, ok := tree.(string)
			if !ok {
				return mismatch(path, "text", tree)
			}
			return at(path, u.UnmarshalText([]byte(s)))
		}
		if u, isBinary := v.Addr().Interface().(encoding.BinaryUnmarshaler); isBinary {
			s, ok := tree.(string)
			if !ok {
				return mismatch(path, "text", tree)
			}
			return at(path, u.UnmarshalBinary([]byte(s)))
		}
	}
	if tree == nil {
		return mismatch(path, "a value", tree)
	}
	return at(path, json.Unmarshal(raw, v.Addr().Interface()))
}

func (f filler) fillPointer(tree any, u *types.Pointer, v reflect.Value, path string) error {
	if tree == nil {
		return nil
	}
	if v.Kind() != reflect.Pointer {
		return at(path, errors.New("the notebook cannot fill a pointer to this type; use the type itself"))
	}
	v.Set(reflect.New(v.Type().Elem()))
	return f.fill(tree, u.Elem(), v.Elem(), path)
}

func (f filler) fillSlice(tree any, elem types.Type, v reflect.Value, path string) error {
	list, ok := tree.([]any)
	if !ok {
		return mismatch(path, "a list", tree)
	}
	if v.Kind() != reflect.Slice {
		return at(path, errors.New("the notebook cannot fill a list of this type"))
	}
	v.Set(reflect.MakeSlice(v.Type(), len(list), len(list)))
	for i, item := range list {
		if err := f.fill(item, elem, v.Index(i), fmt.Sprintf("%s[%d]", path, i)); err != nil {
			return err
		}
	}
	return nil
}

func (f filler) fillArray(tree any, u *types.Array, v reflect.Value, path string) error {
	list, ok := tree.([]any)
	if !ok || int64(len(list)) != u.Len() {
		return mismatch(path, "a list of exactly "+units.Of(u.Len(), "value"), tree)
	}
	for i, item := range list {
		if err := f.fill(item, u.Elem(), v.Index(i), fmt.Sprintf("%s[%d]", path, i)); err != nil {
			return err
		}
	}
	return nil
}

func (f filler) fillMap(tree any, u *types.Map, v reflect.Value, path string) error {
	members, ok := tree.(map[string]any)
	if !ok {
		return mismatch(path, "an object", tree)
	}
	if v.Kind() != reflect.Map {
		return at(path, errors.New("the notebook cannot fill a map of this type"))
	}
	v.Set(reflect.MakeMapWithSize(v.Type(), len(members)))
	for _, name := range sortedKeys(members) {
		where := join(path, name)
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		var keyTree any = name
		if basic := u.Key().Underlying().(*types.Basic); basic.Info()&types.IsInteger != 0 && choices(u.Key()) == nil {
			keyTree = json.Number(name)
		}
		if err := f.fill(keyTree, u.Key(), key, where); err != nil {
			return err
		}
		if err := f.fill(members[name], u.Elem(), value, where); err != nil {
			return err
		}
		v.SetMapIndex(key, value)
	}
	return nil
}

func (f filler) fillStruct(tree any, u *types.Struct, v reflect.Value, path string) error {
	members, ok := tree.(map[string]any)
	if !ok {
		return mismatch(path, "an object", tree)
	}
	if v.Kind() != reflect.Struct {
		return at(path, errors.New("the notebook cannot fill a struct of this type"))
	}
	known := map[string]bool{}
	absent := ""
	for _, p := range fields(u) {
		where := join(path, p.Name)
		value, found := members[p.Name]
		known[p.Name] = true
		switch {
		case !found && f.plain:
		case !found && !p.optional:
			return missing(where, p.Name, members)
		case !found:
			absent = where
		case value == nil && p.optional:
		default:
			if err := f.fillField(value, p, v, where); err != nil {
				return err
			}
		}
	}
	for _, name := range sortedKeys(members) {
		if !known[name] && absent != "" {
			// An unknown property is harmless, unless it may be a misspelt optional one.
			return fmt.Errorf("field %s is unknown, and %s is missing (null says that there is none)", join(path, name),
				absent)
		}
	}
	return nil
}

// fillField fills a field of a struct, allocating embedded pointers on the way.
func (f filler) fillField(tree any, p field, v reflect.Value, path string) error {
	for i, n := range p.Path {
		if i > 0 && v.Kind() == reflect.Pointer {
			if v.IsNil() && !v.CanSet() {
				return at(path, errors.New(
					"the notebook cannot fill an embedded pointer that is not exported; embed the struct itself"))
			}
			if v.IsNil() {
				v.Set(reflect.New(v.Type().Elem()))
			}
			v = v.Elem()
		}
		if v.Kind() != reflect.Struct {
			return at(path, errors.New("the notebook cannot fill a struct of this type"))
		}
		v = v.Field(n)
	}
	if p.quote && f.quote != nil {
		var err error
		if tree, err = f.replaceQuotes(tree, path); err != nil {
			return err
		}
	}
	if p.enum != nil && !f.plain {
		if err := checkEnum(tree, p.enum, path); err != nil {
			return err
		}
	}
	if p.Quoted {
		return f.fillQuoted(tree, p.Type, v, path)
	}
	return f.fill(tree, p.Type, v, path)
}

// fillQuoted reads a value that the tag ",string" puts into quotes.
func (f filler) fillQuoted(tree any, t types.Type, v reflect.Value, path string) error {
	if s, ok := tree.(string); ok {
		if b, isBasic := t.Underlying().(*types.Basic); isBasic && (f.plain || b.Info()&types.IsString == 0) {
			inner, err := parseAll(s)
			if err != nil {
				return mismatch(path, "a quoted value", tree)
			}
			tree = inner
		}
	}
	return f.fill(tree, t, v, path)
}

// missing names an absent field, and the property that may have been meant.
func missing(where, name string, members map[string]any) error {
	for _, have := range sortedKeys(members) {
		if strings.EqualFold(strings.NewReplacer("_", "", "-", "", " ", "").Replace(have),
			strings.NewReplacer("_", "", "-", "").Replace(name)) {
			return fmt.Errorf("field %s is missing (the reply has %q; the name must be exact)", where, have)
		}
	}
	return fmt.Errorf("field %s is missing", where)
}

func sortedKeys(m map[string]any) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}
