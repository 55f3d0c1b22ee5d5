package search_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/unicode/norm"

	"github.com/gorlm/rlm/internal/kit/search"
)

// finds reports whether a search for query in this text alone finds anything.
func finds(in, query string) bool { return len(search.NewIndex(in).Search(query, 1)) > 0 }

func TestSearchFindsKoreanWordsWithAnyParticle(t *testing.T) {
	const in = "계약은 종료되었다. 위약금을 지급한다. 주택법에 따른 API를 쓴다."
	for _, form := range []norm.Form{norm.NFC, norm.NFD} {
		for _, query := range []string{"계약", "계약의", "위약금", "위약금 지급", "법", "api", norm.NFD.String("계약")} {
			require.True(t, finds(form.String(in), query), "%q in %q", query, form.String(in))
		}
		require.False(t, finds(form.String(in), "보험"))
	}
	// The syllables of the word are common, the word is not.
	passages := strings.Repeat("계속 약속을 지켜야 한다는 말이 계속 나왔고 약속은 지켜졌다.\n\n", 80)
	found := search.NewIndex(passages+strings.Repeat("다른 문단이다. ", 20)+"계약은 끝났다.\n\n"+passages).Search("계약", 1)
	require.Contains(t, found[0].Text, "계약은")
}

func TestSearchFindsLettersInAnyForm(t *testing.T) {
	for in, query := range map[string]string{
		norm.NFD.String("das Café beträgt"): "beträgt",
		"das Café":                          norm.NFD.String("Café"),
		norm.NFD.String("Việt Nam"):         "việt",
		"Vi\u00ea\u0323t Nam":               "việt",
		norm.NFD.String("東京のガイド"):           "ガ",
		"der Ver\u00adtrag":                 "vertrag",
		"\uFEFFAnfang":                      "anfang",
		"10\u00a0000 EUR":                   "eur",
		"שָׁלוֹם עֲלֵיכֶם":                  "שלום",
		"كِتَابٌ جديد":                      "كتاب",
		"e\ufb03cient":                      "efficient",
		"ＡＢＣ １２３":                           "abc",
		"“quoted”":                          "quoted",
		"— größe":                           "GRÖSSE größe",
	} {
		require.True(t, finds(in, query), "%q in %q", query, in)
	}
	require.False(t, finds("Café", "caf"))
}

func TestSearchFindsThePartsOfNames(t *testing.T) {
	for name, queries := range map[string][]string{
		"parse_json_file": {"json", "parse file"},
		"parseJSONFile":   {"parse", "json", "file", "parsejsonfile", "parse_json_file"},
		"HTTPServer":      {"http", "server", "HTTPServer"},
		"HTTPAsyncClient": {"http", "async", "client"},
		"userIDs":         {"user", "id"},
		"URLs":            {"url"},
		"sha256Sum":       {"sha256", "sum"},
		"user2Name":       {"user2", "name"},
		"GitHub":          {"github", "hub"},
		"größeDerDatei":   {"größe", "datei"},
		"МойДокумент":     {"документ"},
	} {
		for _, query := range queries {
			require.True(t, finds("x "+name+"(y)", query), "%s in %s", query, name)
		}
	}
	require.False(t, finds("at 2026-03-01T04:05:06Z", "T04"))
	require.False(t, finds("an ERROR", "err"))
	require.False(t, finds("deadBEEF", "dea"))
}
