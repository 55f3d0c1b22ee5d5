package answer

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestReady(t *testing.T) {
	for _, yes := range []any{true, "true", "True", " yes ", "YES", "1", 1, int64(2), 1.0, json.Number("1")} {
		ready, err := Ready(yes)
		require.NoError(t, err, yes)
		require.True(t, ready, yes)
	}
	for _, no := range []any{nil, false, "false", "No", "", "0", 0, 0.0, json.Number("0")} {
		ready, err := Ready(no)
		require.NoError(t, err, no)
		require.False(t, ready, no)
	}
	for _, neither := range []any{"complete", "true!", []bool{true}, map[string]any{}, struct{}{}} {
		ready, err := Ready(neither)
		require.Error(t, err, neither)
		require.False(t, ready, neither)
	}
}
