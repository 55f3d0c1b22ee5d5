package reply

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
	"pgregory.net/rapid"
)

// The tests of this file compare with unmodified goldmark: all its block parsers, inline parsers and transformers.

// fence is a fenced block as goldmark reports it.
type fence struct{ lang, body string }

func goldmarkFences(src []byte) []fence {
	var out []fence
	doc := goldmark.DefaultParser().Parse(text.NewReader(src))
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if b, ok := n.(*ast.FencedCodeBlock); ok && entering {
			out = append(out, fence{string(b.Language(src)), string(b.Lines().Value(src))})
		}
		return ast.WalkContinue, nil
	})
	return out
}

// markdown generates random Markdown from relevant pieces.
func markdown(pieces ...string) *rapid.Generator[string] {
	common := []string{
		"\n", "\n", "\n\n", "```", "```", "```go\n", "```\n", "~~~", "~~~ go\n", "````", "> ", ">", "- ", "1. ", "  ",
		"    ", "\t", " ", "# ",
		"x := 1\n", "word ", "`", "``", "\\", "<div>\n", "<b>", "<!-- ", " -->", "===\n", "---\n", "***", "python\n",
		"* ", "é ",
	}
	return rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom(append(common, pieces...)), 0, 60).Draw(t, "pieces"), "")
	})
}

func TestCellsAgreeWithGoldmark(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		src := markdown("| a | b |\n", "[x](y)").Draw(t, "reply")
		var got []fence
		for _, b := range readMarkdown(src).blocks {
			if b.fenced {
				lang, _, _ := strings.Cut(b.info, " ")
				got = append(got, fence{lang, b.body})
			}
		}
		want := goldmarkFences([]byte(src))
		require.Equal(t, want, got)

		e := Parse(src, DefaultNames(), false)
		tagged, others := 0, 0
		for _, f := range want {
			if f.lang == "go" {
				tagged++
			} else {
				others++
			}
		}
		told := len(e.Cells) + len(e.Skipped)
		require.GreaterOrEqual(t, told, tagged+others, "%+v", e)
		for _, c := range e.Cells {
			if c.Lang == "go" {
				require.Contains(t, want, fence{"go", c.Source})
			}
			first, _, _ := strings.Cut(c.Source, "\n")
			require.Contains(t, strings.Split(src, "\n")[c.Line-1], strings.TrimLeft(first, " \t"),
				"the cell's line number")
		}
	})
}

// whereCalls reports for each FINAL("kN") of src whether goldmark takes it for text.
func whereCalls(src []byte, n int) map[string]bool {
	isText := map[string]bool{}
	doc := goldmark.DefaultParser().Parse(text.NewReader(src))
	note := func(seg text.Segment, yes bool) {
		for i := range n {
			at := strings.Index(string(src), numbered(i))
			if at >= seg.Start && at < seg.Stop {
				isText[fmt.Sprint("k", i)] = yes
			}
		}
	}
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Text:
			_, inSpan := n.Parent().(*ast.CodeSpan)
			note(n.Segment, !inSpan)
		case *ast.HTMLBlock:
			for i := range n.Lines().Len() {
				note(n.Lines().At(i), n.HTMLBlockType >= ast.HTMLBlockType6)
			}
		}
		return ast.WalkContinue, nil
	})
	return isText
}

func numbered(i int) string { return fmt.Sprintf("FINAL(\"k%d\")", i) }

func TestNoCallInsideCodeIsReported(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		src := markdown("@", "@", "@", "@ ", "\n@\n", "`@`", "<a href=\"`\">").Draw(t, "reply")
		n := strings.Count(src, "@")
		for i := range n {
			src = strings.Replace(src, "@", numbered(i), 1)
		}
		seen := map[string]bool{}
		for _, d := range Parse(src, DefaultNames(), false).Signals {
			seen[d.Content] = true
		}
		isText := whereCalls([]byte(src), n)
		for i := range min(n, maxCalls) {
			key := fmt.Sprint("k", i)
			if seen[key] || !strings.Contains(src, "<!--") {
				require.Equal(t, isText[key], seen[key], "%s is text, and reported:\n%s", key, src)
			}
		}
	})
}

func TestParseTakesAnything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SampledFrom([]Names{DefaultNames(), {}, {Signals: []string{"a"}}}).Draw(t, "names")
		src := markdown("FINAL(", "FINAL_VAR(", "finish_task", "\"", "\"\"\"", "'", "(", ")", "{", "}", "[", "<think>",
			"</think>", "\r\n", "\x00", "\xff", ",", "+").Draw(t, "reply")
		cut := rapid.Bool().Draw(t, "cut")
		checkReply(t, src, Parse(src, names, cut))
	})
}

// checkReply checks what is true of every reply.
func checkReply(t require.TestingT, src string, r Reply) {
	lines := strings.Count(src, "\n") + 1
	prose := stripThinking(normalize(src)).said
	for _, d := range r.Signals {
		require.Contains(t, prose, strings.TrimSpace(d.RawMatch))
		require.LessOrEqual(t, d.Line, lines)
		require.False(t, d.Counts(true) && !d.Counts(false), "what counts beside cells counts without them")
	}
	require.LessOrEqual(t, len(r.Signals), maxCalls)
	for _, c := range r.Cells {
		require.NotEmpty(t, strings.TrimSpace(c.Source))
		require.LessOrEqual(t, c.Line, lines)
	}
	for _, s := range r.Skipped {
		require.NotEmpty(t, s.Reason)
	}
}
