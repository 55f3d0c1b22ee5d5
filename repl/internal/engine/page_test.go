package engine_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/repl/internal/engine/enginetest"
)

// The README has the tables about the engines that package enginetest generates.
func TestPageHasTheTableOfEngines(t *testing.T) {
	page, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	require.Contains(t, string(page), enginetest.Table(t, "yaegi", "exact"))
	require.Contains(t, string(page), enginetest.Reasons(t, "yaegi"))
}
