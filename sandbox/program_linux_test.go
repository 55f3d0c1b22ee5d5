package sandbox_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/testing/guest"
	"github.com/gorlm/rlm/sandbox"
)

// whatInitDoes maps the behaviour of a program's init function to words of the session's error; nil means that the
// session works.
var whatInitDoes = map[string][]string{
	"sockets": nil, "timer": nil, "processes": nil, "files": nil, "output": nil,
	"waits":  {"an init function waits in github.com/gorlm/rlm/internal/testing/guest.", "begin such things in main"},
	"sleeps": {"an init function waits in github.com/gorlm/rlm/internal/testing/guest."},
	"exits":  {"ended before it was ready (no configuration, exit status 3)", "must not exit"},
	"panics": {"ended before it was ready in github.com/gorlm/rlm/internal/testing/guest.", "no configuration"},
	// These may end the worker before or after it is ready.
	"gives up": {"exit status 4", "operation not permitted"},
	"crashes": {
		" in github.com/gorlm/rlm/internal/testing/guest.", "operation not permitted",
		"begin such things in main",
	},
}

// A worker runs the same program. What its packages do in init functions does not affect cells, or is a clear
// error that is not blamed on a cell.
func TestInitFunctionsOfTheProgram(t *testing.T) {
	t.Parallel()
	if raceBuild {
		t.Skip("SKIPPED: a worker with the race detector is not locked in")
	}
	if program, ok := strings.CutPrefix(filepath.Base(os.Args[0]), guest.Prefix); ok {
		embedded(t, whatInitDoes[program])
		return
	}
	require.Len(t, whatInitDoes, len(guest.All))
	dir := t.TempDir()
	for what := range guest.All {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			program := filepath.Join(dir, guest.Prefix+what)
			copyProgram(t, program)
			out, err := exec.CommandContext(
				t.Context(), program, "-test.run=^TestInitFunctionsOfTheProgram$", "-test.v").CombinedOutput()
			require.NoError(t, err, string(out))
			require.Contains(t, string(out), "--- PASS", string(out))
		})
	}
}

// embedded runs a cell in a program whose init function misbehaves, and expects an error with these words, or none
// if words is nil.
func embedded(t *testing.T, words []string) {
	s, err := sandbox.New(t.Context(), sandbox.Config{Level: sandbox.Standard})
	var res sandbox.Result
	if err == nil {
		defer func() { require.NoError(t, s.Close()) }()
		source := "time.Sleep(200 * time.Millisecond)"
		if words != nil {
			source = "time.Sleep(time.Minute)"
		}
		res, err = s.Run(t.Context(), sandbox.Cell{Source: source})
	}
	if words == nil {
		require.NoError(t, err)
		require.Nil(t, res.Error)
		return
	}
	require.Error(t, err)
	for _, w := range words {
		require.ErrorContains(t, err, w)
	}
}

// copyProgram copies this program to another name.
func copyProgram(t *testing.T, name string) {
	t.Helper()
	exe, err := os.Executable()
	require.NoError(t, err)
	// cp writes the copy, because a file that this process has open for writing could not be executed.
	out, err := exec.CommandContext(t.Context(), "cp", exe, name).CombinedOutput()
	require.NoError(t, err, string(out))
}
