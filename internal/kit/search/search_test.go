package search_test

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/gorlm/rlm/internal/kit/search"
)

// bm25 ranks paragraphs by the BM25 formula, without an index.
func bm25(paragraphs []string, query string) (order []int, scores []float64) {
	words := func(s string) []string {
		return strings.FieldsFunc(
			strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	}
	total := 0
	for _, p := range paragraphs {
		total += len(words(p))
	}
	average := float64(total) / float64(len(paragraphs))
	scores = make([]float64, len(paragraphs))
	asked := map[string]bool{}
	for _, q := range words(query) {
		if asked[q] {
			continue
		}
		asked[q] = true
		counts, df := make([]float64, len(paragraphs)), 0.0
		for i, p := range paragraphs {
			for _, w := range words(p) {
				if w == q {
					counts[i]++
				}
			}
			if counts[i] > 0 {
				df++
			}
		}
		idf := math.Log(1 + (float64(len(paragraphs))-df+0.5)/(df+0.5))
		for i, tf := range counts {
			scores[i] += idf * tf * 2.2 / (tf + 1.2*(0.25+0.75*float64(len(words(paragraphs[i])))/average))
		}
	}

	for i := range paragraphs {
		if scores[i] > 0 {
			order = append(order, i)
		}
	}
	sort.SliceStable(order, func(a, b int) bool { return scores[order[a]] > scores[order[b]]+1e-9 })
	return order, scores
}

func TestSearchRanksAsTheFormulaSays(t *testing.T) {
	vocabulary := []string{
		"harbour", "vessel", "cargo", "insurance", "storm", "captain", "rope", "anchor", "tariff",
		"crane", "Hafen", "größe",
	}
	rapid.Check(t, func(t *rapid.T) {
		paragraphs := make([]string, rapid.IntRange(2, 12).Draw(t, "paragraphs"))
		for i := range paragraphs {
			// Paragraphs are so long that none is joined with the next one into a passage.
			words := rapid.SliceOfN(rapid.SampledFrom(vocabulary), 60, 120).Draw(t, "words")
			paragraphs[i] = strings.Join(words, " ") + "\n\n"
		}
		query := strings.Join(rapid.SliceOfN(rapid.SampledFrom(vocabulary), 1, 3).Draw(t, "query"), " ")
		in := strings.Join(paragraphs, "")
		found := search.NewIndex(in).Search(query, 5)
		want, scores := bm25(paragraphs, query)
		require.Len(t, found, min(5, len(want)))
		for i, f := range found {
			at := slices.IndexFunc(paragraphs, func(p string) bool { return strings.TrimSpace(p) == f.Text })
			require.GreaterOrEqual(t, at, 0, f.Text)
			require.InDelta(t, scores[want[i]], scores[at], 1e-9, "those of one score come in any order")
			require.Equal(t, strings.Count(in[:f.Offset], "\n")+1, f.Line)
		}
	})
}

// An index built step by step equals one built in a single step, whatever the size of the steps, and reports its
// progress.
func TestIndexingStepByStep(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.SampledFrom([]string{"harbour", "vessel", "cargo", "größe", "a\n", "b\n\n"}), 0,
			2000).Draw(t, "words")
		in := strings.Join(words, " ")
		steps := rapid.SliceOfN(rapid.IntRange(1, 4000), 1, 8).Draw(t, "steps")
		making := search.NewIndexBuilder(in)
		var index *search.Index
		for n, read := 0, 0; index == nil; n++ {
			index = making.Step(steps[n%len(steps)])
			require.Greater(t, making.Read()+1, read, "it goes on")
			require.LessOrEqual(t, making.Read(), len(in))
			if read = making.Read(); index == nil {
				require.Less(t, read, len(in))
			}
		}
		require.Equal(t, len(in), making.Read())
		for _, query := range []string{"harbour cargo", "größe", "a b", ""} {
			require.Equal(t, search.NewIndex(in).Search(query, 5), index.Search(query, 5))
		}
	})
}

func TestSearchFindsRareWordsInALargeText(t *testing.T) {
	var b strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&b, "Entry %d of the ledger: routine maintenance of unit %d, nothing to report, signed by clerk %d.\n", i, i*7, i%13)
		if i == 12_345 {
			b.WriteString("The reservoir valve was found corroded; Dr. Okonkwo ordered a replacement.\n")
		}
	}
	index := search.NewIndex(b.String())
	found := index.Search("who ordered the replacement of the corroded valves", 3)
	require.Contains(t, found[0].Text, "Okonkwo")
	require.Greater(t, found[0].Score, found[1].Score*1.5)
	require.Empty(t, index.Search("xylophone", 3))
	require.Empty(t, index.Search("", 3))
}

func TestSearchInScriptsWithoutSpaces(t *testing.T) {
	in := strings.Repeat("天気は晴れです。今日は何もありません。\n\n", 40) + "港の倉庫で火災が発生しました。\n\n" + strings.Repeat("明日も晴れでしょう。\n\n", 40)
	found := search.NewIndex(in).Search("倉庫の火災", 1)
	require.Contains(t, found[0].Text, "火災")
}

func FuzzSearch(f *testing.F) {
	f.Add("some text\n\nmore text", "text")
	f.Fuzz(func(t *testing.T, in, query string) {
		for _, p := range search.NewIndex(in).Search(query, 3) {
			require.True(t, strings.HasPrefix(in[p.Offset:], p.Text))
		}
	})
}
