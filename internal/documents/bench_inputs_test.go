package documents

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"fmt"
	"hash/crc32"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// manyPages returns a PDF with forty lines of prose and a table on each page.
func manyPages(pages int) []byte {
	const first = 4 // number of objects before the pages
	objects := []string{
		"<</Type/Catalog/Pages 2 0 R>>", "",
		"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>",
	}
	var kids strings.Builder
	for page := range pages {
		var content strings.Builder
		show := func(x, y int, text string) {
			_, _ = fmt.Fprintf(&content, "BT /F 10 Tf %d %d Td (%s) Tj ET\n", x, y, text)
		}
		for line := range 40 {
			show(50, 750-12*line, fmt.Sprintf(
				"line %d of page %d says what forty other lines say on every page of this long book", line, page))
		}
		for row := range 8 {
			for cell := range 4 {
				show(50+120*cell, 240-14*row, fmt.Sprintf("%d,%03d.%02d", page, row*97, cell))
			}
		}
		_, _ = fmt.Fprintf(&kids, "%d 0 R ", first+2*page)
		objects = append(objects, fmt.Sprintf("<</Type/Page/Parent 2 0 R/Contents %d 0 R>>", first+2*page+1),
			stream("/Filter/FlateDecode", deflated(content.String(), 1)))
	}
	objects[1] = fmt.Sprintf(
		"<</Type/Pages/Count %d/MediaBox[0 0 600 800]/Resources<</Font<</F 3 0 R>>>>/Kids[%s]>>", pages, kids.String())
	return pdfOf(objects...)
}

// writeLargeWorkbook writes an XLSX of about size bytes: sheets of 200,000 rows with dates, amounts and shared
// strings.
func writeLargeWorkbook(file *os.File, size int64) error {
	const sheets, shared, rows = 40, 50_000, 200_000
	const relation = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
	const main = `xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="` + relation + `"`
	const relations = `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">`
	written := &counting{to: file}
	z := zip.NewWriter(written)
	z.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) {
		return flate.NewWriter(w, flate.BestSpeed)
	})
	var failed error
	begin := func(name string) io.Writer {
		w, err := z.Create(name)
		if err != nil && failed == nil {
			failed = err
			return io.Discard
		}
		return w
	}
	put := func(name, text string) { _, _ = io.WriteString(begin(name), text) }
	random := rand.New(rand.NewPCG(1, 2))
	used := 0
	for ; used < sheets && written.n < size; used++ {
		w := begin(fmt.Sprintf("xl/worksheets/sheet%d.xml", used+1))
		_, _ = fmt.Fprintf(w, `<worksheet %s><dimension ref="A1:F%d"/><sheetData>`, main, rows)
		for row := 1; row <= rows && written.n < size; row++ {
			_, _ = fmt.Fprintf(w, `<row r="%[1]d" spans="1:6"><c r="A%[1]d" s="1"><v>%d</v></c><c r="B%[1]d" s="2"><v>%d.%02d</v></c><c r="C%[1]d" t="s"><v>%d</v></c>`+
				`<c r="D%[1]d"><v>%d</v></c><c r="E%[1]d" t="s"><v>%d</v></c><c r="F%[1]d"><f>B%[1]d*2</f><v>%d</v></c></row>`,
				row, 40000+random.IntN(6000), random.IntN(1e6), random.IntN(100), random.IntN(shared), random.IntN(1e9),
				random.IntN(shared), random.IntN(1e9))
		}
		_, _ = io.WriteString(w, "</sheetData></worksheet>")
	}
	texts := begin("xl/sharedStrings.xml")
	_, _ = fmt.Fprintf(texts, `<sst %s count="%d" uniqueCount="%d">`, main, shared, shared)
	for i := range shared {
		_, _ = fmt.Fprintf(texts, "<si><t>Shared text %d of %x</t></si>", i, random.Uint64())
	}
	_, _ = io.WriteString(texts, "</sst>")
	var list, links, types strings.Builder
	for i := 1; i <= used; i++ {
		_, _ = fmt.Fprintf(&list, `<sheet name="Year %d" sheetId="%d" r:id="s%d"/>`, i, i, i)
		_, _ = fmt.Fprintf(&links, `<Relationship Id="s%d" Type="%s/worksheet" Target="worksheets/sheet%d.xml"/>`, i,
			relation, i)
		_, _ = fmt.Fprintf(&types,
			`<Override PartName="/xl/worksheets/sheet%d.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/>`, i)
	}
	put("xl/workbook.xml", fmt.Sprintf("<workbook %s><sheets>%s</sheets></workbook>", main, list.String()))
	put("xl/styles.xml", `<styleSheet `+main+
		`><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="4"/></cellXfs></styleSheet>`)
	put("xl/_rels/workbook.xml.rels",
		fmt.Sprintf(`%s%s<Relationship Id="t" Type="%[3]s/sharedStrings" Target="sharedStrings.xml"/>`+
			`<Relationship Id="y" Type="%[3]s/styles" Target="styles.xml"/></Relationships>`, relations, links.String(),
			relation))
	put("_rels/.rels", relations+`<Relationship Id="a" Type="`+relation+
		`/officeDocument" Target="xl/workbook.xml"/></Relationships>`)
	put("[Content_Types].xml",
		`<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/>`+
			`<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>`+
			`<Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/>`+types.String()+`</Types>`)
	if err := z.Close(); err != nil {
		return err
	}
	return failed
}

// counting counts the bytes written.
type counting struct {
	to io.Writer
	n  int64
}

func (c *counting) Write(p []byte) (int, error) {
	n, err := c.to.Write(p)
	c.n += int64(n)
	return n, err
}

// writeLogs writes a zip of about size bytes and returns the total size of its logs. All logs are equal, because
// creating them is not measured.
func writeLogs(file *os.File, size int64) (unpacked int64, err error) {
	var log bytes.Buffer
	random := rand.New(rand.NewPCG(3, 4))
	for i := 0; log.Len() < 16<<20; i++ {
		_, _ = fmt.Fprintf(&log, "2026-03-%02dT%02d:%02d:%02d.%03dZ %s web-%d request=%08x path=/api/v1/orders/%d status=%d took=%dms\n", 1+i/80000, i/3600%24, i/60%60, i%60,
			random.IntN(1000), []string{"INFO", "INFO", "INFO", "WARN", "ERROR"}[random.IntN(5)], random.IntN(8),
			random.Uint32(), random.IntN(1e5), []int{200, 200, 200, 404, 500}[random.IntN(5)], random.IntN(900))
	}
	var packed bytes.Buffer
	w, err := flate.NewWriter(&packed, flate.DefaultCompression)
	if err != nil {
		return 0, err
	}
	_, _ = w.Write(log.Bytes())
	if err := w.Close(); err != nil {
		return 0, err
	}
	header := zip.FileHeader{
		Method: zip.Deflate, CRC32: crc32.ChecksumIEEE(log.Bytes()),
		CompressedSize64: uint64(packed.Len()), UncompressedSize64: uint64(log.Len()),
	}
	z := zip.NewWriter(file)
	for day := 0; int64(day)*int64(packed.Len()) < size; day++ {
		header.Name = fmt.Sprintf("logs/%04d.log", day)
		one := header // CreateRaw keeps a reference to it
		w, err := z.CreateRaw(&one)
		if err != nil {
			return 0, err
		}
		if _, err := w.Write(packed.Bytes()); err != nil {
			return 0, err
		}
		unpacked += int64(log.Len())
	}
	return unpacked, z.Close()
}

// smallPages writes web pages of a few kilobytes into a folder.
func smallPages(b *testing.B, count int) []string {
	b.Helper()
	dir := b.TempDir()
	var names []string
	for i := range count {
		page := fmt.Sprintf("<!DOCTYPE html><html><head><title>Page %d</title></head><body><nav><a href=\"/\">Home</a></nav><main><h1>Heading %d</h1>", i, i) +
			strings.Repeat(fmt.Sprintf(
				"<p>Some text of page %d with a <a href=\"x.html\">link</a> and <b>bold</b> words.</p>\n", i), 30) +
			"<table><tr><th>Name</th><th>Amount</th></tr><tr><td>One</td><td>1.50</td></tr></table></main></body></html>"
		names = append(names, filepath.Join(dir, fmt.Sprintf("%05d.html", i)))
		require.NoError(b, os.WriteFile(names[i], []byte(page), 0o600))
	}
	return names
}
