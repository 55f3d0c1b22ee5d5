package schema

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"time"

	"github.com/gorlm/rlm/runner/internal/gotype"
)

// Decode decodes an answer that fits the schema of a Go type into a value of the type. Durations in the answer are
// text.
func Decode(answer string, into reflect.Value) error {
	tree, err := decode(answer)
	if err != nil {
		return err
	}
	reader := gotype.Reader{Reads: true}
	of, err := reader.Read(into.Type(), "")
	if err != nil {
		return inAnswer(err)
	}
	if tree, err = numbered(tree, of, ""); err != nil {
		return err
	}
	if err := json.Unmarshal([]byte(compact(tree)), into.Addr().Interface()); err != nil {
		return fmt.Errorf("the answer does not fit %s: %w", into.Type(), err)
	}
	return nil
}

// numbered converts durations to nanoseconds, which encoding/json reads.
func numbered(v any, t *gotype.Type, path string) (_ any, err error) {
	switch t.Form {
	case gotype.Span:
		text, ok := v.(string)
		if !ok {
			return v, nil
		}
		d, err := time.ParseDuration(text)
		if err != nil {
			return nil, mismatch(path, "a duration such as 1h30m", v)
		}
		return json.Number(strconv.FormatInt(int64(d), 10)), nil
	case gotype.Nullable:
		return numbered(v, t.Elem, path)
	case gotype.List:
		list, _ := v.([]any)
		for i := range list {
			if list[i], err = numbered(list[i], t.Elem, fmt.Sprintf("%s[%d]", path, i)); err != nil {
				return nil, err
			}
		}
	case gotype.Map:
		o, _ := v.(object)
		for i := range o {
			if o[i].Value, err = numbered(o[i].Value, t.Elem, join(path, o[i].Name)); err != nil {
				return nil, err
			}
		}
	case gotype.Struct:
		o, _ := v.(object)
		for _, f := range t.Fields {
			for i := range o {
				if o[i].Name != f.Name || f.Quoted {
					continue
				}
				if o[i].Value, err = numbered(o[i].Value, f.Of, join(path, f.Name)); err != nil {
					return nil, err
				}
			}
		}
	}
	return v, nil
}
