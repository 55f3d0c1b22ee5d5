package search_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/gorlm/rlm/internal/kit/search"
)

// grep searches a plain text.
func grep(text, expr string, around int) ([]search.Hit, error) {
	hits, _, err := search.Form{}.Grep(text, expr, around)
	return hits, err
}

// drawText generates texts of few letters, so that patterns often match, with all kinds of line ends.
func drawText(t *rapid.T) string {
	pieces := rapid.SliceOfN(rapid.SampledFrom([]string{
		"a", "b", "ab", "error", "ERROR", "Task", "taſk", " ", "\n", "\n\n", "\r\n", "é", "日本", "x=1,", "\xff", "\t",
	}), 0, 60).Draw(t, "pieces")
	return strings.Join(pieces, "")
}

func TestGrepAgreesWithMatchingLineByLine(t *testing.T) {
	exprs := []string{
		"a", "ab", "error", "(?i)error", "(?i)task", "^a", "b$", "a.*b", "[^b]+$", `\berror\b`, "error|task",
		"(?i)error|日本", "a+b?",
		`\s`, `x=(\d+)`, "(ab){2,}", "é", ".", "^$", "x*", "", "(?i)é", `[[:upper:]]+`, "(?s)a.b",
	}
	rapid.Check(t, func(t *rapid.T) {
		in, expr := drawText(t), rapid.SampledFrom(exprs).Draw(t, "expr")
		hits, err := grep(in, expr, 0)
		require.NoError(t, err)
		re := regexp.MustCompile(expr)
		type found struct {
			offset, line int
			match        string
		}
		var want, got []found
		offset := 0
		for i, line := range strings.SplitAfter(in, "\n") {
			body := strings.TrimSuffix(line, "\n")
			if body != line {
				body = strings.TrimSuffix(body, "\r")
			}
			if m := re.FindStringIndex(body); m != nil && line != "" {
				want = append(want, found{offset + m[0], i + 1, body[m[0]:m[1]]})
			}
			offset += len(line)
		}
		for _, h := range hits {
			got = append(got, found{h.Offset, h.Line, h.Match})
			require.Equal(t, h.Match, in[h.Offset:h.Offset+len(h.Match)])
		}
		require.Equal(t, want, got, "%q in %q", expr, in)
	})
}

func TestGrepTakesCRLFForALineEnd(t *testing.T) {
	const in = "an error\r\nok\r\n\r\nsecond error\r\nlast error"
	for _, c := range []struct {
		expr string
		want []string
	}{
		{`error$`, []string{"error", "error", "error"}},
		{`^ok$`, []string{"ok"}},
		{`^$`, []string{""}},
		{`^\s*$`, []string{""}},
		{`.+$`, []string{"an error", "ok", "second error", "last error"}},
		{`[^k]$`, []string{"r", "r", "r"}},
		{`(?m)^[a-z]+ error$`, []string{"an error", "second error", "last error"}},
		{`error\z`, []string{"error", "error", "error"}},
		{"error\nok", []string{"error\r\nok"}},
		{`error\nok$`, []string{"error\r\nok"}},
		{`error\r?\nok`, []string{"error\r\nok"}},
		{`ok\n\n`, []string{"ok\r\n\r\n"}},
		{`\r`, []string{"\r", "\r", "\r", "\r"}},
		{`error\r$`, []string{"error\r", "error\r"}},
		{`error\r?$`, []string{"error\r", "error\r", "error"}},
	} {
		hits, err := grep(in, c.expr, 0)
		require.NoError(t, err)
		var got []string
		for _, h := range hits {
			got = append(got, h.Match)
			require.Equal(t, h.Match, in[h.Offset:h.Offset+len(h.Match)])
			require.NotContains(t, h.Text, "\r")
		}
		require.Equal(t, c.want, got, c.expr)
	}
}

func TestGrepShowsTheLinesAround(t *testing.T) {
	in := "one\ntwo\nthree\nfour\nfive"
	hits, err := grep(in, "three", 1)
	require.NoError(t, err)
	require.Equal(t, []search.Hit{{Offset: 8, Line: 3, Text: "three", Match: "three", Around: "two\nthree\nfour"}},
		hits)
	require.Equal(t, "3: three\ntwo\nthree\nfour\n", hits[0].String())

	hits, err = grep(in, "one|five", 9)
	require.NoError(t, err)
	require.Equal(t, in, hits[0].Around)
	require.Equal(t, in, hits[1].Around)
}

func TestGrepMatchesOverLineEndsOnlyWhenAsked(t *testing.T) {
	in := "start {\n  body\n}\nstart { }\n"
	hits, err := grep(in, `\{\n[^}]*\}`, 0)
	require.NoError(t, err)
	require.Len(t, hits, 1)
	require.Equal(t, "{\n  body\n}", hits[0].Match)
	require.Equal(t, "start {", hits[0].Text)

	hits, err = grep(in, `\{[^}]*\}`, 0)
	require.NoError(t, err)
	require.Len(t, hits, 1)
	require.Equal(t, 4, hits[0].Line)
}

func TestGrepRefusesABadPattern(t *testing.T) {
	_, err := grep("x", "a(", 0)
	require.ErrorContains(t, err, "missing closing )")
	_, err = grep("x", `(?=a)`, 0)
	require.Error(t, err)
}

func TestGrepSplitsALargeTextAtLineEnds(t *testing.T) {
	line := strings.Repeat("x", 99) + "\n"
	in := strings.Repeat(line, 50_000) + "needle here\n" + strings.Repeat(line, 50_000) + "no line end: needle"
	for _, expr := range []string{"needle", "n[e]{2}dle", "(?i)NEEDLE"} {
		hits, err := grep(in, expr, 0)
		require.NoError(t, err)
		require.Len(t, hits, 2, expr)
		require.Equal(t, 50_001, hits[0].Line)
		require.Equal(t, 100_002, hits[1].Line)
	}
	hits, err := grep(in, "^", 0)
	require.NoError(t, err)
	require.Len(t, hits, 100_002)
}

func FuzzGrep(f *testing.F) {
	f.Add("a\nb error\n", "err.*")
	f.Add("ſK\nsk", "(?i)sk")
	f.Fuzz(func(t *testing.T, in, expr string) {
		hits, err := grep(in, expr, 2)
		if err != nil {
			return
		}
		for _, h := range hits {
			require.Equal(t, h.Match, in[h.Offset:h.Offset+len(h.Match)])
			require.Equal(t, strings.Count(in[:h.Offset], "\n")+1, h.Line)
			require.Contains(t, h.Around, h.Text)
		}
	})
}
