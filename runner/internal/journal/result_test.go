package journal

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/repl"
	"github.com/gorlm/rlm/runner/trajectory"
)

// A field that repl adds to its results must exist in the log's form too, or readers of the log lose it.
func TestTheLogHasTheFormOfAResult(t *testing.T) {
	var want repl.Result
	fill(t, reflect.ValueOf(&want).Elem())
	text, err := json.Marshal(want)
	require.NoError(t, err)

	read, err := trajectory.CellEnded{Result: text}.Decode()
	require.NoError(t, err)
	again, err := json.Marshal(read)
	require.NoError(t, err)
	require.JSONEq(t, string(text), string(again))

	back, err := Result(trajectory.CellEnded{Result: again})
	require.NoError(t, err)
	require.Equal(t, want, back)
}

// fill sets each field of a value to a nonzero value.
func fill(t *testing.T, v reflect.Value) {
	t.Helper()
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(t, v.Elem())
	case reflect.Struct:
		for field, f := range v.Fields() {
			if field.Tag.Get("json") != "-" { // fields without a JSON form stay in the worker
				fill(t, f)
			}
		}
	case reflect.Slice:
		if v.Type() == reflect.TypeFor[json.RawMessage]() {
			v.SetBytes([]byte("1"))
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(t, v.Index(0))
	case reflect.Map:
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fill(t, key)
		fill(t, value)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, value)
	case reflect.String:
		v.SetString(v.Type().Name())
	case reflect.Int, reflect.Int64:
		v.SetInt(7)
	case reflect.Uint64:
		v.SetUint(7)
	case reflect.Bool:
		v.SetBool(true)
	default:
		require.Fail(t, "a part of an unknown kind", "%s", v.Type())
	}
}
