package search_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/gorlm/rlm/internal/kit/search"
)

func TestChunksCoverTheTextExactly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := drawText(t) + rapid.String().Draw(t, "more")
		size := rapid.IntRange(4, 40).Draw(t, "size")
		overlap := rapid.IntRange(0, size/2).Draw(t, "overlap")
		pieces, err := search.Chunks(in, size, overlap)
		require.NoError(t, err)
		end, last := 0, -1
		for _, p := range pieces {
			require.NotEmpty(t, p)
			require.LessOrEqual(t, len(p), size)
			start := offsetOf(in, p)
			require.Greater(t, start, last, "pieces go forward")
			require.LessOrEqual(t, start, end, "nothing is left out")
			require.LessOrEqual(t, end-start, overlap)
			require.Greater(t, start+len(p), end, "each piece adds something")
			last, end = start, start+len(p)
			if utf8.ValidString(in) {
				require.True(t, utf8.ValidString(p), "%q", p)
			}
		}
		require.Equal(t, len(in), end)
		if overlap == 0 {
			require.Equal(t, in, strings.Join(pieces, ""))
		}
	})
}

func TestChunksPreferParagraphsThenLinesThenWords(t *testing.T) {
	cases := []struct {
		name, in string
		size     int
		want     []string
	}{
		{"paragraphs", "aaaa\nbb\n\ncccc\ndd", 12, []string{"aaaa\nbb\n\n", "cccc\ndd"}},
		{"lines", "aaaa\nbbbb\ncccc", 11, []string{"aaaa\nbbbb\n", "cccc"}},
		{"words", "aaaa bbbb cccc", 11, []string{"aaaa bbbb ", "cccc"}},
		{"characters", "ééééé", 5, []string{"éé", "éé", "é"}},
		{"one piece", "short", 100, []string{"short"}},
		{"nothing", "", 100, nil},
		{
			"a border too early is not used", "a\n" + strings.Repeat("b", 20), 10,
			[]string{"a\nbbbbbbbb", "bbbbbbbbbb", "bb"},
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got, err := search.Chunks(c.in, c.size, 0)
			require.NoError(t, err)
			require.Equal(t, c.want, got)
		})
	}
}

func TestChunksOverlapAtLineBorders(t *testing.T) {
	got, err := search.Chunks("one\ntwo\nthree\nfour\nfive\n", 14, 7)
	require.NoError(t, err)
	require.Equal(t, []string{"one\ntwo\nthree\n", "three\nfour\n", "four\nfive\n"}, got)
	got, err = search.Chunks("one two three four five", 14, 7)
	require.NoError(t, err)
	require.Equal(t, []string{"one two three ", "three four ", "four five"}, got)
}

func TestChunksRefuseImpossibleSizes(t *testing.T) {
	_, err := search.Chunks("abc", 0, 0)
	require.ErrorContains(t, err, "too small")
	_, err = search.Chunks("abc", 100, 51)
	require.ErrorContains(t, err, "between 0 and half of the size (50)")
}
