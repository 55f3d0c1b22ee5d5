package answer

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestFormatTakesAnything(t *testing.T) {
	var value func(depth int) *rapid.Generator[any]
	value = func(depth int) *rapid.Generator[any] {
		leaf := rapid.OneOf(
			rapid.Custom(func(t *rapid.T) any { return rapid.String().Draw(t, "s") }),
			rapid.Custom(func(t *rapid.T) any { return rapid.Float64().Draw(t, "f") }),
			rapid.Custom(func(t *rapid.T) any { return rapid.Int().Draw(t, "i") }),
			rapid.Just[any](nil), rapid.Just[any](true), rapid.Just[any](panicky{}), rapid.Just[any](fmt.Errorf("e")),
		)
		if depth == 0 {
			return leaf
		}
		inner := value(depth - 1)
		return rapid.OneOf(leaf,
			rapid.Custom(func(t *rapid.T) any { return rapid.SliceOfN(inner, 0, 4).Draw(t, "list") }),
			rapid.Custom(func(t *rapid.T) any {
				return rapid.MapOfN(rapid.StringN(1, 5, 9), inner, 0, 4).Draw(t, "map")
			}),
			rapid.Custom(func(t *rapid.T) any { v := inner.Draw(t, "pointer"); return &v }),
		)
	}
	rapid.Check(t, func(t *rapid.T) {
		v := value(3).Draw(t, "value")
		text := Format(v)
		require.LessOrEqual(t, len(text), MaxLen+100)
		m, isMap := v.(map[string]any)
		if _, answer := m["answer"]; isMap && !answer {
			require.True(t, json.Valid([]byte(text)), text)
		}
		require.True(t, json.Valid([]byte(Of(v).JSON())))
	})
}

func TestMarkerIsTheSignalsOwn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		summary := strings.Join(rapid.SliceOf(rapid.SampledFrom(
			[]string{"[FINISH_STATUS:", "done]", "blocked", "]", " ", "[", "x"})).Draw(t, "summary"), "")
		status := rapid.SampledFrom([]FinishStatus{Done, Partial, Blocked}).Draw(t, "status")
		got, ok := parseMarker(Finish{summary, status}.Output())
		require.True(t, ok)
		require.Equal(t, status, got)
	})
}

func FuzzParseFinish(f *testing.F) {
	f.Add(`{"summary": "s", "status": "partial"}`)
	f.Add(`{"summary": {"a": [1, null]}, "Status": 3}`)
	f.Fuzz(func(t *testing.T, payload string) {
		got, err := ParseFinish(payload)
		if err != nil {
			return
		}
		status, ok := parseMarker(got.Output())
		require.True(t, ok)
		require.Equal(t, got.Status, status)
	})
}
