package typed

import (
	"bytes"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"go/constant"
	"go/types"
	"io"
	"math"
	"reflect"
	"sort"
	"strconv"
	"strings"
	"time"
)

// Decode fills target, a settable value of static type t, from a model's reply. The JSON may stand in a
// fenced block or between prose. Every error names the field and what was expected; target is only changed when
// the whole reply fits.
func Decode(reply string, t types.Type, target reflect.Value) error {
	tree, err := parse(reply)
	if err != nil {
		return err
	}
	if !isObject(t) {
		if m, ok := tree.(map[string]any); ok && len(m) == 1 {
			if inner, ok := m[wrapper]; ok {
				tree = inner
			}
		}
	}
	fresh := reflect.New(target.Type()).Elem()
	if err := fill(tree, t, fresh, ""); err != nil {
		return err
	}
	target.Set(fresh)
	return nil
}

// parse finds the JSON value in a reply: the whole of it, a fenced block, or the one object or list between prose.
func parse(reply string) (any, error) {
	text := strings.TrimSpace(reply)
	if text == "" {
		return nil, errors.New("the reply is empty")
	}
	tree, err := parseAll(text)
	if err == nil {
		return tree, nil
	}
	for _, candidate := range candidates(text) {
		if tree, err := parseAll(candidate); err == nil {
			return tree, nil
		}
	}
	return nil, fmt.Errorf("the reply is not JSON: %w", err)
}

func parseAll(text string) (any, error) {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var tree any
	if err := d.Decode(&tree); err != nil {
		if errors.Is(err, io.ErrUnexpectedEOF) {
			return nil, errors.New("it ends in the middle of a value")
		}
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("text follows after the value")
	}
	return tree, nil
}

// candidates are the parts of a reply that may be the value: fenced blocks, last first, then from the first
// bracket to the last.
func candidates(text string) []string {
	var out []string
	parts := strings.Split(text, "```")
	for i := len(parts) - 1 - len(parts)%2; i > 0; i -= 2 {
		_, block, _ := strings.Cut(parts[i], "\n")
		out = append(out, block)
	}
	for _, pair := range []string{"{}", "[]"} {
		from, to := strings.IndexByte(text, pair[0]), strings.LastIndexByte(text, pair[1])
		if from >= 0 && to > from {
			out = append(out, text[from:to+1])
		}
	}
	return out
}

// fill sets v, of static type t, from a decoded JSON value.
func fill(tree any, t types.Type, v reflect.Value, path string) error {
	if special(t) == "time.Time" {
		return fillTime(tree, v, path)
	}
	if special(t) == "time.Duration" {
		return fillDuration(tree, v, path)
	}
	if special(t) == "encoding/json.Number" {
		n, ok := tree.(json.Number)
		if !ok {
			return mismatch(path, "a number", tree)
		}
		return setString(v, string(n), path)
	}
	if special(t) != "" || decodesItself(t) {
		return fillItself(tree, v, path)
	}
	if cs := choices(t); cs != nil {
		return fillChoice(tree, cs, v, path)
	}
	switch u := types.Unalias(t).Underlying().(type) {
	case *types.Basic:
		return fillBasic(tree, u, v, path)
	case *types.Pointer:
		return fillPointer(tree, u, v, path)
	case *types.Slice:
		return fillSlice(tree, u.Elem(), v, path)
	case *types.Array:
		return fillArray(tree, u, v, path)
	case *types.Map:
		return fillMap(tree, u, v, path)
	case *types.Struct:
		return fillStruct(tree, u, v, path)
	case *types.Interface:
		return set(v, reflect.ValueOf(untyped(tree)), path)
	}
	return unsupported(path, t, "JSON has no such value")
}

// fillItself lets a compiled type read its own JSON or text.
func fillItself(tree any, v reflect.Value, path string) error {
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

func fillTime(tree any, v reflect.Value, path string) error {
	s, ok := tree.(string)
	if !ok {
		return mismatch(path, "a date and time in RFC 3339, such as 2024-05-31T14:00:00Z", tree)
	}
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02"} {
		if when, err := time.Parse(layout, s); err == nil {
			return set(v, reflect.ValueOf(when), path)
		}
	}
	return mismatch(path, "a date and time in RFC 3339, such as 2024-05-31T14:00:00Z", tree)
}

func fillDuration(tree any, v reflect.Value, path string) error {
	s, ok := tree.(string)
	if !ok {
		return mismatch(path, "a duration such as 1h30m", tree)
	}
	d, err := time.ParseDuration(s)
	if err != nil {
		return mismatch(path, "a duration such as 1h30m", tree)
	}
	return set(v, reflect.ValueOf(d), path)
}

func fillChoice(tree any, cs []choice, v reflect.Value, path string) error {
	want := "one of " + strings.Join(quoted(texts(cs)), ", ")
	s, ok := tree.(string)
	if !ok {
		return mismatch(path, want, tree)
	}
	for _, c := range cs {
		if c.text != s {
			continue
		}
		if c.value.Kind() == constant.String {
			return setString(v, s, path)
		}
		n, _ := constant.Int64Val(c.value)
		return setInt(v, strconv.FormatInt(n, 10), path)
	}
	return mismatch(path, want, tree)
}

func fillBasic(tree any, u *types.Basic, v reflect.Value, path string) error {
	switch info := u.Info(); {
	case info&types.IsBoolean != 0:
		b, ok := tree.(bool)
		if !ok {
			return mismatch(path, "true or false", tree)
		}
		if v.Kind() != reflect.Bool {
			return set(v, reflect.ValueOf(b), path)
		}
		v.SetBool(b)
		return nil
	case info&types.IsInteger != 0:
		n, ok := tree.(json.Number)
		if !ok {
			return mismatch(path, "a whole number", tree)
		}
		return setInt(v, whole(string(n)), path)
	case info&types.IsFloat != 0:
		n, ok := tree.(json.Number)
		if !ok {
			return mismatch(path, "a number", tree)
		}
		return setFloat(v, n, path)
	case info&types.IsString != 0:
		s, ok := tree.(string)
		if !ok {
			return mismatch(path, "text", tree)
		}
		return setString(v, s, path)
	}
	return unsupported(path, u, "JSON has no such value")
}

func fillPointer(tree any, u *types.Pointer, v reflect.Value, path string) error {
	if tree == nil {
		return nil
	}
	if v.Kind() != reflect.Pointer {
		return at(path, errors.New("the notebook cannot fill a pointer to this type; use the type itself"))
	}
	v.Set(reflect.New(v.Type().Elem()))
	return fill(tree, u.Elem(), v.Elem(), path)
}

func fillSlice(tree any, elem types.Type, v reflect.Value, path string) error {
	list, ok := tree.([]any)
	if !ok {
		return mismatch(path, "a list", tree)
	}
	if v.Kind() != reflect.Slice {
		return at(path, errors.New("the notebook cannot fill a list of this type"))
	}
	v.Set(reflect.MakeSlice(v.Type(), len(list), len(list)))
	for i, item := range list {
		if err := fill(item, elem, v.Index(i), fmt.Sprintf("%s[%d]", path, i)); err != nil {
			return err
		}
	}
	return nil
}

func fillArray(tree any, u *types.Array, v reflect.Value, path string) error {
	list, ok := tree.([]any)
	if !ok || int64(len(list)) != u.Len() {
		return mismatch(path, fmt.Sprintf("a list of exactly %d values", u.Len()), tree)
	}
	for i, item := range list {
		if err := fill(item, u.Elem(), v.Index(i), fmt.Sprintf("%s[%d]", path, i)); err != nil {
			return err
		}
	}
	return nil
}

func fillMap(tree any, u *types.Map, v reflect.Value, path string) error {
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
		if err := fill(keyTree, u.Key(), key, where); err != nil {
			return err
		}
		if err := fill(members[name], u.Elem(), value, where); err != nil {
			return err
		}
		v.SetMapIndex(key, value)
	}
	return nil
}

func fillStruct(tree any, u *types.Struct, v reflect.Value, path string) error {
	members, ok := tree.(map[string]any)
	if !ok {
		return mismatch(path, "an object", tree)
	}
	if v.Kind() != reflect.Struct {
		return at(path, errors.New("the notebook cannot fill a struct of this type"))
	}
	known := map[string]bool{}
	absent := ""
	for _, f := range fields(u) {
		where := join(path, f.name)
		value, found := members[f.name]
		known[f.name] = true
		switch {
		case !found && !f.optional:
			return missing(where, f.name, members)
		case !found:
			absent = where
		case value == nil && f.optional:
		case f.quoted:
			if err := fillQuoted(value, f.typ, v.FieldByIndex(f.index), where); err != nil {
				return err
			}
		default:
			if err := fill(value, f.typ, v.FieldByIndex(f.index), where); err != nil {
				return err
			}
		}
	}
	for _, name := range sortedKeys(members) {
		if !known[name] && absent != "" {
			// A property nobody asked for is harmless, unless it may be a misspelt optional one.
			return fmt.Errorf("field %s is unknown, and %s is missing (null says that there is none)", join(path, name), absent)
		}
	}
	return nil
}

// fillQuoted reads a value that the tag ",string" puts into quotes.
func fillQuoted(tree any, t types.Type, v reflect.Value, path string) error {
	if s, ok := tree.(string); ok {
		if b, isBasic := t.Underlying().(*types.Basic); isBasic && b.Info()&types.IsString == 0 {
			inner, err := parseAll(s)
			if err != nil {
				return mismatch(path, "a quoted value", tree)
			}
			tree = inner
		}
	}
	return fill(tree, t, v, path)
}

// missing names an absent field, and the property that may have been meant.
func missing(where, name string, members map[string]any) error {
	for _, have := range sortedKeys(members) {
		if strings.EqualFold(strings.NewReplacer("_", "", "-", "", " ", "").Replace(have), strings.NewReplacer("_", "", "-", "").Replace(name)) {
			return fmt.Errorf("field %s is missing (the reply has %q; the name must be exact)", where, have)
		}
	}
	return fmt.Errorf("field %s is missing", where)
}

// untyped is a JSON value as encoding/json gives it for any, except that a whole number beyond 2^53 stays a
// json.Number, because a float64 would change it.
func untyped(tree any) any {
	switch x := tree.(type) {
	case json.Number:
		f, err := x.Float64()
		if err != nil || !strings.ContainsAny(string(x), ".eE") && math.Abs(f) > 1<<53 {
			return x
		}
		return f
	case []any:
		out := make([]any, len(x))
		for i := range x {
			out[i] = untyped(x[i])
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(x))
		for k := range x {
			out[k] = untyped(x[k])
		}
		return out
	}
	return tree
}

// whole writes 3.0 and 1e3 as 3 and 1000, so that they count as the whole numbers they are.
func whole(n string) string {
	if !strings.ContainsAny(n, ".eE") {
		return n
	}
	f, err := strconv.ParseFloat(n, 64)
	if err != nil || f != math.Trunc(f) || math.Abs(f) > 1<<53 {
		return n
	}
	return strconv.FormatFloat(f, 'f', -1, 64)
}

func setInt(v reflect.Value, n, path string) error {
	switch {
	case v.CanInt():
		i, err := strconv.ParseInt(n, 10, 64)
		if err != nil || v.OverflowInt(i) {
			return mismatch(path, "a whole number that fits into "+v.Kind().String(), json.Number(n))
		}
		v.SetInt(i)
		return nil
	case v.CanUint():
		i, err := strconv.ParseUint(n, 10, 64)
		if err != nil || v.OverflowUint(i) {
			return mismatch(path, "a whole number that fits into "+v.Kind().String(), json.Number(n))
		}
		v.SetUint(i)
		return nil
	}
	return at(path, errors.New("the notebook cannot fill a number of this type"))
}

func setFloat(v reflect.Value, n json.Number, path string) error {
	f, err := n.Float64()
	if err != nil || !v.CanFloat() || v.OverflowFloat(f) {
		return mismatch(path, "a number that fits into "+v.Kind().String(), n)
	}
	v.SetFloat(f)
	return nil
}

func setString(v reflect.Value, s, path string) error {
	if v.Kind() != reflect.String {
		return set(v, reflect.ValueOf(s), path)
	}
	v.SetString(s)
	return nil
}

func set(v, to reflect.Value, path string) error {
	if !to.IsValid() {
		v.SetZero()
		return nil
	}
	if !to.Type().AssignableTo(v.Type()) {
		return at(path, errors.New("the notebook cannot fill a value of this type"))
	}
	v.Set(to)
	return nil
}

// mismatch says what a field should be and what the reply has there.
func mismatch(path, want string, got any) error {
	raw, err := json.Marshal(got)
	shown := string(bytes.TrimSpace(raw))
	if err != nil {
		shown = fmt.Sprint(got)
	}
	if len(shown) > 80 {
		shown = strings.ToValidUTF8(shown[:80], "") + "…"
	}
	if path == "" {
		return fmt.Errorf("the reply should be %s, and is %s", want, shown)
	}
	return fmt.Errorf("field %s should be %s, and is %s", path, want, shown)
}

func at(path string, err error) error {
	switch {
	case err == nil:
		return nil
	case path == "":
		return fmt.Errorf("the reply: %w", err)
	}
	return fmt.Errorf("field %s: %w", path, err)
}

func quoted(all []string) []string {
	out := make([]string, len(all))
	for i, s := range all {
		out[i] = strconv.Quote(s)
	}
	return out
}

func sortedKeys(m map[string]any) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}
