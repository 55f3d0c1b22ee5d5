package screen

import (
	"strings"
	"testing"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestMarkdownWithoutColours(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"prose is wrapped", "one two three four five six seven", "one two three four\nfive six seven"},
		{"lines stay lines", "one\ntwo", "one\ntwo"},
		{"hard break", "one  \ntwo", "one\ntwo"},
		{"heading", "## Two", "## Two"},
		{"marks stay", "a **b** *c* `d`", "a **b** *c* `d`"},
		{"list", "- one\n- two\n  - inner", "• one\n• two\n  • inner"},
		{"numbers", "3. three\n4. four", "3. three\n4. four"},
		{"quote", "> said\n>\n> again", "│ said\n│ \n│ again"},
		{"code keeps its form", "```go\nif a {\n\tb()\n}\n```", "  if a {\n      b()\n  }"},
		{"long code is broken", "```\n" + strings.Repeat("x", 20) + "\n```", "  " + strings.Repeat("x", 20)},
		{"link", "[text](file.md)", "text (file.md)"},
		{"blocks", "# A\n\ntext\n\n---", "# A\n\ntext\n\n" + strings.Repeat("─", 20)},
		{"table", "| a | b |\n|---|---|\n| 1 | 2 |", "┌─┬─┐\n│a│b│\n├─┼─┤\n│1│2│\n└─┴─┘"},
		{"html is text", "<b>x</b>", "<b>x</b>"},
	} {
		t.Run(tt.name, func(t *testing.T) { require.Equal(t, tt.want, Markdown(tt.in, 20, false)) })
	}
}

func TestMarkdownWithColours(t *testing.T) {
	out := Markdown("**b** and `c`\n\n```go\nreturn \"s\" // why\n```", 40, true)
	require.Equal(t, "b and c\n\n  return \"s\" // why", ansi.Strip(out))
	require.Contains(t, out, Bold.Render("b"))
	require.Contains(t, out, goKeyword.Render("return"))
	require.Contains(t, out, goString.Render(`"s"`))
	require.Contains(t, out, goComment.Render("// why"))
}

func TestMarkdownUnderlines(t *testing.T) {
	line := lipgloss.NewStyle().Underline(true)
	out := Markdown("cart 742 of 1742, in all **742**", 60, true, "742", "")
	require.Equal(t, "cart 742 of 1742, in all 742", ansi.Strip(out))
	require.Contains(t, out, "cart "+line.Render("742")+" of 1742, ", "whole words only")
	require.Contains(t, out, Bold.Underline(true).Render("742"))
	require.Equal(t, "cart 742", Markdown("cart 742", 60, false, "742"))
	require.Equal(t, "計"+line.Render("742")+"件、"+line.Render("田中")+"です",
		Markdown("計742件、田中です", 60, true, "742", "田中"))
	require.Equal(t, "742.50 "+line.Render("742")+", 1,742", Markdown("742.50 742, 1,742", 60, true, "742"))
	require.Equal(t, "Zoëlle "+line.Render("Zoë"), Markdown("Zoëlle Zoë", 60, true, "Zoë"))
	require.Contains(t, Markdown("a ghost-db[prod-9] [^zz1]", 60, true, "ghost-db[prod-9]", "[^zz1]"),
		line.Render("ghost-db[prod-9]")+" "+line.Render("[^zz1]"), "brackets")
	require.Contains(t, Markdown("```\ncart 742\n```", 60, true, "742"), "cart "+line.Render("742"), "in a code block")
}

// TestHighlightLosesNothing highlights text that may or may not be Go.
func TestHighlightLosesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		source := strings.Join(rapid.SliceOf(rapid.SampledFrom([]string{
			"func ", "x", " := ", "`raw\n", "`", "\"s\"", "\"", "1.5", "'", "// c\n", "/* c\n", "*/", "{\n", "}", "é",
			"\n", "#",
		})).Draw(t, "source"), "")
		require.Equal(t, source, ansi.Strip(highlight(source)))
	})
}

func TestMarkdownFitsItsWidth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.SampledFrom([]string{
			"a", "word", "**bold**", "`code`", "- ", "\n\n", "\n", "> ", "```\n", "1. ", "漢字",
		}), 0, 40).Draw(t, "words")
		width := rapid.IntRange(40, 100).Draw(t, "width")
		for line := range strings.Lines(Markdown(strings.Join(words, " "), width, true)) {
			require.LessOrEqual(t, lipgloss.Width(strings.TrimRight(line, "\n")), width+widthLeast, "%q", line)
		}
	})
}

// TestTablesAreNeverCut: whatever the width, all of a table is there, with its right border.
func TestTablesAreNeverCut(t *testing.T) {
	const note = "a long note about what was bought there in the spring of last year"
	for columns := 60; columns < 140; columns++ {
		drawn := Markdown("| customer | amount | note |\n|---|---:|---|\n"+
			"| Smith and Sons of the coast and of the far north | 1250.50 | "+note+" |\n", columns, false)
		for line := range strings.Lines(drawn) {
			require.Regexp(t, "[┐│┤┘]\n?$", line, columns)
		}
		for word := range strings.FieldsSeq(note) {
			require.Contains(t, drawn, word, columns)
		}
	}
}
