package main

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/runner"
)

func TestItRunsWithoutAKey(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, run(t.Context(), &out, runner.WithDataDir(t.TempDir())))
	require.Contains(t, out.String(), "words := strings.Fields(context)", "the reply is shown as it arrives")
	require.Contains(t, out.String(), "Answer: 7\n")
	require.Contains(t, out.String(), "Answer: THE\n")
}
