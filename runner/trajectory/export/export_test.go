package export_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"

	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/runner/trajectory/export"
)

// sampleRun has a batch with a failure, a child run whose events are mixed with the parent's, an error, a
// compaction and an answer; then a second question.
func sampleRun(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	log, err := trajectory.Create(dir, nil)
	require.NoError(t, err)
	cost := 0.25
	add := func(path string, turn int, payloads ...trajectory.Data) {
		for _, d := range payloads {
			_, err := log.Append(path, turn, d)
			require.NoError(t, err)
		}
	}
	reply := func(s string) trajectory.ReplyReceived {
		return trajectory.ReplyReceived{
			Content: trajectory.T(s), Model: "big", FinishReason: "stop",
			Usage: trajectory.Usage{Prompt: 100, Completion: 20, Cost: &cost}, Duration: time.Second,
		}
	}
	said := func(kind, s string) trajectory.MessageAdded {
		return trajectory.MessageAdded{Role: "user", Kind: kind, Content: trajectory.T(s)}
	}
	longPrompt := "classify: " + strings.Repeat("a record that is long ", 500)
	add("", 0,
		trajectory.ContextAdded{Size: 1 << 20, Documents: 2, Sources: []string{"a.log", "b.log"}},
		trajectory.RunStarted{
			Question: `Who said "stop"?`, Model: "big", SubModel: "small", Sandbox: "strict",
			Run: "r1", Config: json.RawMessage(`{"budgets":{"iterations":30,"depth":1}}`),
		},
		trajectory.MessageAdded{Role: "system", Kind: "system", Content: trajectory.T("You write Go.")},
		said("question", "Who said it? The context has 1 MB."))
	add("", 1, trajectory.TurnStarted{Messages: 2},
		reply("Look:\n\n```go\nllm_query_batched(ps)\n```\n\nand an unclosed fence:\n\n````go\nx := 1"),
		trajectory.CellStarted{Cell: 1, Source: "llm_query_batched(ps)"},
		trajectory.SubCallStarted{
			Cell: 1, Hash: "a", Impl: "llm_query", Model: "small", Prompt: trajectory.T(longPrompt),
		},
		trajectory.SubCallStarted{
			Cell: 1, Hash: "b", Impl: "rlm_query", Model: "big", Prompt: trajectory.T("dig"), Child: "1.1/1",
		})
	add("1.1/1", 1, trajectory.RunStarted{Question: "dig"}, said("question", "dig"), trajectory.TurnStarted{})
	add("", 1, trajectory.SubCallEnded{Cell: 1, Hash: "a", Error: "refused by the endpoint", Model: "small"})
	add("1.1/1", 1, reply("```go\nFINAL(7)\n```"), trajectory.CellStarted{Cell: 1, Source: "FINAL(7)"},
		trajectory.CellEnded{Cell: 1, OK: true, Result: json.RawMessage(`{"final":{"type":"direct","answer":"7"}}`)},
		trajectory.RunEnded{Status: "completed", Answer: "7", HasAnswer: true, Turns: 1})
	add("", 1, trajectory.SubCallEnded{
		Cell: 1, Hash: "b", Reply: trajectory.T("7"), Model: "big",
		Usage: trajectory.Usage{Prompt: 11, Completion: 3, Cost: &cost}, Duration: 1500 * time.Millisecond,
	},
		trajectory.CellEnded{
			Cell: 1, Output: "printed ``` here\n", OK: false, ErrorKind: "Panic",
			Result: json.RawMessage(`{"value":"[]string{}","error":{"kind":"Panic","message":"index out of range"},"changed":[{"name":"xs","type":"[]string","preview":"[a b]"}]}`),
		},
		said("observation", "cell 1 failed"))
	add("", 2, trajectory.TurnStarted{Kind: "summary"}, reply("the summary"),
		trajectory.Compacted{Messages: 1, How: "model", Summary: trajectory.T("what was before")},
		trajectory.TurnStarted{}, reply("```go\nFINAL(\"Ann\")\n```"),
		trajectory.CellStarted{Cell: 2, Source: `FINAL("Ann")`},
		trajectory.CellEnded{Cell: 2, OK: true, Result: json.RawMessage(`{"final":{"type":"direct","answer":"Ann"}}`)},
		said("observation", "answered"),
		trajectory.RunEnded{
			Status: "completed", Answer: "Ann", HasAnswer: true, Turns: 2, Cells: 2, SubCalls: 2,
			Cost: &cost,
		})
	add("", 0, trajectory.RunStarted{Question: "And when?", Model: "big"}, said("question", "And when?"))
	add("", 1, trajectory.TurnStarted{}, reply("I do not know."),
		trajectory.RunEnded{Status: "stopped", Reason: "no answer"})
	require.NoError(t, log.Close())
	return dir
}

func exported(t *testing.T, write func(b *strings.Builder) error) string {
	t.Helper()
	var b strings.Builder
	require.NoError(t, write(&b))
	return b.String()
}

func TestVisualizer(t *testing.T) {
	dir := sampleRun(t)
	out := exported(t, func(b *strings.Builder) error { return export.Visualizer(b, trajectory.Read(dir)) })
	var lines []map[string]any
	for line := range strings.Lines(out) {
		var m map[string]any
		require.NoError(t, json.Unmarshal([]byte(line), &m))
		lines = append(lines, m)
	}
	require.Equal(t, "metadata", lines[0]["type"])
	require.Equal(t, "big", lines[0]["root_model"])
	require.EqualValues(t, 30, lines[0]["max_iterations"])
	require.Len(t, lines, 4)
	for i, it := range lines[1:] {
		require.Equal(t, "iteration", it["type"])
		require.EqualValues(t, i+1, it["iteration"])
		requireViewable(t, it)
	}

	first := lines[1]
	prompt := first["prompt"].([]any)
	require.Len(t, prompt, 2)
	require.Contains(t, prompt[1].(map[string]any)["content"], `original query: "Who said 'stop'?"`)
	block := first["code_blocks"].([]any)[0].(map[string]any)
	require.Equal(t, "llm_query_batched(ps)", block["code"])
	result := block["result"].(map[string]any)
	require.Contains(t, result["stderr"], "index out of range")
	require.Equal(t, "[]string [a b]", result["locals"].(map[string]any)["xs"])
	calls := result["rlm_calls"].([]any)
	require.Len(t, calls, 2)
	require.Equal(t, "refused by the endpoint", calls[0].(map[string]any)["error"])
	require.Greater(t, len(calls[0].(map[string]any)["prompt"].(string)), 10_000, "long texts are filled in")
	second := calls[1].(map[string]any)
	require.EqualValues(t, 11, second["prompt_tokens"])
	require.EqualValues(t, 3, second["completion_tokens"])
	require.InDelta(t, 1.5, second["execution_time"], 1e-9)
	nested := second["metadata"].(map[string]any)["iterations"].([]any)
	require.Len(t, nested, 1)
	require.Equal(t, "7", nested[0].(map[string]any)["final_answer"])

	// After the compaction: system, question, summary, observation.
	prompt = lines[2]["prompt"].([]any)
	require.Equal(t, "what was before", prompt[2].(map[string]any)["content"])
	require.Equal(t, "cell 1 failed", prompt[3].(map[string]any)["content"])
	require.Equal(t, "Ann", lines[2]["final_answer"])
	require.Nil(t, lines[3]["final_answer"])
}

// requireViewable checks what the visualizer assumes without checking.
func requireViewable(t *testing.T, it map[string]any) {
	t.Helper()
	for _, m := range it["prompt"].([]any) {
		require.IsType(t, "", m.(map[string]any)["role"])
		require.IsType(t, "", m.(map[string]any)["content"])
	}
	require.IsType(t, "", it["response"])
	require.IsType(t, 1.0, it["iteration_time"])
	for _, b := range it["code_blocks"].([]any) {
		result := b.(map[string]any)["result"].(map[string]any)
		require.IsType(t, "", result["stdout"])
		require.IsType(t, "", result["stderr"])
		require.IsType(t, map[string]any{}, result["locals"])
		for _, c := range result["rlm_calls"].([]any) {
			for _, number := range []string{"execution_time", "prompt_tokens", "completion_tokens"} {
				require.IsType(t, 1.0, c.(map[string]any)[number], number)
			}
		}
	}
}

func TestMarkdown(t *testing.T) {
	dir := sampleRun(t)
	out := exported(t, func(b *strings.Builder) error { return export.Markdown(b, trajectory.Read(dir)) })
	skimmed := exported(t, func(b *strings.Builder) error { return export.Markdown(b, trajectory.Skim(dir)) })
	require.Equal(t, strings.Count(out, "\n## "), strings.Count(skimmed, "\n## "))

	// According to a real Markdown parser, nothing inside a reply or an output adds to the page's own headings.
	doc := goldmark.New().Parser().Parse(text.NewReader([]byte(out)))
	var headings []string
	for n := doc.FirstChild(); n != nil; n = n.NextSibling() {
		if h, ok := n.(*ast.Heading); ok {
			headings = append(headings, strings.Repeat("#", h.Level)+" "+string(h.Lines().Value([]byte(out))))
		}
	}
	require.Equal(t, []string{
		`# Who said "stop"?`, "## Turn 1", "### Cell 1", "## Turn 2 (a summary of older messages)", "## Turn 2",
		"### Cell 2", "## Answer",
		"# And when?", "## Turn 1", "## No answer",
	}, headings)
	for _, want := range []string{
		"> Ann", "refused by the endpoint", "index out of range", "Child run 1.1/1",
		"printed ``` here", "classify: a record", "1 MB in 2 documents",
	} {
		require.Contains(t, out, want)
	}
	require.NotContains(t, out, strings.Repeat("a record that is long ", 20))
}

func TestExportOfARunThatWasKilled(t *testing.T) {
	dir := t.TempDir()
	log, err := trajectory.Create(dir, nil)
	require.NoError(t, err)
	for _, d := range []trajectory.Data{
		trajectory.RunStarted{Question: "q"},
		trajectory.TurnStarted{},
		trajectory.ReplyReceived{Content: trajectory.T("```go\nx\n```")},
		trajectory.CellStarted{Cell: 1, Source: "x"},
		trajectory.SubCallStarted{Cell: 1, Hash: "h", Prompt: trajectory.T("p")},
	} {
		_, err := log.Append("", 1, d)
		require.NoError(t, err)
	}
	require.NoError(t, log.Close())
	out := exported(t, func(b *strings.Builder) error { return export.Markdown(b, trajectory.Read(dir)) })
	require.Contains(t, out, "The run stopped while this cell ran")
	out = exported(t, func(b *strings.Builder) error { return export.Visualizer(b, trajectory.Read(dir)) })
	require.Equal(t, 2, strings.Count(out, "\n"))
}
