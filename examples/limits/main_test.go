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
	require.Equal(t, "stopped after 3 turns (the third draft is good enough): draft 3\n", out.String())
}
