package search_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/gorlm/rlm/internal/kit/search"
)

// distance returns the textbook Levenshtein distance over bytes, ignoring the case of ASCII letters.
func distance(a, b string) int {
	a, b = strings.ToLower(a), strings.ToLower(b)
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

// closest returns the smallest distance of pattern from any part of in.
func closest(in, pattern string) int {
	best := len(pattern)
	for i := range len(in) + 1 {
		for j := i; j <= len(in); j++ {
			best = min(best, distance(in[i:j], pattern))
		}
	}
	return best
}

func TestSimilarFindsTheClosestPlace(t *testing.T) {
	letters := rapid.SampledFrom([]rune("abcAB \n"))
	rapid.Check(t, func(t *rapid.T) {
		in := rapid.StringOfN(letters, 0, 40, -1).Draw(t, "in")
		pattern := rapid.StringOfN(letters, 1, 8, -1).Draw(t, "pattern")
		found, err := search.Similar(in, pattern, 3)
		require.NoError(t, err)
		best := closest(in, pattern)
		if best > len(pattern)/3 {
			require.Empty(t, found)
			return
		}
		require.NotEmpty(t, found)
		require.Equal(t, best, found[0].Distance)
		for _, f := range found {
			require.Equal(t, f.Text, in[f.Offset:f.Offset+len(f.Text)])
			require.Equal(t, f.Distance, distance(f.Text, pattern), "%q and %q", f.Text, pattern)
			require.Equal(t, strings.Count(in[:f.Offset], "\n")+1, f.Line)
		}
	})
}

func TestSimilarWithLongPatterns(t *testing.T) {
	sentence := "the supplier shall deliver the goods within thirty days after the receipt of a written order by the buyer"
	in := strings.Repeat("Nothing to see in this line, it is only here to be long.\n", 200) +
		"And so The supplier shal deliver teh goods within thirty (30) days after receipt of a written order by the buyer.\n"
	found, err := search.Similar(in, sentence, 1)
	require.NoError(t, err)
	require.Len(t, found, 1)
	require.Equal(t, 201, found[0].Line)
	require.Equal(t, distance(found[0].Text, sentence), found[0].Distance)
	require.True(t, strings.HasPrefix(found[0].Text, "The supplier shal"), found[0].Text)
}

func TestSimilarKeepsTheBestOfMany(t *testing.T) {
	in := strings.Repeat("Jonh Smiht; ", 5000) + "John Smith; " + strings.Repeat("Jon Smiht; ", 5000)
	found, err := search.Similar(in, "john smith", 2)
	require.NoError(t, err)
	require.Equal(t, "John Smith", found[0].Text)
	require.Equal(t, 0, found[0].Distance)
	require.NotZero(t, found[1].Distance)
}

func TestSimilarTakesWholeWords(t *testing.T) {
	found, err := search.Similar(
		"certificate of the service not renewed yet", "certificat of the service not renewd", 1)
	require.NoError(t, err)
	require.Equal(t, "certificate of the service not renewed", found[0].Text)
	found, err = search.Similar("wrote Smith, Jon to Jhon Smiths", "john smith", 1)
	require.NoError(t, err)
	require.Equal(t, "Jhon Smith", found[0].Text)
}
