package runner_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/kit/text"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/llm"
)

func manyLines(format string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format+"\n", i)
	}
	return b.String()
}

func TestFirstMessageShowsEachOfAFewDocuments(t *testing.T) {
	t.Parallel()
	question := firstPrompt(t, []runner.Input{
		runner.Text("orders.csv", "id,customer,total\r\n"+manyLines("%d,c1,5\r", 2000)),
		runner.Text("customers.json", manyLines(`{"id": %d, "name": "Ada"}`, 2000)),
		runner.Text("notes.txt", "short\n"),
	})[1].Content
	require.Contains(t, question,
		"The documents, as they begin … and end:\norders.csv (lines end with \\r\\n):\n```text\nid,customer,total\r\n0,c1,5")
	require.Contains(t, question, "1999,c1,5")
	require.Contains(t, question, "customers.json:\n```text\n{\"id\": 0, \"name\": \"Ada\"}\n")
	require.Contains(t, question, "{\"id\": 1999, \"name\": \"Ada\"}\n```")
	require.Contains(t, question, "notes.txt (all of it):\n```text\nshort\n```")
	require.NotContains(t, question, "It begins")
}

func TestFirstMessageShowsAnExampleOfEachKind(t *testing.T) {
	t.Parallel()
	var inputs, letters []runner.Input
	for i := range 120 {
		kind := []string{"json", "ini", "yaml"}[i%3]
		inputs = append(inputs, runner.Text(
			fmt.Sprintf("hosts/of/the/house/host-%03d.%s", i, kind), manyLines(kind+" line %d", 300)))
		letters = append(letters, runner.Text(fmt.Sprintf("letter-%03d.txt", i), manyLines("Dear Sir %d", 100)))
	}
	question := firstPrompt(t, inputs)[1].Content
	require.Contains(t, question, "Examples of the documents, as they begin … and end:\nhost-000.json (one of 40 json")
	for _, there := range []string{
		"host-001.ini (one of 40 ini", "host-002.yaml (one of 40 yaml", "json line 0\n",
		"ini line 0\n", "yaml line 0\n",
	} {
		require.Contains(t, question, there)
	}
	require.NotContains(t, question, "json line 0\n```\nhost-003")
	question = firstPrompt(t, letters)[1].Content
	require.Equal(t, 3, strings.Count(question, "(one of 120 txt"), "of the only kind there are three")
	require.Contains(t, question, "\nletter-119.txt (one of 120 txt")
}

func TestFirstMessageNamesEncodingsAndLineEnds(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("caf\xe9 und Stra\xdfe, wie es sich geh\xf6rt\r\n", 1000)
	dir := t.TempDir()
	name := filepath.Join(dir, "a.txt")
	require.NoError(t, os.WriteFile(name, []byte(long), 0o600))
	question := firstPrompt(t, []runner.Input{
		runner.Path(name), runner.Text(filepath.Join(dir, "b.txt"), strings.Repeat("plain\n", 2000)),
	})[1].Content
	require.Contains(t, question, "a.txt (lines end with \\r\\n, was windows-1252):")
	require.Contains(t, question, "b.txt:\n")
	require.Contains(t, firstPrompt(t, []runner.Input{runner.Path(name)})[1].Content,
		"Its lines end with \\r\\n.\nIt begins:\n")
}

// The first message adapts to the window: at 4 000 tokens, there is room for three turns with maximal output.
func TestFirstMessageFollowsTheWindow(t *testing.T) {
	t.Parallel()
	var few, many []runner.Input
	for i := range 12 {
		few = append(few, runner.Text(
			fmt.Sprintf("a/quite/long/folder/document-%02d.txt", i), manyLines("some words in line %d", 500)))
	}
	for i := range 300 {
		many = append(many, runner.Text(
			fmt.Sprintf("a/quite/long/folder/host-%02d.k%d", i, i%20), manyLines("some words in line %d", 50)))
	}
	one := []runner.Input{runner.Text("one.txt", manyLines("some words in line %d", 20_000))}
	for name, inputs := range map[string][]runner.Input{"few": few, "many": many, "one": one} {
		before := 0
		for _, window := range []int64{4000, 8000, 16_000, 128_000} {
			messages := firstPrompt(t, inputs, runner.WithWindows(window, 0))
			tokens := text.CountTokens(messages[1].Content)
			t.Logf("%s at %d: system %d, first message %d tokens", name, window, text.CountTokens(messages[0].Content),
				tokens)
			require.GreaterOrEqual(t, tokens, before, name)
			require.LessOrEqual(t, tokens, 2500)
			before = tokens
			if window == 4000 {
				const turn = 2000/4 + 300 // the bound on a cell's output, plus a reply
				require.LessOrEqual(t, llm.EstimateMessages(messages)+3*turn, window, name)
			}
		}
	}
}
