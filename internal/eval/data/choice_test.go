package data_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/eval/data"
	"github.com/gorlm/rlm/internal/eval/suite"
)

// oolong returns lines in the format of OOLONG's files, of two datasets and four lengths.
func oolong(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `{"id": %d, "dataset": %q, "context_len": %d, "context_window_text": "Date: Jan 06, 2023 || User: %d", "question": "Which label?", `+
			`"task_group": "counting", "task": "T", "answer": "['a']", "answer_type": "ANSWER_TYPE.LABEL"}`+"\n",
			13000000+i, []string{"trec_coarse", "imdb"}[i%2], 1024<<(i%4), i)
	}
	return b.String()
}

func ids(t *testing.T, path string, o data.Options) (all []string) {
	t.Helper()
	o.Scorer = "exact"
	items, err := read(t, path, o)
	require.NoError(t, err)
	for _, item := range items {
		all = append(all, item.ID)
	}
	return all
}

// TestMoreItemsAreThoseAndOthers checks that --n chooses by the seed and keeps the file's order, and that a larger
// n only adds items.
func TestMoreItemsAreThoseAndOthers(t *testing.T) {
	path := write(t, "o.jsonl", oolong(120))
	all := ids(t, path, data.Options{})
	require.Len(t, all, 120)
	seven := ids(t, path, data.Options{N: 7, Seed: 1})
	require.Len(t, seven, 7)
	require.True(t, slices.IsSorted(seven))
	require.Equal(t, seven, ids(t, path, data.Options{N: 7, Seed: 1}), "the same each time")
	require.NotEqual(t, seven, ids(t, path, data.Options{N: 7, Seed: 2}))
	require.NotEqual(t, all[:7], seven, "they come from the whole file")
	require.Subset(t, ids(t, path, data.Options{N: 30, Seed: 1}), seven)
	require.Len(t, ids(t, path, data.Options{N: 500, Seed: 1}), 120)

	f, err := data.Open(t.Context(), path, data.Options{Scorer: "exact", N: 5, Lengths: []int{1024, 8192}})
	require.NoError(t, err)
	defer f.Close() // read only
	count := map[int]int{}
	for i := range f.Len() {
		item, err := f.Item(i)
		require.NoError(t, err)
		count[item.Length]++
		require.GreaterOrEqual(t, f.Tokens(i), item.Length)
	}
	require.Equal(t, map[int]int{1024: 5, 8192: 5}, count, "so many of each length")
}

// TestConditions checks filters, and the errors of invalid ones.
func TestConditions(t *testing.T) {
	path := write(t, "o.jsonl", oolong(16))
	for text, want := range map[string]int{
		"": 16, "dataset=imdb": 8, "dataset!=imdb": 8, "context_len<=2048": 8, "context_len<2048": 4,
		"context_len>4096": 4, "context_len>=4096": 8,
		"context_len=1024.0": 4, "context_len!=1024": 12, "dataset=trec_coarse, context_len<=1024": 4,
		`dataset = "trec_coarse"`: 8, `question="Which label?",id>13000007`: 8,
	} {
		where, err := data.NewFilter(text)
		require.NoError(t, err, text)
		assert.Len(t, ids(t, path, data.Options{Where: where}), want, text)
	}
	for text, want := range map[string]string{
		"dataset": "not a condition", "=imdb": "not a condition", "dataset!imdb": "not a condition",
		"dataset<imdb": "compares only numbers", `dataset="imdb`: "not closed", `dataset="a"b`: "not closed",
	} {
		_, err := data.NewFilter(text)
		assert.ErrorContains(t, err, want, text)
	}
	for text, want := range map[string]string{
		"datasett=imdb": "did you mean dataset?", "dataset=snli": "none of its 16 items matches --where dataset=snli",
		"dataset<5": "none of its 16 items",
	} {
		where, err := data.NewFilter(text)
		require.NoError(t, err, text)
		_, err = read(t, path, data.Options{Scorer: "exact", Where: where})
		assert.ErrorContains(t, err, want, text)
	}
	_, err := read(t, path, data.Options{Scorer: "exact", Lengths: []int{1 << 20}})
	assert.ErrorContains(t, err, "--length [1048576]")
}

// TestAFormThatIsNotKnownIsNamed checks that unknown formats are reported, not guessed.
func TestAFormThatIsNotKnownIsNamed(t *testing.T) {
	for text, want := range map[string]string{
		"PAR1\x00\x00\x00\x00": "Parquet", "\x1f\x8b\x08\x00": "gzip", "PK\x03\x04....": "zip",
		"SQLite format 3\x00": "SQLite", "id,question\n1,Who?": "perhaps CSV",
		"<!doctype html>": "HTML", "\x00\x01\x02\x03": "binary data",
		`{"prompt": "Who?", "completion": "Ada"}`: "prompt", `[1, 2]`: "something other than objects",
		`[{"question": "Who?", "context": "Ada.", "answer": "Ada"}`: "damaged or cut off",
		`[{"question": "Wh`: "damaged or cut off",
	} {
		_, err := read(t, write(t, "x", text), data.Options{Scorer: "exact"})
		assert.ErrorContains(t, err, want, "%q", text)
	}
}

// TestListsAndLinesAreTheSame checks that a JSON array and JSON lines give the same items, whatever their texts
// contain.
func TestListsAndLinesAreTheSame(t *testing.T) {
	texts := []string{"a \"quoted\" {brace} [bracket] \\", "é\n\tü 𝄞 ]}", strings.Repeat("long \" \\ ü ", 30_000), ""}
	var lines, list []string
	for i, text := range texts {
		record, err := json.Marshal(
			map[string]any{"id": fmt.Sprint("i", i), "question": "Who?", "context": text + "x", "answer": "Ada"})
		require.NoError(t, err)
		lines, list = append(lines, string(record)), append(list, string(record))
	}
	one, err := read(t, write(t, "x.jsonl", "\n  "+strings.Join(lines, "\n\n")), data.Options{Scorer: "exact"})
	require.NoError(t, err)
	other, err := read(t, write(t, "x.json", " [ "+strings.Join(list, " ,\n")+" ] "), data.Options{Scorer: "exact"})
	require.NoError(t, err)
	require.Equal(t, one, other)
	for i, text := range texts {
		require.Equal(t, text+"x", one[i].Documents[0].Text)
	}
}

// TestAChangedFileIsNoticed checks the error when an item is read.
func TestAChangedFileIsNoticed(t *testing.T) {
	path := write(t, "o.jsonl", oolong(3))
	f, err := data.Open(t.Context(), path, data.Options{Scorer: "exact"})
	require.NoError(t, err)
	defer f.Close() // read only
	require.NoError(t, os.Truncate(path, 10))
	_, err = f.Item(2)
	require.ErrorContains(t, err, "reading item 3 of o")
}

// TestALargeFileTakesLittleMemory checks that 100 MB of items, or 4 GB with RLM_SOAK=1, take only the memory of
// one item.
func TestALargeFileTakesLittleMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("SKIP TestALargeFileTakesLittleMemory: 100 MB")
	}
	items := 100
	if os.Getenv("RLM_SOAK") != "" {
		items = 4000
	}
	path := filepath.Join(t.TempDir(), "large.jsonl")
	out, err := os.Create(path)
	require.NoError(t, err)
	w := bufio.NewWriter(out)
	text := strings.Repeat("Date: Jan 06, 2023 || User: 44436 || Instance: Who? ", 20_000)
	quoted := strconv.Quote(text)
	for i := range items {
		fmt.Fprintf(w, `{"id": "i%d", "question": "Who?", "context": %s, "answer": "Ada"}`+"\n", i, quoted)
	}
	require.NoError(t, w.Flush())
	require.NoError(t, out.Close())
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f, err := data.Open(t.Context(), path, data.Options{Scorer: "exact"})
	require.NoError(t, err)
	defer f.Close() // read only
	runtime.ReadMemStats(&after)
	require.Equal(t, items, f.Len())
	require.Less(t, after.Sys, before.Sys+(60<<20), "of the system, at most")
	var item suite.Item
	item, err = f.Item(items - 1)
	require.NoError(t, err)
	require.Equal(t, text, item.Documents[0].Text)
	t.Logf("%d MB more than before", (after.Sys-before.Sys)>>20)
}
