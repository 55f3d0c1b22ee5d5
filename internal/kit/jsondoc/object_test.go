package jsondoc

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestObjectsKeepTheirOrder(t *testing.T) {
	o := Object{
		{"z", 1},
		{"a <b>", []any{Object{{"y", nil}, {"x", "&"}}, 2.5, map[string]int{"k": 1}}},
		{"m", Object{}},
	}
	text, err := Compact(o)
	require.NoError(t, err)
	require.Equal(t, `{"z":1,"a <b>":[{"y":null,"x":"&"},2.5,{"k":1}],"m":{}}`, text)
	escaped, err := json.Marshal(o)
	require.NoError(t, err)
	require.Equal(t, `{"z":1,"a \u003cb\u003e":[{"y":null,"x":"\u0026"},2.5,{"k":1}],"m":{}}`, string(escaped),
		"who encodes it decides what is escaped")

	v, ok := o.Get("z")
	require.True(t, ok)
	require.Equal(t, 1, v)
	_, ok = o.Get("none")
	require.False(t, ok)
	less := o.Without("z")
	require.Len(t, less, 2)
	require.Len(t, o, 3)
	require.Equal(t, "z", o[0].Name, "the object stays as it is")
}

func TestValuesThatJSONCannotCarryAreErrors(t *testing.T) {
	_, err := Compact(Object{{"n", []any{math.NaN()}}})
	require.ErrorContains(t, err, "NaN")
	_, err = json.Marshal(Object{{"f", func() {}}})
	require.Error(t, err)
}
