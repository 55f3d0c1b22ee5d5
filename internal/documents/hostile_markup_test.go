package documents

import (
	"fmt"
	"strings"
	"testing"
)

const laughs = `<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "lol"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;">` +
	`<!ENTITY d "&c;&c;&c;&c;&c;&c;&c;&c;&c;&c;"><!ENTITY e "&d;&d;&d;&d;&d;&d;&d;&d;&d;&d;"><!ENTITY f "&e;&e;&e;&e;&e;&e;&e;&e;&e;&e;">` +
	`<!ENTITY g "&f;&f;&f;&f;&f;&f;&f;&f;&f;&f;"><!ENTITY h "&g;&g;&g;&g;&g;&g;&g;&g;&g;&g;"><!ENTITY z SYSTEM "file:///etc/passwd">]>`

const (
	wordNS  = `xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"`
	sheetNS = `xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"`
	odfNS   = `xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0"`
	relsNS  = `xmlns="http://schemas.openxmlformats.org/package/2006/relationships"`
	typesNS = `xmlns="http://schemas.openxmlformats.org/package/2006/content-types"`
	relType = `http://schemas.openxmlformats.org/officeDocument/2006/relationships/`
)

// wordOf returns a DOCX with this document.xml.
func wordOf(document string) []byte {
	return zipOf("[Content_Types].xml",
		`<Types `+typesNS+`><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`,
		"_rels/.rels", `<Relationships `+relsNS+`><Relationship Id="r" Type="`+relType+
			`officeDocument" Target="word/document.xml"/></Relationships>`,
		"word/document.xml", document)
}

func wordBody(body string) []byte {
	return wordOf(`<?xml version="1.0"?><w:document ` + wordNS + `><w:body>` + body + `</w:body></w:document>`)
}

// sheetOf returns an XLSX with this sheet1.xml and these shared strings.
func sheetOf(data, shared string) []byte {
	return zipOf("[Content_Types].xml",
		`<Types `+typesNS+`><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/></Types>`,
		"_rels/.rels", `<Relationships `+relsNS+`><Relationship Id="r" Type="`+relType+
			`officeDocument" Target="xl/workbook.xml"/></Relationships>`,
		"xl/workbook.xml", `<workbook `+sheetNS+
			`><sheets><sheet name="S&#10;&#8238;T" sheetId="1" r:id="r1"/></sheets></workbook>`,
		"xl/_rels/workbook.xml.rels",
		`<Relationships `+relsNS+`><Relationship Id="r1" Type="`+relType+
			`worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="r2" Type="`+relType+
			`sharedStrings" Target="sharedStrings.xml"/></Relationships>`,
		"xl/sharedStrings.xml", shared, "xl/worksheets/sheet1.xml", data)
}

func sheetData(rows string) []byte {
	return sheetOf(`<worksheet `+sheetNS+`><dimension ref="A1:XFD1048576"/><sheetData>`+rows+`</sheetData></worksheet>`,
		`<sst `+sheetNS+`/>`)
}

func odfOf(kind, body string) []byte {
	return zipOf("mimetype", "application/vnd.oasis.opendocument."+kind, "META-INF/manifest.xml",
		`<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"/>`,
		"content.xml", body)
}

func odfBody(kind, element, body string) []byte {
	return odfOf(kind, `<?xml version="1.0"?><office:document-content `+odfNS+`><office:body><office:`+element+`>`+body+
		`</office:`+element+`></office:body></office:document-content>`)
}

func nested(open, inside, end string, depth int) string {
	return strings.Repeat(open, depth) + inside + strings.Repeat(end, depth)
}

func hostileOffice(testing.TB) []hostile {
	cell := `<table:table-cell table:number-columns-repeated="%d"><text:p>x</text:p></table:table-cell>`
	return []hostile{
		{"laughs.docx", wordOf(laughs + `<w:document ` + wordNS +
			`><w:body><w:p><w:r><w:t>&h;</w:t></w:r></w:p></w:body></w:document>`), ""},
		{"xxe.docx", wordOf(laughs + `<w:document ` + wordNS +
			`><w:body><w:p><w:r><w:t>&z;</w:t></w:r></w:p></w:body></w:document>`), ""},
		{
			"quadratic.docx", wordOf(
				`<!DOCTYPE x [<!ENTITY q "` + strings.Repeat("q", 50000) + `">]><w:document ` + wordNS +
					`><w:body><w:p><w:r><w:t>` + strings.Repeat("&q;", 50000) + `</w:t></w:r></w:p></w:body></w:document>`),
			"",
		},
		{"deep-tables.docx", wordBody(nested(`<w:tbl><w:tr><w:tc>`, `<w:p/>`, `</w:tc></w:tr></w:tbl>`, 100000)), ""},
		{"deep-anything.docx", wordBody(nested(`<w:x>`, ``, `</w:x>`, 1000000)), ""},
		{"attributes.docx", wordBody(`<w:p ` + strings.Repeat(`w:a="b" `, 500000) + `/>`), ""},
		{"bomb.docx", wordBody(strings.Repeat(" ", 60<<20)), ""},
		{"spans.docx", wordBody(`<w:tbl>` +
			strings.Repeat(`<w:tr><w:tc><w:tcPr><w:gridSpan w:val="2000000000"/></w:tcPr><w:p><w:r><w:t>x</w:t></w:r></w:p></w:tc></w:tr>`, 100) + `</w:tbl>`), ""},
		{"last-cell.xlsx", sheetData(
			`<row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="XFD1048576"><v>2</v></c></row>`), ""},
		{"diagonal.xlsx", sheetData(diagonal(16384)), ""},
		{"absurd-cell.xlsx", sheetData(
			`<row r="99999999999"><c r="ZZZZZZZZZZ99999999999"><v>1</v></c><c r=""><v>1</v></c><c t="s"><v>-1</v></c><c t="s"><v>2147483647</v></c></row>`), ""},
		{"laughs.xlsx", sheetOf(laughs+`<worksheet `+sheetNS+
			`><sheetData><row><c t="inlineStr"><is><t>&h;</t></is></c></row></sheetData></worksheet>`, `<sst/>`), ""},
		{"long-shared.xlsx", sheetOf(`<worksheet `+sheetNS+`><sheetData>`+
			strings.Repeat(`<row><c t="s"><v>0</v></c></row>`, 100000)+`</sheetData></worksheet>`,
			`<sst `+sheetNS+`><si><t>`+strings.Repeat("long ", 100000)+`</t></si></sst>`), ""},
		{"merged.xlsx", sheetOf(`<worksheet `+sheetNS+
			`><sheetData><row r="1"><c r="A1"><v>1</v></c></row></sheetData><mergeCells>`+
			strings.Repeat(`<mergeCell ref="A1:XFD1048576"/>`, 10000)+`</mergeCells></worksheet>`, `<sst/>`), ""},
		{"repeats.ods", odfBody("spreadsheet", "spreadsheet",
			`<table:table table:name="t"><table:table-row table:number-rows-repeated="1048576">`+
				fmt.Sprintf(cell, 16384)+`</table:table-row></table:table>`), ""},
		{"repeats-absurd.ods", odfBody(
			"spreadsheet", "spreadsheet",
			`<table:table><table:table-row table:number-rows-repeated="9223372036854775807">`+
				fmt.Sprintf(cell, 2147483647)+`</table:table-row></table:table>`), ""},
		{"spaces.odt", odfBody("text", "text",
			`<text:p>`+strings.Repeat(`<text:s text:c="2000000000"/>`, 100)+`x</text:p>`), ""},
		{"laughs.odt", odfOf("text",
			laughs+`<office:document-content `+odfNS+
				`><office:body><office:text><text:p>&h;&z;</text:p></office:text></office:body></office:document-content>`), ""},
		{"deep-lists.odt", odfBody("text", "text",
			nested(`<text:list><text:list-item>`, `<text:p>x</text:p>`, `</text:list-item></text:list>`, 100000)), ""},
		{"entities.epub", zipOf("mimetype", "application/epub+zip", "META-INF/container.xml",
			`<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="../../../etc/passwd"/><rootfile full-path="o.opf"/></rootfiles></container>`,
			"o.opf", `<package xmlns="http://www.idpf.org/2007/opf"><manifest><item id="i" href="o.xhtml" media-type="application/xhtml+xml"/><item id="p" href="../../../../etc/passwd" media-type="application/xhtml+xml"/></manifest><spine>`+
				strings.Repeat(`<itemref idref="i"/><itemref idref="p"/>`, 20000)+`</spine></package>`, "o.xhtml",
			laughs+`<html><body>&h;`+strings.Repeat("words ", 2000)+`</body></html>`), ""},
		{"deep.rtf", []byte(`{\rtf1 ` + nested("{", "x", "}", 2000000) + "}"), ""},
		{"open.rtf", []byte(`{\rtf1 ` + strings.Repeat(`{\b`, 300000)), ""},
		{"bin.rtf", []byte(`{\rtf1 \bin2147483647 x\bin-5 y{\*\objdata ` + strings.Repeat("00", 1000) +
			`}\uc2147483647\u-99999999999999999999 \'zz \'`), ""},
		{"cells.rtf", []byte(`{\rtf1 ` + strings.Repeat(
			`\trowd`+strings.Repeat(`\cellx1`, 500)+strings.Repeat(`x\cell`, 500)+`\row`, 500) + `}`), ""},
		{"page.docx", []byte(harmless), ""},
		{"image.docx", append([]byte("\x89PNG\r\n\x1a\n"), make([]byte, 1000)...), "."},
		{"empty-zip.xlsx", zipOf(), ""},
		{"no-parts.docx", zipOf("word/document.xml", ""), ""},
	}
}

func diagonal(n int) string {
	var b strings.Builder
	for i := 1; i <= n; i++ {
		_, _ = fmt.Fprintf(&b, `<row r="%d"><c r="%s%d"><v>1</v></c></row>`, i, column(i), i)
	}
	return b.String()
}

func column(n int) string {
	s := ""
	for ; n > 0; n = (n - 1) / 26 {
		s = string(rune('A'+(n-1)%26)) + s
	}
	return s
}

func hostilePages(testing.TB) []hostile {
	page := func(body string) []byte {
		return []byte("<!DOCTYPE html><html><head><title>x</title></head><body>" + body + "</body></html>")
	}
	lists := `{"cells":` + nested("[", "", "]", 1000000) + `,"nbformat":4}`
	return []hostile{
		{"deep.html", page(nested("<div>", "deep", "</div>", 300000)), ""},
		{"deep-inline.html", page(nested("<b><i><a href=x>", "deep", "</a></i></b>", 50000)), ""},
		{"deep-tables.html", page(nested("<table><tr><td>", "deep", "</td></tr></table>", 30000)), ""},
		{"deep-lists.html", page(nested("<ul><li>item", "deep", "</li></ul>", 30000)), ""},
		{"deep-quotes.html", page(nested("<blockquote>line<br>", "deep", "</blockquote>", 20000)), ""},
		{"spans.html", page(`<table><tr><td colspan="1000000000" rowspan="1000000000">x</td><td>y</td></tr>` +
			strings.Repeat(`<tr><td rowspan=60000 colspan=1000>z</td></tr>`, 5000) + `</table>`), ""},
		{"attributes.html", page(`<p ` + strings.Repeat("a=b ", 500000) + `>text</p>`), ""},
		{"open-comment.html", page("text<!--" + strings.Repeat("-", 8<<20)), ""},
		{"adoption.html", page(strings.Repeat("<a><p><b>", 20000)), ""},
		{"laughs.xhtml", []byte(laughs + `<html xmlns="http://www.w3.org/1999/xhtml"><body>&h; &z;</body></html>`), ""},
		{"laughs.svg", []byte(laughs + `<svg xmlns="http://www.w3.org/2000/svg"><text>&h;</text></svg>`), ""},
		{"many-cells.html", page(
			"<table>" + strings.Repeat("<tr>"+strings.Repeat("<td>1", 300)+"</tr>", 900) + "</table>"), ""},
		{"controls.html", page("\x00\x1b[2J\x1b]0;owned\x07\u202Etext\xff\xfe"), ""},
		{"deep.ipynb", []byte(lists), ""},
		{"cells.ipynb", []byte(`{"nbformat":4,"cells":[` +
			strings.Repeat(`{"cell_type":"code","source":"x","outputs":[]},`, 20000) + `{}]}`), ""},
		{"wrong-types.ipynb", []byte(
			`{"nbformat":"four","metadata":[1],"cells":[{"cell_type":7,"source":{"a":1}},null,[],"x",{"cell_type":"code","outputs":{"x":1},"source":[[["y"]]]}]}`), ""},
		{"deep.json", []byte(nested("[", "", "]", 1000000)), ""},
		{"parts.eml", []byte(mailHead(`multipart/mixed; boundary="b"`) +
			strings.Repeat("--b\r\nContent-Type: text/plain\r\nContent-Disposition: attachment\r\n\r\nx\r\n", 20000) +
			"--b--\r\n"), ""},
		{"nested.eml", nestedMail(10000), ""},
		{"nested-boundaries.eml", nestedMultipart(10000), ""},
		{"header.eml", []byte("From: a@b\r\nSubject: " + strings.Repeat("x", hostileOutput+1<<20) +
			"\r\nMIME-Version: 1.0\r\n\r\ntext\r\n"), ""},
		{"folded.eml", []byte("From: a@b\r\nMIME-Version: 1.0\r\nSubject: x" +
			strings.Repeat("\r\n =?utf-8?q?=41=0A=1B?=", 10000) + "\r\n\r\ntext\r\n"), ""},
		{"names.eml", []byte(mailHead(`multipart/mixed; boundary="b"`) +
			"--b\r\nContent-Type: text/plain; name=\"../../rlm-escaped\"\r\nContent-Disposition: attachment; filename=\"=?utf-8?q?=1B[2J=0D=0A/etc/passwd?=\"\r\n\r\nx\r\n--b--\r\n"), ""},
		{"charset.eml", []byte(mailHead("text/plain; charset=\"no-such-charset\"") + "caf\xe9\r\n"), ""},
		{"base64.eml", []byte(mailHead("text/plain") + strings.Repeat("====!!!!", 100000)), ""},
		{"line.mbox", []byte("From a@b Thu Jan  1 00:00:01 2026\nFrom: a@b\nTo: c@d\nSubject: x\n\n" +
			strings.Repeat("x", hostileOutput+1<<20)), ""},
		{"many.mbox", []byte(strings.Repeat(
			"From a@b Thu Jan  1 00:00:01 2026\nFrom: a@b\nTo: c@d\nSubject: x\n\ntext\n\n", 5000)), ""},
		{"separators.mbox", []byte("From a@b Thu Jan  1 00:00:01 2026\nFrom: a@b\nTo: c@d\n" +
			strings.Repeat("From a@b Thu Jan  1 00:00:01 2026\n", 100000)), ""},
	}
}

func mailHead(contentType string) string {
	return "From: a@b.example\r\nTo: c@d.example\r\nSubject: x\r\nMIME-Version: 1.0\r\nContent-Type: " + contentType +
		"\r\n\r\n"
}

func nestedMail(depth int) []byte {
	return []byte(strings.Repeat(mailHead("message/rfc822"), depth) + mailHead("text/plain") + "innermost\r\n")
}

func nestedMultipart(depth int) []byte {
	var b strings.Builder
	b.WriteString(mailHead(`multipart/mixed; boundary="b0"`))
	for i := range depth {
		_, _ = fmt.Fprintf(&b, "--b%d\r\nContent-Type: multipart/mixed; boundary=\"b%d\"\r\n\r\n", i, i+1)
	}
	return []byte(b.String())
}
