package text_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/gorlm/rlm/internal/kit/text"
)

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0},
		{"", "abc", 3},
		{"kitten", "sitting", 3},
		{"ab", "ba", 1},
		{"größe", "grosse", 3},
		{"same", "same", 0},
	} {
		require.Equal(t, c.want, text.Distance(c.a, c.b), "%q %q", c.a, c.b)
	}
	require.Equal(t, 64, text.Distance(strings.Repeat("a", 65), "a"))
}

func TestDistanceIsSymmetricAndBounded(t *testing.T) {
	name := rapid.StringMatching(`[a-cA-C_]{0,12}`)
	rapid.Check(t, func(t *rapid.T) {
		a, b := name.Draw(t, "a"), name.Draw(t, "b")
		d := text.Distance(a, b)
		require.Equal(t, d, text.Distance(b, a))
		require.LessOrEqual(t, d, max(len(a), len(b)))
		require.Equal(t, a == b, d == 0)
	})
}

func TestClosest(t *testing.T) {
	names := []string{"docs", "lines", "llm_query", "llm_query_batched", "context", "count", "counts"}
	for typed, want := range map[string]string{
		"dosc": "docs", "llm_qurey": "llm_query", "Context": "context", "contxt": "context", "counst": "counts",
		"xyz": "", "ab": "", "lines": "",
	} {
		require.Equal(t, want, text.Closest(typed, names), typed)
	}
}
