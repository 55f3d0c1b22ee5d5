package prompts_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/prompts"
)

func TestNoNameOfAFunctionIsInATemplate(t *testing.T) {
	files, err := filepath.Glob("templates/*.tmpl")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	names := regexp.MustCompile(
		`\b(FINAL|FINAL_VAR|SHOW_VARS|finish_\w+|task_completed|llm_query\w*|rlm_query\w*|grep|chunks)\b`)
	for _, f := range files {
		b, err := os.ReadFile(f)
		require.NoError(t, err)
		require.Empty(t, names.FindAllString(string(b), -1), f)
	}
}

func TestSystemLeavesOutWhatIsNotThere(t *testing.T) {
	bare, err := prompts.Variant{}.System(prompts.Setup{Names: prompts.Names{Final: "done"}, Output: 20_000})
	require.NoError(t, err)
	for _, gone := range []string{"Two examples", "ask a model", "sub-call", "<no value>", "\n\n\n", " ,", "5."} {
		require.NotContains(t, bare, gone)
	}
	full, err := prompts.Variant{}.System(prompts.Setup{
		Task: true, Names: prompts.Names{
			Query: "q", QueryBatched: "qb", QueryJSON: "qj", ChildQuery: "child", Final: "done", Finish: "finished",
		},
		Builtins:   []prompts.Builtin{{Name: "done", Doc: "done(x any)\n[COMPLETION SIGNAL] Ends it."}},
		QueryChars: 50_000, Concurrency: 4, Output: 1000, CellTime: time.Minute, CellMemory: 1 << 30,
		Packages: []string{"fmt", "strings"}, Additions: "Be brief.",
	})
	require.NoError(t, err)
	for _, there := range []string{
		"25k characters", "qb", "qj", "child", "finished", "done(x any)\n  [COMPLETION SIGNAL]", "fmt, strings",
		"Be brief.", "i += 25000", "for 60 seconds", "1 GiB", "4 run at once", "a person reviews",
	} {
		require.Contains(t, full, there)
	}
}

func TestQuestion(t *testing.T) {
	facts := &prompts.Facts{
		Bytes: 5 << 20, Chars: 5_000_000, Lines: 70_000, Tokens: 1_250_000, Total: 60, Head: "\n\n\nhead",
		Tail:      "tail\n",
		Documents: []prompts.Document{{Name: "a", Bytes: 10, Kind: "pdf", Pages: 12, Note: "2 pages without text"}},
		Encodings: []string{"utf-16le"}, Skipped: []string{"x.png (binary)"},
	}
	text, err := prompts.Variant{}.Ask(
		prompts.Question{Text: "Why?\n\n\nReally.", Facts: facts, First: true, Own: []string{"own cell"}})
	require.NoError(t, err)
	for _, there := range []string{
		"Why?\n\n\nReally.", "5242880 bytes (5000000 characters), 70k lines, roughly 1.2M tokens, 60 documents",
		"a (pdf, 12 pages, 10 bytes, 2 pages without text); and 59 more",
		"x.png (binary)", "```text\nhead\n```\nIt ends:\n```text\ntail\n```", "own cell",
	} {
		require.Contains(t, text, there)
	}
	later, err := prompts.Variant{}.Ask(prompts.Question{Text: "And?"})
	require.NoError(t, err)
	require.Equal(t, "Next question: And?\n", later)
	empty, err := prompts.Variant{}.Ask(prompts.Question{Text: "Hm?", Facts: &prompts.Facts{}, First: true})
	require.NoError(t, err)
	require.Contains(t, empty, "There is no text")
}

func TestNotices(t *testing.T) {
	names := prompts.Names{Final: "done", FinalVar: "done_var", Vars: "vars"}
	text, err := prompts.Variant{}.LastTurn(prompts.Limit{What: "cost", Used: "$1.01", Bound: "$1", Names: names})
	require.NoError(t, err)
	require.Contains(t, text, "cost ($1.01 of $1)")
	require.Contains(t, text, "done_var")
	require.Contains(t, text, "Sub-calls are not possible")
	text, err = prompts.Variant{}.Recap(prompts.CompactionNotice{Messages: 8, Summary: "so far", Names: names})
	require.NoError(t, err)
	require.Contains(t, text, "8 earlier messages")
	require.Contains(t, text, "so far")
	text, err = prompts.Variant{}.Summarise(prompts.Summary{Words: 300})
	require.NoError(t, err)
	require.Contains(t, text, "300 words")
}

func TestCapacitiesAgree(t *testing.T) {
	for window, want := range map[int64]int64{
		0: 100_000, 28_000: 10_000, 50_000: 25_000, 448_000: 220_000,
		700_000: 350_000, 3_500_000: 500_000, 8_000: 4_000,
	} {
		s := prompts.Setup{
			QueryChars: window,
			Names:      prompts.Names{Query: "q", QueryBatched: "qb", Chunks: "cut", Final: "done"},
		}
		require.Equal(t, want, s.FatPrompt(), window)
		text, err := prompts.Variant{}.System(s)
		require.NoError(t, err)
		require.Contains(t, text, fmt.Sprintf("range cut(context, %d)", want), "the example cuts as the advice says")
		require.NotContains(t, text, "100 000")
	}
}

func TestAPreviewStandsInALongerFence(t *testing.T) {
	facts := &prompts.Facts{Bytes: 30, Chars: 30, Lines: 3, Tokens: 7, Total: 1, Head: "# A\n````go\nx\n````\n"}
	text, err := prompts.Variant{}.Ask(prompts.Question{Text: "?", Facts: facts, First: true})
	require.NoError(t, err)
	require.Contains(t, text, "This is all of it:\n`````text\n# A\n````go\nx\n````\n`````")
	require.Contains(t, text, "30 bytes, 3 lines")
}

func TestDocumentsAreListedWithoutTheirCommonFolder(t *testing.T) {
	facts := &prompts.Facts{Bytes: 30, Total: 3, Head: "x", Documents: []prompts.Document{
		{Name: "/data/reports/2026/a.txt", Bytes: 12_345}, {Name: "/data/reports/2026/b\nc.txt", Bytes: 2},
	}}
	text, err := prompts.Variant{}.Ask(prompts.Question{Text: "?", Facts: facts, First: true})
	require.NoError(t, err)
	require.Contains(t, text,
		"Documents, whose names all begin with `/data/reports/2026/`: a.txt (12345 bytes); b c.txt (2 bytes); and 1 more.")
	facts.Documents = []prompts.Document{{Name: "a/x"}, {Name: "a/y"}}
	text, err = prompts.Variant{}.Ask(prompts.Question{Text: "?", Facts: facts, First: true})
	require.NoError(t, err)
	require.Contains(t, text, "Documents: a/x (0 bytes); a/y (0 bytes)")
}
