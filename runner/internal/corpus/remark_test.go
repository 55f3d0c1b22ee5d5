package corpus

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestRemarksAreKeptOneByOne: remarks stay separate, whatever their text, even through a log.
func TestRemarksAreKeptOneByOne(t *testing.T) {
	for _, remarks := range [][]string{nil, {"a"}, {"a", "b"}, {"a; b"}, {"a", "b; c", "d"}, {"; "}} {
		var d, back Document
		for _, r := range remarks {
			d.remark(r, "")
		}
		line, err := json.Marshal(d)
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(line, &back))
		require.Equal(t, remarks, back.Notes(), "%s", line)
	}
	var old Document
	require.NoError(t, json.Unmarshal(
		[]byte(`{"name": "a", "note": "one; two", "replaced": 2, "encoding": "utf-16le"}`), &old))
	require.Equal(t, []string{"one", "two", "2 characters could not be decoded from utf-16le"}, old.Notes())
}
