package value_test

import (
	"go/types"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/repl/internal/value"
)

// TestAPreviewCostsWhatItShows checks that a preview's cost does not depend on the size of texts and bytes in
// the value.
func TestAPreviewCostsWhatItShows(t *testing.T) {
	data, text := make([]byte, 8<<20), strings.Repeat("é", 4<<20)
	bytes, list := types.NewSlice(types.Typ[types.Byte]), types.NewSlice(types.NewSlice(types.Typ[types.Byte]))
	for name, c := range map[string]struct {
		v     any
		typ   types.Type
		small any // a small value with the same beginning
	}{
		"bytes":         {data, bytes, data[:4000]},
		"text in bytes": {[]byte(text), bytes, []byte(text[:4000])},
		"list of bytes": {[][]byte{data, data}, list, [][]byte{data[:4000], data}},
		"text":          {text, types.Typ[types.String], text[:4000]},
		"text in a map": {
			map[string]string{"a": text},
			types.NewMap(types.Typ[types.String], types.Typ[types.String]),
			map[string]string{"a": text[:4000]},
		},
		"text in a list": {[]string{text}, types.NewSlice(types.Typ[types.String]), []string{text[:4000]}},
	} {
		shown := value.Reader{}.Preview(c.v, c.typ)
		require.Equal(t, value.Reader{}.Preview(c.small, c.typ), shown, name)
		require.True(t, strings.Contains(shown, "…"), "%s: %s", name, shown)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_ = value.Reader{}.Preview(c.v, c.typ)
		runtime.ReadMemStats(&after)
		require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(256<<10), name)
	}
}
