package screen

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestPrinterKeepsTheOrder(t *testing.T) {
	var p Printer
	require.True(t, p.Empty())
	p.Add("one\ntwo", 80)
	p.Add("", 80)
	p.Add("three\nfour\nfive", 80)
	require.Equal(t, "one\ntwo\nthree", p.Next(3))
	p.Add("six", 80)
	require.Equal(t, "four", p.Next(0), "always at least a line")
	require.Equal(t, "five\nsix", p.Next(10))
	require.True(t, p.Empty())
}

func TestFit(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"fits", "a line", "a line"},
		{"words", "one two three", "one two\nthree"},
		{"flags stay whole", "see --no-url", "see\n--no-url"},
		{"dates stay whole", "on 26-11-29", "on\n26-11-29"},
		{"a long word", strings.Repeat("x", 20), "xxxxxxxxx\nxxxxxxxxx\nxx"},
		{"one cell is left free", "1234567890", "123456789\n0"},
		{"wide characters", "漢字漢字漢字", "漢字漢字\n漢字"},
		{"tabs", "\ta", "    a"},
		{"obeyed", "a\x1b[2Jb", "ab"},
		{"styles go on", "\x1b[31mone two three\x1b[m", "\x1b[31mone two\x1b[m\n\x1b[31mthree\x1b[m"},
	} {
		t.Run(tt.name, func(t *testing.T) { require.Equal(t, tt.want, Fit(tt.in, 10)) })
	}
}

// The continuation of an indented line is indented too; in a list of two columns, up to the second column.
func TestIndentedLinesHang(t *testing.T) {
	r := NewRenderer(30, false)
	require.Equal(t, "a text that is not indented\ngoes on at the edge", r.Wrap("a text that is not indented goes on at the edge", 0))
	require.Equal(t, "ways:\n  one      the first of the\n           two\n  some more words than fit\n    here",
		r.Wrap("ways:\n  one      the first of the two\n  some more words than fit here", 0))
}

func TestNothingIsWiderThanTheScreen(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOf(rapid.SampledFrom([]string{
			"word ", "a", "longwordwithoutanend", "漢", "👨‍👩‍👧‍👦", "🇩🇪", "é", "e\u0301", "\t", "\n", "\x1b[31m",
			"\x1b[0m", "-", "\x1b]0;t\a",
		})).Draw(t, "text"), "")
		columns := rapid.IntRange(12, 100).Draw(t, "columns")
		for line := range strings.SplitSeq(Fit(text, columns), "\n") {
			require.Less(t, ansi.StringWidth(line), columns, "%q", line)
			require.Less(t, ansi.StringWidthWc(line), columns, "%q", line)
		}
	})
}
