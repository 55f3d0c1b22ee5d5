package random

import (
	"os"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// A seed always makes the same program, and nearly everything that the generator writes type-checks.
func TestPrograms(t *testing.T) {
	thrown := map[string]int{}
	first := map[string]Program{}
	watch = func(text string, p Program) {
		if thrown[text]++; thrown[text] == 1 {
			first[text] = p
		}
	}
	defer func() { watch = nil }()
	steps := 0
	for seed := range int64(60) {
		p, err := New(seed)
		require.NoError(t, err)
		again, err := New(seed)
		require.NoError(t, err)
		require.Equal(t, p, again)
		bad, err := p.wrong()
		require.NoError(t, err)
		require.Empty(t, bad, "seed %d", seed)
		steps += len(p.Steps)
	}
	require.Greater(t, steps, 100)
	n := 0
	for text, count := range thrown {
		n += count
		t.Logf("%d times %s", count, text)
	}
	t.Logf("%d errors for %d steps", n, steps)
}

// With RLM_RANDOM_SEED=n, TestPrint prints a random program and a plain one.
func TestPrint(t *testing.T) {
	s := os.Getenv("RLM_RANDOM_SEED")
	if s == "" {
		t.Skip("RLM_RANDOM_SEED is not set")
	}
	seed, err := strconv.ParseInt(s, 10, 64)
	require.NoError(t, err)
	for _, make := range []func(int64) (Program, error){New, Plain} {
		p, err := make(seed)
		require.NoError(t, err)
		t.Log(p.Source())
	}
}

// Kept always makes the same program from a seed.
func TestProgramsThatKeepFunctions(t *testing.T) {
	for seed := range int64(300) {
		p, err := Kept(seed)
		require.NoError(t, err)
		again, err := Kept(seed)
		require.NoError(t, err)
		require.Equal(t, p, again)
	}
}

// A seed always makes the same plain program.
func TestPlainPrograms(t *testing.T) {
	for seed := range int64(40) {
		p, err := Plain(seed)
		require.NoError(t, err)
		again, err := Plain(seed)
		require.NoError(t, err)
		require.Equal(t, p, again)
	}
}
