package trajectory_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/runner/trajectory"
)

func TestAResultOfAnUnknownFormIsReadAsFarAsItIsUnderstood(t *testing.T) {
	for _, test := range []struct {
		result, value string
		fails         bool
	}{
		{`{"cell":3,"value":"x","later":{"a":1}}`, "x", false},
		{`{"cell":3,"value":"x","changed":"another form","duration":"1s"}`, "x", true},
		{`{"value":"x`, "", true},
		{`[]`, "", true},
		{``, "", true},
	} {
		res, err := trajectory.CellEnded{Cell: 3, Result: []byte(test.result)}.Decode()
		require.Equal(t, test.value, res.Value, test.result)
		if require.Equal(t, test.fails, err != nil, test.result); err != nil {
			require.ErrorContains(t, err, "cell 3")
		}
	}
}
