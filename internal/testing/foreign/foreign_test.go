package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// broken has a type error in a file for darwin, and something that vet reports in one for Windows.
const broken = "testdata/broken"

func TestWhatDoesNotCompileElsewhereIsFound(t *testing.T) {
	require.ErrorContains(t, check(broken, "darwin/arm64"), `broken_darwin.go:3:18: cannot use "one"`)
}

func TestVetLooksAtFilesForOtherSystems(t *testing.T) {
	require.ErrorContains(t, check(broken, "windows/amd64"), "broken_windows.go:6:28: fmt.Printf format %d has arg")
}

func TestWhatIsRightElsewherePasses(t *testing.T) {
	require.NoError(t, check(broken, "linux/arm64"))
}

func TestWhatIsNoSystemIsRefused(t *testing.T) {
	require.ErrorContains(t, check(broken, "windows"), "write OS/ARCH")
}
