package epub

import (
	"archive/zip"
	"bytes"
	"context"
	"io"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/documents/format/formattest"
	"github.com/gorlm/rlm/internal/documents/internal/golden"
)

// TestFile converts a book from pandoc. The Markdown of its pages is tested in package html.
func TestFile(t *testing.T) {
	data, err := os.ReadFile("testdata/report-pandoc.epub")
	require.NoError(t, err)
	doc, err := formattest.Convert(context.Background(), Convert, "a.epub", data)
	require.NoError(t, err)
	require.Empty(t, doc.Notes)
	require.Equal(t, "The River Report", doc.Meta["Title"])
	require.Equal(t, "Ann Example", doc.Meta["Author"])
	require.Len(t, doc.Parts, 2)
	require.Equal(t, "Introduction", doc.Parts[1].Name)
	for _, want := range []string{
		"# Introduction", "[link](https://example.org/x?a=1&b=2)", "| Pears | 7 | 1,234.75 |",
		"日本語のテキスト", "مرحبا بالعالم",
	} {
		require.Contains(t, doc.Parts[1].Text, want)
	}
}

const (
	root    = `<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="o/p.opf"/></rootfiles></container>`
	chapter = `<html xmlns="http://www.w3.org/1999/xhtml"><head><title>x</title></head><body><h1>Head</h1><p>text &nbsp; here</p></body></html>`
)

func opf(inside string) string {
	return `<package xmlns="http://www.idpf.org/2007/opf" xmlns:dc="http://purl.org/dc/elements/1.1/">` + inside +
		`</package>`
}

// TestOrder: chapters are in the order of the spine, with titles from the old table of contents.
func TestOrder(t *testing.T) {
	doc, err := formattest.Convert(
		context.Background(), Convert, "a.epub", golden.Zip(t, "META-INF/container.xml", root,
			"o/p.opf", opf(`<metadata><dc:title>A &amp; B</dc:title><dc:creator>Ann</dc:creator><dc:creator>Bob</dc:creator></metadata>`+
				`<manifest><item id="1" href="b%20b.xhtml" media-type="application/xhtml+xml"/><item id="2" href="../a.xhtml" media-type="application/xhtml+xml"/><item id="3" href="gone.xhtml" media-type="application/xhtml+xml"/>`+
				`<item id="n" href="toc.ncx" media-type="application/x-dtbncx+xml"/><item id="p" href="p.png" media-type="image/png"/></manifest><spine toc="n"><itemref idref="2"/><itemref idref="p"/><itemref idref="1"/><itemref idref="3"/></spine>`),
			"o/toc.ncx", `<ncx xmlns="http://www.daisy.org/z3986/2005/ncx/"><navMap><navPoint><navLabel><text>First</text></navLabel><content src="../a.xhtml#top"/></navPoint></navMap></ncx>`,
			"a.xhtml", chapter, "o/b b.xhtml", chapter))
	require.NoError(t, err)
	require.Equal(t, "A & B", doc.Meta["Title"])
	require.Equal(t, "Ann, Bob", doc.Meta["Author"])
	require.Len(t, doc.Parts, 3)
	require.Equal(t, "First", doc.Parts[0].Name)
	require.Contains(t, doc.Parts[0].Text, "# Head")
	require.Contains(t, doc.Parts[1].Text, "text")
	require.Equal(t, []string{"chapter 3 is missing", "left out 1 page without text, such as pictures"}, doc.Notes)
}

// TestADamagedListOfChapters: chapters before the damage are there, even those with a damaged type, and a note says
// that others may be missing.
func TestADamagedListOfChapters(t *testing.T) {
	doc, err := formattest.Convert(
		context.Background(), Convert, "a.epub", golden.Zip(t, "META-INF/container.xml", root,
			"o/p.opf", opf(`<manifest><item id="1" href="a.xhtml" media-type="applicatioo/xhtml+xml"/>`+
				`<item id="2" href="b.xhtml" media-type="application/xhtml+xml"/></manifest><spine><itemref idref="1"/><itemref `),
			"o/a.xhtml", chapter, "o/b.xhtml", chapter))
	require.NoError(t, err)
	require.Len(t, doc.Parts, 1)
	require.Contains(t, doc.Parts[0].Text, "# Head")
	require.Len(t, doc.Notes, 1)
	require.Contains(t, doc.Notes[0], "the end of its list of chapters")
}

// TestADamagedChapter keeps its text, and a note says that it is damaged.
func TestADamagedChapter(t *testing.T) {
	var book bytes.Buffer
	z := zip.NewWriter(&book)
	for _, part := range [][2]string{
		{"META-INF/container.xml", root},
		{"o/a.xhtml", chapter},
		{"o/p.opf", opf(`<manifest><item id="1" href="a.xhtml" media-type="application/xhtml+xml"/></manifest><spine><itemref idref="1"/></spine>`)},
	} {
		w, err := z.CreateHeader(&zip.FileHeader{Name: part[0], Method: zip.Store})
		require.NoError(t, err)
		_, err = io.WriteString(w, part[1])
		require.NoError(t, err)
	}
	require.NoError(t, z.Close())
	doc, err := formattest.Convert(context.Background(), Convert, "a.epub",
		bytes.Replace(book.Bytes(), []byte("Head<"), []byte("Heed<"), 1))
	require.NoError(t, err)
	require.Contains(t, doc.Parts[0].Text, "# Heed\n\ntext")
	require.Equal(t, []string{"chapter 1 cannot be read: its compressed data is damaged"}, doc.Notes)
}

func TestProtected(t *testing.T) {
	book := []string{
		"META-INF/container.xml", root, "o/c.xhtml", chapter,
		"o/p.opf", opf(`<manifest><item id="1" href="c.xhtml" media-type="application/xhtml+xml"/></manifest><spine><itemref idref="1"/></spine>`),
	}
	_, err := formattest.Convert(context.Background(), Convert, "a.epub", golden.Zip(
		t, append(book, "META-INF/encryption.xml", `<encryption><CipherReference URI="font.otf"/></encryption>`)...))
	require.NoError(t, err)
	_, err = formattest.Convert(context.Background(), Convert, "a.epub", golden.Zip(
		t, append(book, "META-INF/encryption.xml", `<encryption><CipherReference URI="o/c.xhtml"/></encryption>`)...))
	require.ErrorContains(t, err, "DRM")
	_, err = formattest.Convert(context.Background(), Convert, "a.epub", golden.Zip(t, "META-INF/container.xml", root))
	require.ErrorContains(t, err, "list of chapters")
}

func FuzzConvert(f *testing.F) {
	f.Add(`<manifest><item id="1" href="c.xhtml" media-type="text/html"/></manifest><spine><itemref idref="1"/></spine>`, `<p>x</p>`, `<navPoint><text>x</text><content src="c.xhtml"/></navPoint>`)
	f.Fuzz(func(t *testing.T, inside, page, toc string) {
		_, _ = formattest.Convert(context.Background(), Convert, "a.epub",
			golden.Zip(t, "META-INF/container.xml", root, "o/p.opf", opf(inside), "o/c.xhtml", page, "o/toc.ncx", toc))
	})
}
