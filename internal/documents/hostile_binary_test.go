package documents

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"
)

// hostileDocuments returns all hostile documents.
func hostileDocuments(t testing.TB) []hostile {
	var all []hostile
	for _, some := range [][]hostile{
		hostileArchives(t), hostileOffice(t), hostilePages(t), hostilePDFs(t), hostileTables(t), emptyOnes(),
	} {
		all = append(all, some...)
	}
	makeSeeds.Do(func() { keepSeeds(all) })
	return all
}

// emptyOnes have no content, and names of all kinds, including terminal escape sequences.
func emptyOnes() []hostile {
	var all []hostile
	for _, ext := range []string{"pdf", "docx", "html", "eml", "mbox", "zip", "parquet", "sqlite", "rtf"} {
		all = append(all, hostile{name: "empty." + ext})
	}
	for _, name := range []string{
		"\x1b[2J\x1b]0;owned\x07.html", "../../rlm-escaped.html", "a\nb\rc.html",
		"\u202Elmth.exe", strings.Repeat("n", 100000), "nul\x00.html",
	} {
		all = append(all, hostile{name: name, data: []byte(harmless)})
	}
	return all
}

// pdfOf builds a PDF from objects, numbered from 1, with a cross-reference table. The first is the catalog.
func pdfOf(objects ...string) []byte {
	var b bytes.Buffer
	b.WriteString("%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")
	offsets := make([]int, len(objects))
	for i, o := range objects {
		offsets[i] = b.Len()
		_, _ = fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	at := b.Len()
	_, _ = fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for _, o := range offsets {
		_, _ = fmt.Fprintf(&b, "%010d 00000 n \n", o)
	}
	_, _ = fmt.Fprintf(&b, "trailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", len(objects)+1, at)
	return b.Bytes()
}

// onePage returns a PDF with one page; additional objects start at number 6.
func onePage(content string, more ...string) []byte {
	return pdfOf(append([]string{
		"<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]/Count 1>>",
		"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>/XObject<</X 6 0 R>>>>>>",
		content, "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/ToUnicode 6 0 R>>",
	}, more...)...)
}

func stream(dict, data string) string {
	return fmt.Sprintf("<<%s/Length %d>>\nstream\n%s\nendstream", dict, len(data), data)
}

func deflated(data string, times int) string {
	for range times {
		var b bytes.Buffer
		w, _ := zlib.NewWriterLevel(&b, zlib.BestCompression)
		_, _ = w.Write([]byte(data))
		_ = w.Close()
		data = b.String()
	}
	return data
}

func hostilePDFs(testing.TB) []hostile {
	text := "BT /F 12 Tf 50 700 Td (Hello) Tj ET "
	loop := "%PDF-1.7\n1 0 obj\n<</Type/Catalog/Pages 1 0 R>>\nendobj\nxref\n0 1\n0000000000 65535 f \ntrailer\n<</Size 2/Root 1 0 R/Prev 57>>\nstartxref\n57\n%%EOF\n"
	selfStream := "%PDF-1.7\n1 0 obj\n<</Type/ObjStm/N 1/First 4/Length 20/Extends 1 0 R>>\nstream\n1 0 <</A 1 0 R>>    \nendstream\nendobj\n" +
		"2 0 obj\n<</Type/XRef/Size 3/W[1 2 1]/Index[0 3]/Root 1 0 R/Prev 106/Length 12>>\nstream\n\x00\x00\x00\x00\x02\x00\x01\x00\x02\x00\x02\x00\nendstream\nendobj\nstartxref\n106\n%%EOF\n"
	wide := "%PDF-1.7\n1 0 obj\n<</Type/XRef/Size 2147483647/W[1 8 8]/Index[0 2147483647]/Root 1 0 R/Length 10>>\nstream\n0123456789\nendstream\nendobj\nstartxref\n9\n%%EOF\n"
	tree := []string{"<</Type/Catalog/Pages 2 0 R>>"}
	for i := range 50000 {
		tree = append(tree, fmt.Sprintf("<</Type/Pages/Kids[%d 0 R]/Count 1/Parent %d 0 R>>", i+3, i+1))
	}
	ranges := "begincmap 1 begincodespacerange <0000> <FFFF> endcodespacerange " +
		strings.Repeat("1 beginbfrange <00000000> <FFFFFFFF> <0041> endbfrange ", 1000) + "endcmap"
	return []hostile{
		{"cyclic-pages.pdf", pdfOf("<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[2 0 R 2 0 R 3 0 R]/Count 99>>",
			"<</Type/Pages/Kids[2 0 R]/Count 1>>"), ""},
		{"huge-count.pdf", pdfOf("<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids["+
			strings.Repeat("3 0 R ", 300000)+"]/Count 2147483647>>", "<</Type/Page/Parent 2 0 R>>"), ""},
		{"deep-pages.pdf", pdfOf(tree...), ""},
		{"xref-loop.pdf", []byte(loop), ""},
		{"object-stream-loop.pdf", []byte(selfStream), ""},
		{"xref-huge.pdf", []byte(wide), ""},
		{"length-loop.pdf", onePage("<</Length 4 0 R>>\nstream\n" + text + "\nendstream"), ""},
		{"content-bomb.pdf", onePage(
			stream("/Filter[/FlateDecode/FlateDecode]", deflated(strings.Repeat("q ", 50<<20), 2))), ""},
		{"text-bomb.pdf", onePage(stream("/Filter/FlateDecode", deflated(strings.Repeat(text, 2000000), 1))), ""},
		{"filters.pdf", onePage(stream("/Filter["+strings.Repeat("/FlateDecode", 2000)+"]", deflated(text, 50))), ""},
		{"run-length.pdf", onePage(stream(
			"/Filter[/RunLengthDecode/RunLengthDecode/RunLengthDecode]", strings.Repeat("\x81\x81", 100000))), ""},
		{
			"lzw.pdf", onePage(stream("/Filter/LZWDecode",
				strings.Repeat("\x80\x0b\x60\x50\x22\x0c\x0c\x85\x01", 50000))),
			"",
		},
		{"predictor.pdf", onePage(
			stream("/Filter/FlateDecode/DecodeParms<</Predictor 15/Columns 2147483647/Colors 2147483647/BitsPerComponent 32>>", deflated(text, 1))), ""},
		{"same-content.pdf", pdfOf(
			"<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]/Count 1>>",
			"<</Type/Page/Parent 2 0 R/Contents["+strings.Repeat("4 0 R ", 300000)+"]>>",
			stream("", strings.Repeat(text, 100))), ""},
		{"form-loop.pdf", onePage(stream("", "/X Do "+text), stream(
			"/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</X 6 0 R>>>>", "/X Do /X Do /X Do")), ""},
		{"form-tree.pdf", onePage(stream("", "/X Do"), formTree(25)...), ""},
		{"to-unicode.pdf", onePage(stream("", text), stream("", ranges)), ""},
		{"operands.pdf", onePage(stream("", strings.Repeat("1 ", 1500000)+text)), ""},
		{"states.pdf", onePage(stream("", strings.Repeat("q ", 3000000)+text)), ""},
		{"deep-array.pdf", onePage(stream("", nested("[", "", "]", 2000000)+" TJ")), ""},
		{"deep-object.pdf", pdfOf("<</Type/Catalog/Pages " + nested("<</A ", "1", ">>", 150000) + ">>"), ""},
		{"numbers.pdf", onePage(stream(
			"", "BT /F 1e400 Tf 1e308 1e308 -1e308 9999999999999999999999 1e308 1e308 Tm (Hello) Tj (x) Tj NaN 0 Td (y) Tj ET")), ""},
		{"boxes.pdf", pdfOf("<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]/Count 1>>",
			"<</Type/Page/Parent 2 0 R/MediaBox[-1e30 -1e30 1e30 1e30]/Rotate 2147483647/UserUnit 1e30/Contents 4 0 R>>", stream("", text)), ""},
		{"inline-image.pdf", onePage(stream("", strings.Repeat("BI /W 9 ID "+strings.Repeat("x", 100), 20000))), ""},
		{"crypt.pdf", []byte(strings.Replace(string(onePage(stream("", text))), "/Root 1 0 R",
			"/Root 1 0 R/Encrypt<</Filter/Standard/V 5/R 99/Length -8/O(x)/U(y)/P 1/CF<<>>/StmF/X>>/ID[()]", 1)), "."},
		{"metadata.pdf", []byte(strings.Replace(string(onePage(stream("", text))), "/Root 1 0 R",
			"/Root 1 0 R/Info<</Title(\x1b[2J\x1b]0;owned\x07\\nA: b)/Author<FEFF202E0041>>>", 1)), ""},
		{"glyphs.pdf", onePage(stream("", "BT /F 12 Tf "+strings.Repeat("(abcdefgh) Tj ", 250000)+"ET")), ""},
		{"places.pdf", onePage(stream("", "BT /F 0.001 Tf "+scattered(200000)+"ET")), ""},
		{"no-end.pdf", []byte("%PDF-1.7\n" + strings.Repeat("1 0 obj <</A ", 200000)), "."},
		{"startxref.pdf", []byte("%PDF-1.7\n" + strings.Repeat("startxref\n9\n%%EOF\n", 100000)), "."},
	}
}

// formTree returns forms that each show the next one twice.
func formTree(depth int) []string {
	var forms []string
	for i := range depth {
		forms = append(forms, stream(fmt.Sprintf(
			"/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</X %d 0 R>>>>", i+7), "/X Do /X Do"))
	}
	return append(forms, stream("/Type/XObject/Subtype/Form/BBox[0 0 9 9]", "BT (x) Tj ET"))
}

func scattered(n int) string {
	var b strings.Builder
	for i := range n {
		_, _ = fmt.Fprintf(&b, "1 0 0 1 %d %d Tm (x) Tj ", i*7919%10007, i*104729%10009)
	}
	return b.String()
}

// hostileTables returns databases and column files with malicious structures.
func hostileTables(t testing.TB) []hostile {
	lite := corpusFile(t, "lights.sqlite")
	const page = 4096
	loop := bytes.Clone(lite)
	// every inner page is its own child, and every cell overflows to its own page
	for at := page; at+12 <= len(loop); at += page {
		if loop[at] == 5 || loop[at] == 2 {
			binary.BigEndian.PutUint32(loop[at+8:], uint32(at/page)+1)
		}
	}
	overflow := bytes.Clone(lite)
	for at := page; at+page <= len(overflow); at += page {
		if overflow[at] == 0 {
			binary.BigEndian.PutUint32(overflow[at:], uint32(at/page)+1)
		}
	}
	cells := bytes.Clone(lite)
	for at := page; at+12 <= len(cells); at += page {
		cells[at+3], cells[at+4] = 0xFF, 0xFF
	}
	lengths := bytes.Clone(lite)
	for at := page; at+page <= len(lengths); at += page {
		for j := page * 3 / 4; j < page; j += 61 {
			lengths[at+j] = 0xFF
		}
	}
	columns := corpusFile(t, "lights-snappy.parquet")
	footer := func(length uint32) []byte {
		b := bytes.Clone(columns)
		binary.LittleEndian.PutUint32(b[len(b)-8:], length)
		return b
	}
	thrift := func(body string) []byte {
		b := append([]byte("PAR1\x15\x00\x15\x00"), body...)
		b = binary.LittleEndian.AppendUint32(b, uint32(len(body)))
		return append(b, "PAR1"...)
	}
	pages := bytes.Clone(columns)
	for i := 4; i < 400; i += 7 {
		pages[i] = 0xFF
	}
	return []hostile{
		{"tree-loop.sqlite", loop, ""},
		{"overflow-loop.sqlite", overflow, ""},
		{"cells.sqlite", cells, ""},
		{"lengths.sqlite", lengths, ""},
		{"page-size.sqlite", patched(lite, "SQLite format 3\x00", 16, 0, 0), "."},
		{"pages.sqlite", patched(lite, "SQLite format 3\x00", 28, 0x7F, 0xFF, 0xFF, 0xFF), ""},
		{"half.sqlite", lite[:len(lite)/2], ""},
		{"schema.sqlite", []byte(strings.ReplaceAll(string(lite), "CREATE TABLE", "CREATE TABLEX"[:12])), ""},
		{"header.sqlite", lite[:100], "."},
		{"footer-long.parquet", footer(0xFFFFFFFF), "."},
		{"footer-zero.parquet", footer(0), "."},
		{"list.parquet", thrift("\x15\x02\x19\xFC\xFF\xFF\xFF\xFF\x0F"), "."},
		{"deep.parquet", thrift(strings.Repeat("\x1C", 1000000)), "."},
		{"pages.parquet", pages, ""},
		{"magic.parquet", []byte("PAR1\x15PAR1"), "."},
	}
}
