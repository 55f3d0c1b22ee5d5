package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// listed writes a list of equivalents of a room.
func listed(t *testing.T, list string) (dir string) {
	dir = t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "testdata"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "testdata", "mutants.txt"), []byte(list), 0o600))
	return dir
}

// outcomes returns 100 mutants: the first with the given outcomes, the rest killed.
func outcomes(first ...string) (all []*mutant) {
	for i := range 100 {
		m := &mutant{
			File: "a.go", Type: "CONDITIONALS_NEGATION", Line: i + 1, Column: 2,
			Source: fmt.Sprintf("line%d || other", i+1), Status: killed,
		}
		if i < len(first) {
			m.Status = first[i]
		}
		all = append(all, m)
	}
	return all
}

func TestJudge(t *testing.T) {
	reason := func(line int) string {
		return fmt.Sprintf("a.go | CONDITIONALS_NEGATION | line%d || other | both sides are equal\n", line)
	}
	tests := map[string]struct {
		mutants []*mutant
		list    string
		ok      bool
		prints  string
	}{
		"all killed":   {outcomes(), "", true, "100 mutants, 100 killed (100.0 %)"},
		"five live":    {outcomes(lived, lived, timedOut, lived, lived), "", true, "95 killed"},
		"six live":     {outcomes(lived, lived, timedOut, lived, lived, lived), "", false, "a.go:6:2: LIVED"},
		"not compiled": {outcomes(notViable), "", true, "99 mutants, 99 killed (100.0 %)"},
		"three are equivalent": {
			outcomes(lived, lived, lived), "# why\n" + reason(1) + reason(2) + reason(3), true, "3 equivalent",
		},
		"four are": {
			outcomes(lived, lived, lived, lived),
			reason(1) + reason(2) + reason(3) + reason(4), false, "4 equivalent",
		},
		"listed and killed": {
			outcomes(lived), reason(1) + reason(2), false, "no living mutant is like this one of the list: a.go | COND",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var out strings.Builder
			ok, err := judge(&out, listed(t, test.list), test.mutants)
			require.NoError(t, err)
			require.Equal(t, test.ok, ok, out.String())
			require.Contains(t, out.String(), test.prints)
		})
	}
}

func TestWhatCannotBeJudged(t *testing.T) {
	dir := listed(t, "a.go | CONDITIONALS_NEGATION | line1 || other |  \n")
	_, err := judge(&strings.Builder{}, dir, outcomes())
	require.ErrorContains(t, err, "is not FILE | TYPE | source line | reason")
	_, err = load(dir)
	require.ErrorContains(t, err, "load "+dir)
	_, err = load("testdata")
	require.ErrorContains(t, err, "load testdata")
}

// living returns the sources, outcomes and types of the mutants that judge names.
func living(out string) (all []string) {
	for _, m := range regexp.MustCompile(`(?m)\.go:\d+:\d+(: [A-Z ]+: [A-Z_]+): (.*)$`).FindAllStringSubmatch(out, -1) {
		all = append(all, m[2]+m[1])
	}
	return all
}

// TestMutantsOfARoom tries those of a small room, of which some are built alone, some live, and one does not end.
func TestMutantsOfARoom(t *testing.T) {
	dir := filepath.Join("testdata", "room")
	r, err := load(dir)
	require.NoError(t, err)
	endless := func(m *mutant) bool { return m.Source == "n--" }
	all := r.all
	r.all = slices.DeleteFunc(slices.Clone(all), endless)
	require.NoError(t, r.try(t.Logf))
	r.all = slices.DeleteFunc(slices.Clone(all), func(m *mutant) bool { return !endless(m) })
	r.grace = 0
	require.NoError(t, r.try(t.Logf))

	alone := map[string]string{}
	for _, m := range all {
		if !m.woven && m.twin == nil {
			alone[m.Source] = m.Status
		}
	}
	require.Equal(t, map[string]string{"const Most = 2 * 4": killed, `return i, have + "."`: notViable}, alone)

	var out strings.Builder
	ok, err := judge(&out, dir, all)
	require.NoError(t, err)
	require.False(t, ok)
	require.Equal(t, []string{
		"func Large(n Level) bool { return n >= 200 }: LIVED: CONDITIONALS_BOUNDARY",
		"list[i]*1: LIVED: ARITHMETIC_BASE",
		"n--: TIMED OUT: INCREMENT_DECREMENT",
		"return -n % 7: LIVED: ARITHMETIC_BASE",
		"return -n % 7: LIVED: INVERT_NEGATIVES",
		"return -n % 7: LIVED: ARITHMETIC_BASE",
		"if have == s || have != s && false {: LIVED: CONDITIONALS_NEGATION",
		"func Untested(n int) bool { return n == 1 }: LIVED: CONDITIONALS_NEGATION",
	}, living(out.String()))
	require.Contains(t, out.String(), "1 equivalent")
}
