package search_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"

	"github.com/gorlm/rlm/internal/kit/search"
)

func TestGrepFindsWhatATextSpellsOtherwise(t *testing.T) {
	for _, c := range []struct{ in, expr, match string }{
		{norm.NFD.String("das Café dort"), "Café", norm.NFD.String("Café")},
		{norm.NFD.String("das Café dort"), "caf[éè]", ""},
		{norm.NFD.String("das Café dort"), "(?i)CAF[éè] d", norm.NFD.String("Café d")},
		{"das Café dort", norm.NFD.String("Café"), "Café"},
		{norm.NFD.String("das Café"), norm.NFD.String("Café"), norm.NFD.String("Café")},
		{norm.NFD.String("Tiếng Việt"), "Việt$", norm.NFD.String("Việt")},
		{"Ti\u00ea\u0301ng Vi\u00ea\u0323t", "Việt", "Vi\u00ea\u0323t"},
		{norm.NFD.String("계약은 종료"), "계약", norm.NFD.String("계약")},
		{norm.NFD.String("ガイド"), "ガ", norm.NFD.String("ガ")},
		{"the price: 5\u00a0EUR", `5 EUR`, "5\u00a0EUR"},
		{"the price: 5\u00a0EUR", `price:\s+\d\sEUR`, "price: 5\u00a0EUR"},
		{"the price:5\u00a0EUR", `5[^ ]EUR`, "5\u00a0EUR"},
		{"der Ver\u00adtrag gilt", "Vertrag", "Ver\u00adtrag"},
		{"der Ver\u00adtrag gilt", "(?i)vertrag|x", "Ver\u00adtrag"},
		{"ein Vertrag und\u00ad", "Vertrag", "Vertrag"},
		{"שָׁלוֹם", "שלום", "שָׁלוֹם"},
		{"an e\ufb03cient o\ufb00er", "(?i)EFFICIENT OFF", "e\ufb03cient o\ufb00"},
		{"an e\ufb03cient o\ufb00er", "efficient offer", "e\ufb03cient o\ufb00er"},
		{"an o\ufb00ice", "office", "o\ufb00ice"},
		{norm.NFD.String("é\nü"), "é\nü", norm.NFD.String("é\nü")},
		{"plain text", "absent", ""},
	} {
		hits, otherwise, err := search.FormOf(c.in).Grep("first line\n"+c.in+"\nlast", c.expr, 0)
		require.NoError(t, err)
		if c.match == "" {
			require.Empty(t, hits, "%q in %q", c.expr, c.in)
			continue
		}
		require.Len(t, hits, 1, "%q in %q", c.expr, c.in)
		require.Equal(t, c.match, hits[0].Match)
		require.Equal(t, len("first line\n")+strings.Index(c.in, c.match), hits[0].Offset)
		require.Equal(t, !regexp.MustCompile(c.expr).MatchString(c.in), otherwise, "%q in %q", c.expr, c.in)
	}
	_, _, err := search.Form{}.Grep("x", "a(", 0)
	require.ErrorContains(t, err, "missing closing )")
}

func TestAFormIsNamed(t *testing.T) {
	for in, want := range map[string]string{
		"plain, größer, 計画，Việt, ガ, x\u0304":               "",
		strings.Repeat("plain ", 9) + norm.NFD.String("é"): "decomposed letters (NFD)",
		norm.NFD.String("계"):                               "decomposed letters (NFD)",
		norm.NFD.String("ガ"):                               "decomposed letters (NFD)",
		"a\u00a0b\u202f":                                   "non-breaking or other special spaces",
		"שָׁלוֹם":                                          "vowel points",
		"\ufb01nd":                                         "ligatures, full-width letters or other presentation forms",
	} {
		require.Equal(t, want, search.FormOf(in).String(), in)
	}
	require.True(t, search.FormOf("\ufb01nd").Hides("find"))
	require.True(t, search.FormOf("a\u00adb").Hides("a.b"))
	require.False(t, search.FormOf("a\u00adb").Hides("xy"))
	require.False(t, search.FormOf("ab").Hides("x."))
}

// A search that respects the form of a text finds every line that a byte-by-byte search finds.
func TestAFormHidesNothing(t *testing.T) {
	pieces := []string{
		"a", "e", "é", "e\u0301", "\u0323", "ệ", "\u00ad", "\u00a0", " ", "\n", "가", "\u1100\u1161", "fi", "\ufb01",
		"ש\u05b8", "ש", "\xff",
	}
	exprs := []string{
		"é", "ệ", "e\u0301", "a é", "a e", "[éa]+", `a\s`, "fi", "(?i)É", "가", "שa", "ae|ea", "ee", "^a", "e$", "[^é]a",
		"e\u0301?a", "aé{2}",
	}
	rapid.Check(t, func(t *rapid.T) {
		in := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 30).Draw(t, "pieces"), "")
		expr := rapid.SampledFrom(exprs).Draw(t, "expr")
		exact, err := grep(in, expr, 0)
		require.NoError(t, err)
		hits, _, err := search.FormOf(in).Grep(in, expr, 0)
		require.NoError(t, err)
		lines := map[int]bool{}
		for _, h := range hits {
			lines[h.Line] = true
			require.Equal(t, h.Match, in[h.Offset:h.Offset+len(h.Match)])
		}
		for _, h := range exact {
			require.True(t, lines[h.Line], "%q in %q", expr, h.Text)
		}
	})
}

func TestAHitInALongLineShowsItsMatch(t *testing.T) {
	const longest = 3000
	filler := strings.Repeat(" größe u\u0301", 8000)
	for name, in := range map[string]string{
		"middle": filler + " the needle stands" + filler, "start": "needle" + filler, "end": filler + " needle",
		"twice": "needles " + filler + " the needle" + filler,
	} {
		hits, err := grep("before\n"+in+"\nafter", `needle\b`, 0)
		require.NoError(t, err)
		require.Len(t, hits, 1, name)
		for _, shown := range []string{hits[0].String(), search.Cited(hits[0])} {
			require.Regexp(t, `needle\b`, shown, name)
			require.Less(t, len(shown), longest, name)
			require.NotContains(t, shown, "\uFFFD")
			require.NotRegexp(t, "^…?\u0301", strings.TrimPrefix(shown, "2: "), name)
			require.NotRegexp(t, "u…?$", shown, "no accent is cut off: "+name)
		}
		begin := (search.Cited(hits[0]) + strings.Repeat(" ", 160))[:160]
		require.Regexp(t, `needle\b`, begin, "near the beginning, which every view shows: "+name)
		require.Contains(t, in, search.Cited(hits[0]))
		around, err := grep("before\n"+in+"\nafter", `needle\b`, 1)
		require.NoError(t, err)
		require.Less(t, len(around[0].String()), 3*longest)
		require.Regexp(t, `(?s)needle\b.*needle\b`, around[0].String())
	}
	short := strings.Repeat("x", 300)
	for line, cited := range map[string]bool{
		"a needle " + short: true, short + "needle": false, "the needle" + short + short: false,
	} {
		hits, err := grep(line, "needle", 0)
		require.NoError(t, err)
		require.Equal(t, "1: "+line, hits[0].String())
		require.Equal(t, cited, line == search.Cited(hits[0]), line)
	}
	long, err := grep(filler, "g.*", 0)
	require.NoError(t, err)
	require.Equal(t, filler, search.Cited(long[0]), "a match is cited whole")
}
