package check

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/repl/internal/cell"
	"github.com/gorlm/rlm/repl/internal/stdlib"
)

func newTestSession(t testing.TB) *Session {
	t.Helper()
	im, err := stdlib.NewImporter()
	require.NoError(t, err)
	text, step := "some text", 0
	s, _, err := NewSession(im, []Builtin{
		{Name: "FINAL", Type: reflect.TypeFor[func(any, any)](), Skip: 1, Sited: true, Signal: true},
		{
			Name: "FINAL_VAR", Type: reflect.TypeFor[func(any, string)](), Skip: 1, Sited: true, Signal: true,
			ByName: true,
		},
		{Name: "lines", Type: reflect.TypeFor[func(string, ...int) []string]()},
		{Name: "show" + cell.Mark, Type: reflect.TypeFor[func(any, ...any)](), Skip: 1, Sited: true},
	}, map[string]any{"context": &text, StepName: &step})
	require.NoError(t, err)
	return s
}
