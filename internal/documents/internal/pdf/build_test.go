package pdf

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/documents/format/formattest"
)

// build returns a PDF with objects numbered from 1. The first is the catalog.
func build(objects ...string) []byte {
	var b bytes.Buffer
	b.WriteString("%PDF-1.7\n")
	offsets := make([]int, 0, len(objects))
	for i, o := range objects {
		offsets = append(offsets, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	start := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for _, o := range offsets {
		fmt.Fprintf(&b, "%010d 00000 n \n", o)
	}
	fmt.Fprintf(&b, "trailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", len(objects)+1, start)
	return b.Bytes()
}

func stream(dict, data string) string {
	return fmt.Sprintf("<<%s/Length %d>>\nstream\n%s\nendstream", dict, len(data), data)
}

const helvetica = "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>"

// page returns a document of one page with a font F1; additional objects start at number 6.
func page(content, font string, more ...string) []byte {
	return build(append([]string{
		"<</Type/Catalog/Pages 2 0 R>>",
		"<</Type/Pages/Kids[3 0 R]/Count 1>>",
		"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Resources<</Font<</F1 4 0 R>>/XObject<</X1 6 0 R>>>>/Contents 5 0 R/Annots 7 0 R>>",
		font,
		stream("", content),
	}, more...)...)
}

// at shows a string at a position on the page.
func at(x, y int, text string) string {
	return fmt.Sprintf("BT /F1 10 Tf %d %d Td (%s) Tj ET\n", x, y, text)
}

// textOf returns the text of the first page.
func textOf(t *testing.T, data []byte) string {
	t.Helper()
	doc, err := formattest.Convert(t.Context(), Convert, "x.pdf", data)
	require.NoError(t, err)
	require.NotEmpty(t, doc.Parts)
	return doc.Parts[0].Text
}
