package export_test

import (
	"encoding/json"
	"io"
	"iter"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"

	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/runner/trajectory/export"
)

// liveTexts are Markdown that a viewer would load or run.
var liveTexts = []string{
	"![p](http://127.0.0.1:9/leak?x)",
	`\![p](http://127.0.0.1:9/leak)`,
	"[![p](http://127.0.0.1:9/a)](http://127.0.0.1:9/b)",
	"![p][r]\n\n[r]: http://127.0.0.1:9/leak",
	`<img src="http://127.0.0.1:9/leak">`,
	"text <script>alert(1)</script> text",
	"<div>\n\n![p](http://127.0.0.1:9/leak)\n\n</div>",
	"<!-- comment --> <?php x ?> <!DOCTYPE x> <![CDATA[x]]>",
	"</details><script src=http://127.0.0.1:9/></script>",
	"<div>\n```\n\n```\n![p](http://127.0.0.1:9/leak)\n```\n", // the image is in code only if the first line is HTML
	"| a | b |\n|---|---|\n| `![p](http://127.0.0.1:9/leak)|x` | y |",
	"unpaired ` and ![p](http://127.0.0.1:9/leak)",
	"```\ncode\n```\n![p](http://127.0.0.1:9/leak)\n```",
	"> quote\n> ![p](http://127.0.0.1:9/leak)\n\n1. ![p](http://127.0.0.1:9/leak)",
	"![\np](http://127.0.0.1:9/leak)",
	"\t![p](http://127.0.0.1:9/leak)",
	"\ta ` b\nx `![p](http://127.0.0.1:9/leak)`",
	"```\n\t```\n![p](http://127.0.0.1:9/leak)\n```",
	"-\t```\n\t\t![p](http://127.0.0.1:9/leak)\n\t```",
	"~~~\ncode\r~~~\r![p](http://127.0.0.1:9/leak)\n~~~",
	"`a\r\r![p](http://127.0.0.1:9/leak)`",
	"[^1]\n\n[^1]: ![p](http://127.0.0.1:9/leak)",
	"![[http://127.0.0.1:9/leak]] ![p](<http://127.0.0.1:9/leak> \"t\")",
	"\\\\![p](http://127.0.0.1:9/leak) !\\[p](x) *!*[p](http://127.0.0.1:9/leak)",
	"~~~\r\n~~~\r\n![p](http://127.0.0.1:9/leak)\r\n",
	"`\n",
	"a `![p](http://127.0.0.1:9/leak)` b",
	strings.Repeat("a ", 100<<10) + "![p](http://127.0.0.1:9/leak)\n\n```\n<img src=x>\n```",
}

// folds matches the HTML that an export writes itself.
var folds = regexp.MustCompile(`^<details><summary>(Reasoning|System prompt, [\w. ]*)</summary>\s*$|^</details>\s*$`)

// requireInert checks that viewers of this Markdown load and run nothing.
func requireInert(t *testing.T, markdown string) {
	t.Helper()
	source := []byte(strings.ReplaceAll(strings.ReplaceAll(markdown, "\r\n", "\n"), "\r", "\n")) // as viewers read it
	for name, p := range map[string]parser.Parser{
		"plain": goldmark.New().Parser(), "GFM": goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser(),
	} {
		require.NoError(t, ast.Walk(
			p.Parse(text.NewReader(source)), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
				found := ""
				switch n := n.(type) {
				case *ast.Image:
					found = "an image"
				case *ast.RawHTML:
					found = string(n.Segments.Value(source))
				case *ast.HTMLBlock:
					found = string(n.Lines().Value(source))
				}
				require.Empty(t, folds.ReplaceAllString(found, ""), "%s: %s", name, around(n, source))
				return ast.WalkContinue, nil
			}))
	}
}

// around returns the text of the block that contains a node.
func around(n ast.Node, source []byte) string {
	for n.Type() != ast.TypeBlock && n.Parent() != nil {
		n = n.Parent()
	}
	if n.Type() != ast.TypeBlock {
		return ""
	}
	return string(n.Lines().Value(source))
}

// liveRun returns a run in which s is every text that does not come from this program.
func liveRun(t *testing.T, s string) string {
	t.Helper()
	dir := t.TempDir()
	log, err := trajectory.Create(dir, nil)
	require.NoError(t, err)
	result, err := json.Marshal(map[string]any{
		"value": s, "notes": []string{s}, "error": map[string]any{"kind": s, "message": s},
		"changed": []any{map[string]any{"name": s, "type": s, "preview": s}},
		"items":   []any{map[string]any{"data": map[string]any{"text/plain": s, "text/markdown": s}}},
	})
	require.NoError(t, err)
	reply := func() trajectory.ReplyReceived {
		return trajectory.ReplyReceived{
			Content: trajectory.T(s + "\n\n```go\nx\n```\n\n" + s), Reasoning: trajectory.T(s), FinishReason: s,
		}
	}
	for _, d := range []trajectory.Data{
		trajectory.ContextAdded{Size: 1, Documents: 1, Sources: []string{s}, Skipped: []string{s}},
		trajectory.RunStarted{Question: s, Model: s, SubModel: s, Sandbox: s, Run: s},
		trajectory.MessageAdded{Role: "system", Kind: "system", Content: trajectory.T(s)},
		trajectory.TurnStarted{},
		reply(),
		trajectory.CellStarted{Cell: 1, Source: "x"},
		trajectory.SubCallStarted{Cell: 1, Hash: "a", Impl: "llm_query", Prompt: trajectory.T(s)},
		trajectory.SubCallEnded{Cell: 1, Hash: "a", Reply: trajectory.T(s)},
		trajectory.SubCallStarted{Cell: 1, Hash: "b", Impl: "tool", Tool: s, Prompt: trajectory.T(s)},
		trajectory.SubCallEnded{Cell: 1, Hash: "b", Error: s},
		trajectory.CellEnded{Cell: 1, Output: s, ErrorKind: "Panic", Result: result},
		trajectory.Warned{About: "notebook", Text: s},
		trajectory.Nudged{Guard: s, Text: s},
		trajectory.SignalIgnored{Signal: s, Reason: s},
		trajectory.TurnFailed{Message: s},
		trajectory.Compacted{Messages: 1, Summary: trajectory.T(s)},
		trajectory.MessageAdded{Role: "user", Kind: "nudge", Content: trajectory.T(s)},
		trajectory.TurnStarted{},
		reply(),
		trajectory.RunEnded{
			Status: s, Reason: s, Answer: s, HasAnswer: true, Unverified: []string{s}, UnknownMarks: []string{s},
			Unsupported: s,
			Evidence: []trajectory.Evidence{
				{Mark: "[^a1]", Document: s, Part: s, Line: 1, Cells: s, Quote: s, Notes: []string{s}},
			},
			Grounding: &trajectory.Grounding{Verdict: s, Values: []trajectory.GroundedValue{
				{Value: s, Why: s}, {Value: s, Why: s, Grounded: true, Where: &trajectory.Place{Document: s}},
			}},
		},
	} {
		_, err := log.Append("", 1, d)
		require.NoError(t, err)
	}
	require.NoError(t, log.Close())
	return dir
}

func TestNothingOfAnExportIsLoadedOrRun(t *testing.T) {
	t.Parallel()
	for _, s := range liveTexts {
		dir := liveRun(t, s)
		out := exported(t, func(b *strings.Builder) error { return export.Markdown(b, trajectory.Read(dir)) })
		requireInert(t, out)

		out = exported(t, func(b *strings.Builder) error { return export.Notebook(b, trajectory.Read(dir)) })
		var n struct {
			Cells []struct {
				Type    string `json:"cell_type"`
				Source  string
				Outputs []struct{ Data map[string]any }
			}
		}
		require.NoError(t, json.Unmarshal([]byte(out), &n))
		markdown := 0
		for _, c := range n.Cells {
			if c.Type == "markdown" {
				requireInert(t, c.Source)
				markdown++
			}
			for _, o := range c.Outputs {
				if text, ok := o.Data["text/markdown"].(string); ok {
					requireInert(t, text)
					markdown++
				}
				require.NotContains(t, o.Data, "text/html")
			}
		}
		require.Greater(t, markdown, 4)
	}
}

// Code is unchanged, images become links, and HTML is readable.
func TestAnExportKeepsWhatCanBeRead(t *testing.T) {
	t.Parallel()
	code := "```go\nif a<b && !m[x] { <-c }\nvar s = \"![x](y) <b>\"\n```"
	dir := liveRun(t, "See ![the map](http://127.0.0.1:9/map), `<b>` and <b>bold</b>:\n\n"+code)
	for _, write := range []func(io.Writer, iter.Seq2[trajectory.Event, error]) error{
		export.Markdown, export.Notebook,
	} {
		out := exported(t, func(b *strings.Builder) error { return write(b, trajectory.Read(dir)) })
		out = strings.NewReplacer(
			"\n> ", "\n", `\n`, "\n", `\"`, `"`, `\u003c`, "<", `\u003e`, ">", `\u0026`, "&").Replace(out)
		require.Contains(t, out, code)
		require.Contains(t, out, "See &#33;[the map](http://127.0.0.1:9/map), `<b>` and &lt;b>bold&lt;/b>:")
	}
}
