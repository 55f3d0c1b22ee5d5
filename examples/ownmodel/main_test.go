package main

import (
	"bytes"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/runner"
)

func TestItRunsWithoutAKey(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, run(t.Context(), &out, localModel{}, runner.WithDataDir(t.TempDir())))
	require.Equal(t, "completed true\n", out.String())
}

func TestTheModelsOwnErrorIsReached(t *testing.T) {
	var out bytes.Buffer
	own := errors.New("out of memory")
	err := run(t.Context(), &out, localModel{fail: own}, runner.WithDataDir(t.TempDir()))
	require.ErrorIs(t, err, own)
	require.ErrorContains(t, err, "rlm resume")
}
