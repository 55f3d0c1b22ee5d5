package pdf

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/documents/format"
)

// thousandPages returns a document of 1,000 pages of prose, with a table on each.
func thousandPages(b *testing.B) []byte {
	b.Helper()
	const pages = 1000
	objects := []string{"<</Type/Catalog/Pages 2 0 R>>", "", helvetica}
	var kids strings.Builder
	for p := range pages {
		var content strings.Builder
		for line := range 40 {
			content.WriteString(at(50, 750-12*line, fmt.Sprintf(
				"line %d of page %d says what forty other lines say on every page of this long book", line, p)))
		}
		for row := range 8 {
			for cell := range 4 {
				content.WriteString(at(50+120*cell, 240-14*row, fmt.Sprintf("%d,%03d.%02d", p, row*97, cell)))
			}
		}
		fmt.Fprintf(&kids, "%d 0 R ", len(objects)+1)
		objects = append(objects,
			fmt.Sprintf("<</Type/Page/Parent 2 0 R/Contents %d 0 R>>", len(objects)+2),
			stream("/Filter/FlateDecode", deflate(b, []byte(content.String()))))
	}
	objects[1] = fmt.Sprintf(
		"<</Type/Pages/Count %d/MediaBox[0 0 600 800]/Resources<</Font<</F1 3 0 R>>>>/Kids[%s]>>", pages, kids.String())
	return build(objects...)
}

// BenchmarkConvert converts 1,000 pages, and compares with pdftotext if it is installed.
func BenchmarkConvert(b *testing.B) {
	data := thousandPages(b)
	report := func(b *testing.B) {
		b.SetBytes(int64(len(data)))
		b.ReportMetric(float64(1000*b.N)/b.Elapsed().Seconds(), "pages/s")
	}
	b.Run("here", func(b *testing.B) {
		for b.Loop() {
			require.NoError(b, Convert(b.Context(), format.Source{Bytes: bytes.NewReader(data), Size: int64(len(data))},
				&limited{left: 1 << 30}))
		}
		report(b)
	})
	b.Run("pdftotext", func(b *testing.B) {
		if _, err := exec.LookPath("pdftotext"); err != nil {
			b.Skip("pdftotext (poppler-utils) is not installed")
		}
		file := filepath.Join(b.TempDir(), "x.pdf")
		require.NoError(b, os.WriteFile(file, data, 0o600))
		for b.Loop() {
			require.NoError(b, exec.Command("pdftotext", file, os.DevNull).Run())
		}
		report(b)
	})
}
