package fleet_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/fleet"
	"github.com/gorlm/rlm/internal/testing/nothing"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/runner/trajectory"
)

// results writes the results of a batch of 4 to a file and returns its contents.
func results(t *testing.T, p dataFolder, latest []fleet.Result, path string, form fleet.Form) string {
	t.Helper()
	out, err := fleet.OpenOutput(t.Context(), p.queue, "b", path, form)
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
	t.Parallel()
	every := 5 // the step between cuts, in bytes; the ends of lines are always tried
	if os.Getenv("RLM_LONG") != "" {
		every = 1
	}
	p := newDataFolder(t)
	list := jobs(4)
	list[2].ID = "=1+1, \"quoted\"\u00a0line"
	p.submit(t, fleet.Batch{}, list, fleet.Submission{})
	_, err := p.work(t, &model{})
	require.NoError(t, err)
	latest, err := fleet.Latest(t.Context(), p.queue, "b")
	require.NoError(t, err)
	for _, form := range []fleet.Form{
		{Format: fleet.JSONL}, {Format: fleet.CSV}, {Format: fleet.CSV, Fields: []string{"name", "status"}},
	} {
		path := filepath.Join(t.TempDir(), "out")
		whole := results(t, p, latest, path, form)
		require.Equal(t, whole, results(t, p, latest, path, form))
		for cut := range len(whole) {
			if cut%every != 0 && !strings.Contains(whole[max(0, cut-2):min(len(whole), cut+2)], "\n") {
				continue
			}
			require.NoError(t, os.WriteFile(path, []byte(whole[:cut]), 0o600))
			require.Equal(t, whole, results(t, p, latest, path, form), "cut after %q", whole[:cut])
		}
	}
}

func TestAFileOfSomethingElseIsLeftAlone(t *testing.T) {
	t.Parallel()
	p := newDataFolder(t)
	p.submit(t, fleet.Batch{}, jobs(1), fleet.Submission{})
	_, err := p.work(t, &model{})
	require.NoError(t, err)
	for text, format := range map[string]fleet.Format{
		"my notes\n": fleet.JSONL, "{\"id\": \"0\"}\n": fleet.JSONL,
		"{\"id\":\"0\",\"status\":\"done\",\"run\":\"another\"}\n": fleet.JSONL,
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

// Else the runs that were not read would be those of another batch.
func TestAStopDuringTheReadOfAQueueLeavesTheResultsAlone(t *testing.T) {
	t.Parallel()
	p := newDataFolder(t)
	p.submit(t, fleet.Batch{}, jobs(1), fleet.Submission{})
	_, err := p.work(t, &model{})
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "out")
	const line = "{\"id\":\"0\",\"status\":\"done\",\"run\":\"another\"}\n"
	require.NoError(t, os.WriteFile(path, []byte(line), 0o600))
	ctx, stop := context.WithCancel(t.Context())
	stop()
	_, err = fleet.OpenOutput(ctx, p.queue, "b", path, fleet.Form{})
	require.ErrorIs(t, err, context.Canceled)
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, line, string(data))
}

func TestResultsInTheOrderOfTheJobs(t *testing.T) {
	t.Parallel()
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

func TestOutputOfPlainAndTypedAnswers(t *testing.T) {
	fields := fleet.Columns([]fleet.Job{{Schema: "name string, answer int"}, {Question: "plain"}})
	var text bytes.Buffer
	out := fleet.NewOutput(&text, fleet.Form{Format: fleet.CSV, Fields: fields})
	typed := fleet.Result{ID: "1", State: fleet.Done, Typed: true, Answer: `{"name":"Ada","answer":7}`}
	require.NoError(t, out.Add(typed))
	require.NoError(t, out.Add(fleet.Result{ID: "2", State: fleet.Done, Answer: `{"as": "it is"}`}))
	rows, err := csv.NewReader(&text).ReadAll()
	require.NoError(t, err)
	require.Equal(t, []string{"id", "status", "answer", "name", "answer.answer", "reason"}, rows[0][:6])
	require.Equal(t, []string{"1", "done", "", "Ada", "7"}, rows[1][:5])
	require.Equal(t, []string{"2", "done", `{"as": "it is"}`, "", ""}, rows[2][:5])
}

// Text that a model wrote is text in a spreadsheet, never a formula.
func TestACellIsNoFormula(t *testing.T) {
	t.Parallel()
	var text bytes.Buffer
	out := fleet.NewOutput(&text, fleet.Form{Format: fleet.CSV, Fields: []string{"a", "b", "n"}})
	require.NoError(t, out.Add(fleet.Result{
		ID: "-1", State: fleet.Done, Typed: true, Answer: `{"a":"=cmd|' /C calc'!A0","b":["x",1],"n":-5}`,
	}))
	rows, err := csv.NewReader(&text).ReadAll()
	require.NoError(t, err)
	require.Equal(t, []string{"-1", "done", "'=cmd|' /C calc'!A0", `["x",1]`, "-5"}, rows[1][:5])
}

// No part of a list or an object in a typed answer is a formula, not even the name of a field.
func TestNoPartOfATypedFieldIsAFormula(t *testing.T) {
	t.Parallel()
	var text bytes.Buffer
	out := fleet.NewOutput(&text, fleet.Form{Format: fleet.CSV, Fields: []string{"=a", "o", "n"}})
	require.NoError(t, out.Add(
		fleet.Result{ID: "1", State: fleet.Done, Typed: true, Answer: `{"=a":["x;=1+1"],"o":{"k;@x":true},"n":-5}`}))
	rows, err := csv.NewReader(&text).ReadAll()
	require.NoError(t, err)
	require.Equal(t, []string{"'=a", "o", "n"}, rows[0][2:5])
	require.Equal(t, []string{`["x;'=1+1"]`, `{"k;'@x":true}`, "-5"}, rows[1][2:5])
}

// A spreadsheet may split lists at semicolons or tabs, even inside quotes.
func TestNoPartOfACellIsAFormula(t *testing.T) {
	for text, want := range map[string]string{
		"":                  "",
		"plain; text":       "plain; text",
		"=1":                "'=1",
		"+1+1":              "'+1+1",
		"@SUM(1)":           "'@SUM(1)",
		"\ttab":             "'\ttab",
		"\rreturn":          "'\rreturn",
		"＝1+1":              "'＝1+1",
		"＋1":                "'＋1",
		"－1":                "'－1",
		"＠x":                "'＠x",
		"a;=2":              "a;'=2",
		"a;\"=2\"":          "a;'\"=2\"",
		"a\t-cmd|' /C'!A0":  "a\t'-cmd|' /C'!A0",
		"=1;＝2;@3":          "'=1;'＝2;'@3",
		"lines\n=1\n@x":     "lines\n'=1\n'@x",
		"list:\n- a\n- b":   "list:\n- a\n- b",
		"-5":                "-5",
		"+1.5e3":            "+1.5e3",
		"-5;-6":             "-5;-6",
		"a;-5;+6\t-7":       "a;-5;+6\t-7",
		"naïve = 1; b = -2": "naïve = 1; b = -2",
		"\x00=1":            "'\x00=1",
		"\ufeff=1":          "'\ufeff=1",
		"a;\u200b@x":        "a;'\u200b@x",
		"a;\x1b\"+cmd":      "a;'\x1b\"+cmd",
		"\"\"=1":            "'\"\"=1",
		"\u202e=1":          "'\u202e=1",
		"-1,5":              "'-1,5",
		"+49 30 1234":       "'+49 30 1234",
	} {
		var out bytes.Buffer
		require.NoError(t, fleet.NewOutput(&out, fleet.Form{Format: fleet.CSV}).Add(
			fleet.Result{ID: text, State: fleet.Done, Answer: text, Reason: text}))
		rows, err := csv.NewReader(&out).ReadAll()
		require.NoError(t, err)
		want = strings.ReplaceAll(want, "\r\n", "\n")
		require.Equal(t, []string{want, "done", want, want}, rows[1][:4], "%q", text)
	}
}

// TestAllWaysToComeToNothingAreRowsWithoutAnAnswer checks that rows of runs without an answer report how they
// ended.
func TestAllWaysToComeToNothingAreRowsWithoutAnAnswer(t *testing.T) {
	t.Parallel()
	for name, c := range nothing.Ways() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newDataFolder(t)
			file := filepath.Join(p.dir, "app.log")
			require.NoError(t, os.WriteFile(file, []byte(nothing.Text()), 0o600))
			p.submit(t, fleet.Batch{}, []fleet.Job{
				{ID: "a", Question: nothing.Question, Context: []fleet.Source{{Path: file}}},
			}, fleet.Submission{})
			_, err := p.work(t, llm.NewScripted("m", c.Replies()...))
			require.NoError(t, err)
			latest, err := fleet.Latest(t.Context(), p.queue, "b")
			require.NoError(t, err)
			require.Len(t, latest, 1)
			var to bytes.Buffer
			require.NoError(t, fleet.NewOutput(&to, fleet.Form{Format: fleet.JSONL}).Add(latest[0]))
			var line fleet.Line
			require.NoError(t, json.Unmarshal(to.Bytes(), &line))
			require.Equal(t, fleet.Dead, line.Status)
			require.Equal(t, c.Status, line.RunStatus)
			require.Nil(t, line.Answer)
			require.NotEmpty(t, line.Reason)
			require.NotEmpty(t, line.Reply, "what the model said last")
			require.Contains(t, strings.Join(c.Replies(), "\n"), line.Reply)
		})
	}
}

// TestARowCarriesItsEvidence checks document, part, line and words of each passage, and the mark of a guess.
func TestARowCarriesItsEvidence(t *testing.T) {
	t.Parallel()
	r := fleet.Result{
		ID: "a", State: fleet.Done, Answer: "It failed [^1kv]", Status: "completed", Guess: true,
		CutReplies: 2, Evidence: []trajectory.Evidence{
			{Mark: "[^1kv]", Document: "log.pdf", Part: "page 12", Line: 3, Quote: "the pump failed at three"},
		}, UnknownMarks: []string{"[^9zz]"},
		Grounding: &trajectory.Grounding{Verdict: "partly", Values: []trajectory.GroundedValue{
			{Value: "three", Grounded: true}, {Value: "=7", Why: "not found in this run"},
		}},
	}
	written := func(format fleet.Format) string {
		var to bytes.Buffer
		require.NoError(t, fleet.NewOutput(&to, fleet.Form{Format: format}).Add(r))
		return to.String()
	}
	var line fleet.Line
	require.NoError(t, json.Unmarshal([]byte(written(fleet.JSONL)), &line))
	require.Equal(t, r.Evidence, line.Evidence)
	require.Equal(t, r.UnknownMarks, line.UnknownMarks)
	require.Equal(t, r.Grounding, line.Grounding)
	require.True(t, line.Guess)
	require.Equal(t, 2, line.CutReplies)
	rows, err := csv.NewReader(strings.NewReader(written(fleet.CSV))).ReadAll()
	require.NoError(t, err)
	require.Equal(t, []string{"guess", "cut_replies", "evidence", "grounding", "not_found", "run_status", "run"},
		rows[0][len(rows[0])-7:])
	require.Equal(t, []string{"yes", "2", "[^1kv] log.pdf, page 12:3 “the pump failed at three”", "partly", "'=7", "completed"},
		rows[1][len(rows[1])-7:len(rows[1])-1])
}

// An output that is a device or a pipe is not read for earlier results, because it may never end.
func TestResultsIntoADevice(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("SKIPPED: there is no /dev on Windows")
	}
	p := newDataFolder(t)
	p.submit(t, fleet.Batch{}, jobs(1), fleet.Submission{})
	for _, path := range []string{"/dev/null", "/dev/zero"} {
		out, err := fleet.OpenOutput(t.Context(), p.queue, "b", path, fleet.Form{})
		require.NoError(t, err, path)
		require.NoError(t, out.Add(fleet.Result{ID: "0", State: fleet.Done}))
		require.NoError(t, out.Close(), path)
	}
}
