package html_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/documents/format/formattest"
	"github.com/gorlm/rlm/internal/documents/internal/html"
)

// TestPagesOfOtherTools: the words that pandoc reads in them are there, nearly all in the same order.
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
			want, have := words(string(plain)), words(doc.Text)
			// Captions and notes stand elsewhere.
			require.GreaterOrEqual(t, common(want, have)*100, len(want)*95)
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

// words leaves out what is markup.
func words(s string) (out []string) {
	for _, w := range strings.Fields(strings.NewReplacer("¹", "[1", "²", "[2", "³", "[3").Replace(s)) {
		if w = strings.Trim(w, "-—|+=*_^[]()>•:.,;“”\"'"); w != "" {
			out = append(out, w)
		}
	}
	return out
}

// common is how many words of a stand in b in the same order.
func common(a, b []string) int {
	before, row := make([]int, len(b)+1), make([]int, len(b)+1)
	for _, w := range a {
		for j := range b {
			row[j+1] = max(before[j+1], row[j])
			if b[j] == w {
				row[j+1] = max(row[j+1], before[j]+1)
			}
		}
		before, row = row, before
	}
	return before[len(b)]
}
