package text_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/gorlm/rlm/internal/kit/text"
)

// However a text is split into pieces, its line ends are the same.
func TestLineEnds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pieces := rapid.SliceOf(rapid.StringMatching(`[a\r\n]{0,3}`)).Draw(t, "pieces")
		var ends text.LineEnds
		var got strings.Builder
		for _, p := range pieces {
			got.Write(ends.In([]byte(p)))
		}
		want := strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(strings.Join(pieces, ""))
		require.Equal(t, want, got.String())
	})
}
