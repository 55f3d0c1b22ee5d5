package zipped

import (
	"context"
	"errors"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/documents/format"
	"github.com/gorlm/rlm/internal/documents/format/formattest"
	"github.com/gorlm/rlm/internal/documents/internal/golden"
)

var errArchive = errors.New("an archive")

func TestConverter(t *testing.T) {
	convert := Converter(func(context.Context, format.Source, format.Output) error { return errArchive })
	for name, want := range map[string]string{
		"letter.docx": "docx", "costs.xlsx": "xlsx", "slides.pptx": "pptx", "letter.odt": "odt", "costs.ods": "ods",
		"slides.odp": "odp", "letter.epub": "epub",
	} {
		data, err := os.ReadFile("../../testdata/corpus/" + name)
		require.NoError(t, err)
		doc, err := formattest.Convert(context.Background(), convert, "no-extension", data)
		require.NoError(t, err, name)
		require.Equal(t, want, doc.Kind)
		require.NotEmpty(t, doc.Text)
	}
	for name, data := range map[string][]byte{
		"files":             golden.Zip(t, "a.txt", "x"),
		"a document inside": golden.Zip(t, "a/content.xml", "x", "a/mimetype", "application/epub+zip"),
		"other types":       golden.Zip(t, "mimetype", "image/png", "[Content_Types].xml", "<Types/>"),
		"another package": golden.Zip(
			t, "[Content_Types].xml", "<Types/>", "_rels/.rels",
			`<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Type="x/officeDocument" Target="a.xml"/></Relationships>`, "a.xml", "<VisioDocument/>"),
		"damaged": []byte("PK\x03\x04"),
	} {
		_, err := formattest.Convert(context.Background(), convert, name, data)
		require.ErrorIs(t, err, errArchive, name)
	}
	_, err := formattest.Convert(
		context.Background(), convert, "a", golden.Zip(t, "[Content_Types].xml", "<Types/>", "_rels/.rels",
			`<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Type="x/officeDocument" Target="xl/workbook.bin"/></Relationships>`, "xl/workbook.bin", "\x83"))
	require.ErrorContains(t, err, "save it as .xlsx")
}
