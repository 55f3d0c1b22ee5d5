package html_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/documents/format/formattest"
	"github.com/gorlm/rlm/internal/documents/internal/html"
	"github.com/gorlm/rlm/internal/testing/likeness"
)

// TestPagesOfOtherTools: nearly all words that pandoc reads are there in the same order.
func TestPagesOfOtherTools(t *testing.T) {
	files, err := filepath.Glob("../../testdata/corpus/*.html")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			page, err := os.ReadFile(file)
			require.NoError(t, err)
			plain, err := os.ReadFile("../../testdata/expected/" + filepath.Base(file) + ".txt")
			require.NoError(t, err)
			doc, err := formattest.Convert(t.Context(), html.Convert, file, page)
			require.NoError(t, err)
			want, have := likeness.Words(string(plain)), likeness.Words(doc.Text)
			// Captions and notes are in other places than in the reference.
			require.GreaterOrEqual(t, likeness.CommonSubsequence(want, have)*100, len(want)*95)
			var lost []string
			for _, w := range want {
				if !slices.Contains(have, w) {
					lost = append(lost, w)
				}
			}
			require.LessOrEqual(t, len(lost)*100, len(want)*2, "lost: %q", lost)
		})
	}
}
