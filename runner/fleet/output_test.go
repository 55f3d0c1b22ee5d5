package fleet_test

import (
	"bytes"
	"encoding/csv"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/runner/fleet"
)

// results writes the results of a batch of 4 to a file and returns what stands there.
func results(t *testing.T, p place, path string, form fleet.Form) string {
	t.Helper()
	out, err := fleet.OpenOutput(t.Context(), p.queue, "b", path, form)
	require.NoError(t, err)
	latest, err := fleet.Latest(t.Context(), p.queue, "b")
	require.NoError(t, err)
	for _, r := range latest {
		require.NoError(t, out.Add(r))
		require.NoError(t, out.Add(r), "a result that comes twice is written once")
	}
	require.NoError(t, out.Rest())
	require.NoError(t, out.Close())
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(data)
}

func TestAFileOfResultsIsWholeWhereverItWasCut(t *testing.T) {
	p := newPlace(t)
	list := jobs(4)
	list[2].ID = "=1+1, \"quoted\"\u00a0line"
	p.submit(t, fleet.Batch{}, list, fleet.Submission{})
	_, err := p.work(t, &model{})
	require.NoError(t, err)
	for _, form := range []fleet.Form{{Format: fleet.JSONL}, {Format: fleet.CSV}, {Format: fleet.CSV, Fields: []string{"name", "status"}}} {
		path := filepath.Join(t.TempDir(), "out")
		whole := results(t, p, path, form)
		require.Equal(t, whole, results(t, p, path, form))
		for cut := range len(whole) {
			require.NoError(t, os.WriteFile(path, []byte(whole[:cut]), 0o600))
			require.Equal(t, whole, results(t, p, path, form), "cut after %q", whole[:cut])
		}
	}
}

func TestAFileOfSomethingElseIsLeftAlone(t *testing.T) {
	p := newPlace(t)
	p.submit(t, fleet.Batch{}, jobs(1), fleet.Submission{})
	_, err := p.work(t, &model{})
	require.NoError(t, err)
	for text, format := range map[string]fleet.Format{
		"my notes\n": fleet.JSONL, "{\"id\": \"0\"}\n": fleet.JSONL, "{\"id\":\"0\",\"status\":\"done\",\"run\":\"another\"}\n": fleet.JSONL,
		"a,b\n1,2\n": fleet.CSV, "id,status,answer,reason,cost,tokens,seconds,run\n0,done,x,,,1,1,another\n": fleet.CSV,
	} {
		path := filepath.Join(t.TempDir(), "out")
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		_, err := fleet.OpenOutput(t.Context(), p.queue, "b", path, fleet.Form{Format: format})
		require.ErrorContains(t, err, "name another file", text)
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, text, string(data))
	}
}

func TestResultsInTheOrderOfTheJobs(t *testing.T) {
	var text bytes.Buffer
	out := fleet.NewOutput(&text, fleet.Form{Format: fleet.CSV, Order: []string{"a", "b", "c", "d"}})
	rows := func() string {
		all, err := csv.NewReader(strings.NewReader(text.String())).ReadAll()
		require.NoError(t, err)
		ids := ""
		for i, row := range all {
			if i > 0 {
				ids += row[0]
			}
		}
		return ids
	}
	for _, step := range []struct{ add, want string }{{"c", ""}, {"a", "a"}, {"d", "a"}} {
		require.NoError(t, out.Add(fleet.Result{ID: step.add, State: fleet.Done}))
		require.Equal(t, step.want, rows())
	}
	require.NoError(t, out.Rest())
	require.Equal(t, "acd", rows())
}

// What a model wrote is text in a spreadsheet and nothing that it computes.
func TestACellIsNoFormula(t *testing.T) {
	var text bytes.Buffer
	out := fleet.NewOutput(&text, fleet.Form{Format: fleet.CSV, Fields: []string{"a", "b", "n"}})
	require.NoError(t, out.Add(fleet.Result{ID: "-1", State: fleet.Done, Typed: true, Answer: `{"a":"=cmd|' /C calc'!A0","b":["x",1],"n":-5}`}))
	rows, err := csv.NewReader(&text).ReadAll()
	require.NoError(t, err)
	require.Equal(t, []string{"-1", "done", "'=cmd|' /C calc'!A0", `["x",1]`, "-5"}, rows[1][:5])
}
