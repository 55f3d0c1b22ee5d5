package data_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/eval/data"
	"github.com/gorlm/rlm/internal/eval/score"
	"github.com/gorlm/rlm/internal/eval/suite"
)

func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// read reads all items of a file.
func read(t *testing.T, path string, o data.Options) ([]suite.Item, error) {
	t.Helper()
	f, err := data.Open(t.Context(), path, o)
	if err != nil {
		return nil, err
	}
	defer f.Close() // read only
	var items []suite.Item
	for i := range f.Len() {
		item, err := f.Item(i)
		require.NoError(t, err)
		items = append(items, item)
	}
	return items, nil
}

// The test files have the fields of the original files, as the originals' pages describe them.
func TestFilesOfOthers(t *testing.T) {
	for _, c := range []struct {
		name, text, question, context, said, suite string
	}{
		{
			"oolong.jsonl", `{"id": 13000009, "dataset": "trec_coarse", "context_len": 1024, "context_window_text": "Date: Jan 06, 2023 || User: 44436 || Instance: Who?", "question": "Which label?", "task_group": "counting", "task": "TASK_TYPE.MOST_FREQ", "answer": "['human being']", "answer_type": "ANSWER_TYPE.LABEL", "context_window_id": 3, "num_labels": 6}`,
			"Which label?", "|| User: 44436 ||", "Label: human being", "oolong trec_coarse",
		},
		{
			"data.json", `[{"_id": "66f3", "domain": "Code", "sub_domain": "Code Repository Understanding", "difficulty": "hard", "length": "short", "question": "What does it do?", "choice_A": "one", "choice_B": "two", "choice_C": "three", "choice_D": "four", "answer": "C", "context": "def f(): pass"}]`,
			"(C) three", "def f()", "The correct answer is (C)", "longbench-v2",
		},
		{
			"validation.jsonl", `{"index": 0, "input": "A special magic number is hidden within the following text. Make sure to memorize it. I will quiz you about the number afterwards.\nOne of the special magic numbers for long-context is: 7431508.\nThe grass is green.\nWhat is the special magic number for long-context mentioned in the provided text?", "outputs": ["7431508"], "length": 90, "answer_prefix": " The special magic number"}`,
			"What is the special magic number for long-context", "The grass is green.", "It is 7431508.", "ruler",
		},
		{
			"vt.jsonl", `{"index": 1, "input": "Memorize and track the chain(s) of variable assignment hidden in the following text.\n\nVAR ABC = 12\nVAR DEF = VAR ABC\nQuestion: Find all variables that are assigned the value 12 in the text above.", "outputs": ["ABC", "DEF"], "length": 60}`,
			"Find all variables", "VAR DEF = VAR ABC", "ABC DEF", "ruler",
		},
		{
			"qa.jsonl", `{"index": 1, "input": "Answer the question based on the given documents. Only give me the answer and do not output any other words.\n\nDocument 1:\nParis is in France.\n\nQuestion: Where is Paris?", "outputs": ["France", "in France"], "length": 60}`,
			"Where is Paris?", "Document 1:", "france", "ruler",
		},
	} {
		items, err := read(t, write(t, c.name, c.text), data.Options{Scorer: "exact"})
		require.NoError(t, err, c.name)
		item := items[0]
		f, err := score.New(item.Scorer, item.Answer)
		require.NoError(t, err, c.name)
		assert.Contains(t, item.Question, c.question, c.name)
		assert.Contains(t, item.Documents[0].Text, c.context, c.name)
		assert.Equal(t, c.suite, item.Suite, c.name)
		assert.EqualValues(t, 1, f(c.said).Value, "%s: the score of %q", c.name, c.said)
		assert.NotContains(t, item.Documents[0].Text, c.question, "%s: the question is still in the context", c.name)
	}
}

func TestOwnForm(t *testing.T) {
	path := write(t, "mine.jsonl", `{"question": "Who?", "context": "Ada.", "answer": "Ada"}

{"id": "b", "question": "How many?", "documents": [{"name": "a", "text": "1"}, {"name": "b", "text": "2"}], "answer": 2, "scorer": "number"}
{"question": "Which?", "paths": ["sub/x.txt"], "answer": ["x", "y"], "scorer": "set"}
`)
	require.NoError(t, os.MkdirAll(filepath.Join(filepath.Dir(path), "sub"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(filepath.Dir(path), "sub", "x.txt"), []byte("x and y"), 0o600))
	items, err := read(t, path, data.Options{Scorer: "exact"})
	require.NoError(t, err)
	require.Len(t, items, 3)
	assert.Equal(t, []string{"exact", "mine-0", "mine"}, []string{items[0].Scorer, items[0].ID, items[0].Suite})
	assert.Equal(t, suite.Shortest, items[0].Length)
	assert.Len(t, items[1].Documents, 2)
	assert.Equal(t, "x and y", items[2].Documents[0].Text)
}

// Errors name the item, and are reported before anything is paid for.
func TestBadItems(t *testing.T) {
	good := `{"question": "Who?", "context": "Ada.", "answer": "Ada"}` + "\n"
	for text, want := range map[string]string{
		"":                              "empty",
		"\n\n":                          "no items",
		good + "{":                      "item 2",
		good + `{"question": "Who?"}`:   "item 2: the context is missing",
		`{"context": "x", "answer": 1}`: "the question is missing",
		`{"question": "Who?", "context": "Ada.", "answer": "Ada", "scorrer": "set"}`: `"scorrer"`,
		`{"question": "Who?", "context": "Ada.", "answer": "Ada", "scorer": "best"}`: `no scorer "best"`,
		`{"question": "Who?", "context": "Ada.", "scorer": "set"}`:                   "the right answer is missing",
		`{"question": "Who?", "paths": ["../../etc/passwd"], "answer": "x"}`:         "folder of the data",
		`{"id": "a", "question": "Who?", "context": "Ada.", "answer": "Ada"}` + "\n" +
			`{"id": "a", "question": "Who?", "context": "Ada.", "answer": "Ada"}`: `two items have the id "a"`,
	} {
		_, err := read(t, write(t, "bad.jsonl", text), data.Options{Scorer: "exact"})
		assert.ErrorContains(t, err, want, text)
	}
}
