package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// withoutExact makes the linker leave out the exact engine, as the build tag rlm_without_exact does. What is compiled
// stays the same.
const withoutExact = "-X=github.com/gorlm/rlm/repl/internal/engine/exact/rtype.leftOut=yes"

// A program without the exact engine simulates another Go release or processor: a notebook works in yaegi alone,
// with one notice. With RLM_LONG the tests of all examples pass with a build that has the tag for it.
func TestYaegiAlone(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no go command: the program cannot be built")
	}
	bin := filepath.Join(t.TempDir(), "rlm.exe")
	out, err := exec.Command(
		"go", "build", "-ldflags=-s -w "+withoutExact, "-o", bin, ".").CombinedOutput()
	require.NoError(t, err, string(out))
	rlm := func(stdin string, args ...string) (string, error) {
		cmd := exec.Command(bin, args...)
		cmd.Stdin, cmd.Env = strings.NewReader(stdin), append(os.Environ(), "RLM_DATA_DIR="+t.TempDir())
		out, err := cmd.CombinedOutput()
		return string(out), err
	}

	text, err := rlm("", "demo", "oolong")
	require.NoError(t, err, text)
	require.Contains(t, text, "completed by FINAL")
	require.Equal(t, 1, strings.Count(
		text, "cells run only in yaegi, because the exact engine is left out of this build"), text)

	text, err = rlm("fmt.Println(len(strings.Fields(\"a b\")))", "exec")
	require.NoError(t, err, text)
	require.Contains(t, text, "2")
	text, err = rlm("c := make(chan int, 1)\nc <- 1", "exec")
	require.Error(t, err)
	require.Contains(t, text, "this notebook cannot run goroutines and channels")
	require.NotContains(t, text, "--engine", "there is no other one")
	text, err = rlm("1 + 1", "exec", "--engine", "exact")
	require.Error(t, err)
	require.Contains(t, text, "the exact engine is left out of this build: use one of [auto yaegi]")

	t.Run("examples", func(t *testing.T) {
		if os.Getenv("RLM_LONG") == "" {
			t.Skip("SKIP TestYaegiAlone/examples: they take a minute to build; RLM_LONG=1 runs them")
		}
		test := exec.Command("go", "test", "-tags", "rlm_without_exact", "-count=1", "../../examples/...",
			"../../internal/demo/...")
		out, err := test.CombinedOutput()
		require.NoError(t, err, string(out))
	})
}
