package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// room writes a room with one file, a report with mutants of its lines, and a list of equivalents.
func room(t *testing.T, statuses []string, list string) (dir, report string) {
	dir = t.TempDir()
	var source, mutations strings.Builder
	for i, status := range statuses {
		fmt.Fprintf(&source, "\tline%d || other\n", i+1)
		fmt.Fprintf(&mutations, `,{"type":"CONDITIONALS_NEGATION","status":%q,"line":%d,"column":2}`, status, i+1)
	}
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "testdata"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.go"), []byte(source.String()), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "testdata", "mutants.txt"), []byte(list), 0o600))
	report = filepath.Join(dir, "report.json")
	require.NoError(t, os.WriteFile(report,
		[]byte(`{"files":[{"file_name":"a.go","mutations":[`+mutations.String()[1:]+`]}]}`), 0o600))
	return dir, report
}

// statuses returns the statuses of 100 mutants: the given ones first, the rest killed.
func statuses(first ...string) []string {
	all := make([]string, 100)
	for i := range all {
		all[i] = "KILLED"
	}
	copy(all, first)
	return all
}

func TestJudge(t *testing.T) {
	reason := func(line int) string {
		return fmt.Sprintf("a.go | CONDITIONALS_NEGATION | line%d || other | both sides are equal\n", line)
	}
	tests := map[string]struct {
		statuses []string
		list     string
		ok       bool
		prints   string
	}{
		"all killed": {statuses(), "", true, "100 mutants, 100 killed (100.0 %)"},
		"five live": {
			statuses("LIVED", "NOT COVERED", "TIMED OUT", "LIVED", "LIVED"), "", true, "95 killed",
		},
		"six live": {
			statuses("LIVED", "NOT COVERED", "TIMED OUT", "LIVED", "LIVED", "LIVED"), "", false, "a.go:6:2: LIVED",
		},
		"three are equivalent": {
			statuses("LIVED", "LIVED", "LIVED"), "# why\n" + reason(1) + reason(2) + reason(3), true, "3 equivalent",
		},
		"four are": {
			statuses("LIVED", "LIVED", "LIVED", "LIVED"),
			reason(1) + reason(2) + reason(3) + reason(4), false, "4 equivalent",
		},
		"listed and killed": {
			statuses("LIVED"), reason(1) + reason(2), false,
			"no living mutant is like this one of the list: a.go | COND",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			dir, report := room(t, test.statuses, test.list)
			var out strings.Builder
			ok, err := judge(&out, dir, report)
			require.NoError(t, err)
			require.Equal(t, test.ok, ok, out.String())
			require.Contains(t, out.String(), test.prints)
		})
	}
}

func TestWhatCannotBeJudged(t *testing.T) {
	dir, report := room(t, statuses(), "a.go | CONDITIONALS_NEGATION | line1 || other |  \n")
	_, err := judge(&strings.Builder{}, dir, report)
	require.ErrorContains(t, err, "is not FILE | TYPE | source line | reason")

	dir, report = room(t, statuses(), "")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.go"), []byte("short\n"), 0o600))
	_, err = judge(&strings.Builder{}, dir, report)
	require.ErrorContains(t, err, "the report is of another state of the room")

	require.NoError(t, os.WriteFile(report, []byte(`{"files":[]}`), 0o600))
	_, err = judge(&strings.Builder{}, dir, report)
	require.ErrorContains(t, err, "holds no mutants")
}
