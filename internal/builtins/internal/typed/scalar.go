package typed

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/constant"
	"go/types"
	"math"
	"reflect"
	"strconv"
	"strings"
	"time"
)

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

// whole writes 3.0 and 1e3 as 3 and 1000, so that they count as whole numbers.
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

// mismatch describes what a field should be and what the reply has there.
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
