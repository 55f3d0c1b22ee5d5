package word

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/documents/format/formattest"
	"github.com/gorlm/rlm/internal/documents/internal/golden"
)

const (
	relationships = `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">`
	kind          = `http://schemas.openxmlformats.org/officeDocument/2006/relationships/`
	namespaces    = `xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" ` +
		`xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math" xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" ` +
		`xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape" xmlns:v="urn:schemas-microsoft-com:vml"`
)

// docx returns a document with a body, in parts with unusual names.
func docx(tb testing.TB, body string, more ...string) []byte {
	return golden.Zip(tb, append([]string{
		"_rels/.rels", relationships + `<Relationship Id="x" Type="` + kind +
			`officeDocument" Target="/odd/name.part"/></Relationships>`,
		"odd/_rels/name.part.rels",
		relationships + `<Relationship Id="n" Type="` + kind + `footnotes" Target="../else/notes.part"/>` +
			`<Relationship Id="c" Type="` + kind + `comments" Target="c.part"/><Relationship Id="s" Type="` + kind +
			`styles" Target="s.part"/>` +
			`<Relationship Id="u" Type="` + kind + `numbering" Target="u.part"/>` +
			`<Relationship Id="l" Type="` + kind +
			`hyperlink" Target="https://e.org/a b" TargetMode="External"/></Relationships>`,
		"odd/name.part", `<w:document ` + namespaces + `><w:body>` + body + `</w:body></w:document>`,
	}, more...)...)
}

func para(runs string) string { return "<w:p>" + runs + "</w:p>" }

func said(text string) string { return `<w:r><w:t xml:space="preserve">` + text + "</w:t></w:r>" }

func TestWhatIsShown(t *testing.T) {
	field := func(code, result string) string {
		return `<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>` + code +
			`</w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r>` +
			said(result) + `<w:r><w:fldChar w:fldCharType="end"/></w:r>`
	}
	for _, c := range []struct{ name, body, want string }{
		{"inserted and deleted", para(said("a ") + `<w:ins>` + said("new ") +
			`</w:ins><w:del><w:r><w:delText>old</w:delText></w:r></w:del>` + said("b")), "a new b\n"},
		{
			"moved", para(`<w:moveFrom>`+said("gone")+`</w:moveFrom>`) + para(`<w:moveTo>`+said("here")+`</w:moveTo>`),
			"here\n",
		},
		{"drop cap", `<w:p><w:pPr><w:framePr w:dropCap="drop" w:lines="3"/></w:pPr>` + said("D") + `</w:p>` +
			para(said("rop cap.")), "Drop cap.\n"},
		{"frame", `<w:p><w:pPr><w:framePr w:dropCap="none" w:wrap="around"/></w:pPr>` + said("one") + `</w:p>` +
			para(said("two")), "one\n\ntwo\n"},
		{
			"deleted mark", `<w:p><w:pPr><w:rPr><w:del/></w:rPr></w:pPr>` + said("one ") + `</w:p>` + para(said("two")),
			"one two\n",
		},
		{"deleted mark at the end", `<w:p><w:pPr><w:rPr><w:del/></w:rPr></w:pPr>` + said("one") + `</w:p>`, "one\n"},
		{"hidden", para(`<w:r><w:rPr><w:vanish/></w:rPr><w:t>no</w:t></w:r><w:r><w:rPr><w:vanish w:val="0"/></w:rPr><w:t>yes</w:t></w:r>`), "yes\n"},
		{"field", para(said("on ") + field(" DATE \\@ x ", "1 May")), "on 1 May\n"},
		{
			"field in the code of a field",
			para(`<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>IF </w:instrText></w:r>` +
				field("X", "no") +
				`<w:r><w:fldChar w:fldCharType="separate"/></w:r>` + said("yes") +
				`<w:r><w:fldChar w:fldCharType="end"/></w:r>`), "yes\n",
		},
		{
			"field over paragraphs",
			para(`<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>TOC</w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r>`+said("One 1")) +
				para(said("Two 2")+`<w:r><w:fldChar w:fldCharType="end"/></w:r>`), "One 1\n\nTwo 2\n",
		},
		{
			"list of a form", para(`<w:r><w:fldChar w:fldCharType="begin"><w:ffData><w:ddList><w:result w:val="1"/>` +
				`<w:listEntry w:val="red"/><w:listEntry w:val="green"/></w:ddList></w:ffData></w:fldChar></w:r>` +
				`<w:r><w:instrText>FORMDROPDOWN</w:instrText></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r>`), "green\n",
		},
		{"link by field", para(field(` HYPERLINK "https://e.org" \t "_blank" `, "here")), "[here](https://e.org)\n"},
		{
			"link by relationship", para(`<w:hyperlink r:id="l">` + said("there") + `</w:hyperlink>` + said(".")),
			"[there](<https://e.org/a b>).\n",
		},
		{"link inside", para(`<w:hyperlink w:anchor="x">` + said("above") + `</w:hyperlink>`), "above\n"},
		{"signs", para(`<w:r><w:t>a</w:t><w:tab/><w:t>b</w:t><w:br/><w:t>c</w:t><w:noBreakHyphen/><w:t>d</w:t><w:softHyphen/><w:t>e</w:t><w:sym w:font="Symbol" w:char="F061"/></w:r>`), "a\tb\nc-deα\n"},
		{"program", para(`<w:r><w:t xml:space="preserve"> def f():</w:t><w:br/><w:t xml:space="preserve">    return 1 </w:t><w:br/></w:r>`), "def f():\n    return 1\n"},
		{"raised by a distance", para(said("x") + `<w:r><w:rPr><w:position w:val="8"/></w:rPr><w:t>2</w:t></w:r>` +
			said(" H") + `<w:r><w:rPr><w:position w:val="-2"/></w:rPr><w:t>2</w:t></w:r>` +
			said("O ") + `<w:r><w:rPr><w:vertAlign w:val="superscript"/><w:position w:val="0"/></w:rPr><w:t>3</w:t></w:r>`), "x² H₂O ³\n"},
		{
			"raised", para(said("10") + `<w:r><w:rPr><w:vertAlign w:val="superscript"/></w:rPr><w:t>-6</w:t></w:r>` +
				said(" H") + `<w:r><w:rPr><w:vertAlign w:val="subscript"/></w:rPr><w:t>2</w:t></w:r>` + said("O")),
			"10⁻⁶ H₂O\n",
		},
		{"text box once", para(said("before") +
			`<w:r><mc:AlternateContent><mc:Choice Requires="wps"><w:drawing><wps:txbx><w:txbxContent>` +
			para(said("boxed")) +
			`</w:txbxContent></wps:txbx></w:drawing></mc:Choice><mc:Fallback><w:pict><v:textbox><w:txbxContent>` +
			para(said("boxed")) + `</w:txbxContent></v:textbox></w:pict></mc:Fallback></mc:AlternateContent></w:r>`), "before\n\nboxed\n"},
		{"reading", para(`<w:r><w:ruby><w:rt><w:r><w:t>かん</w:t></w:r></w:rt><w:rubyBase><w:r><w:t>漢</w:t></w:r></w:rubyBase></w:ruby></w:r>`), "漢(かん)\n"},
		{"equation", para(`<m:oMath><m:f><m:num><m:r><m:t>a+b</m:t></m:r></m:num><m:den><m:r><m:t>2</m:t></m:r></m:den></m:f><m:sSup><m:e><m:r><m:t>x</m:t></m:r></m:e><m:sup><m:r><m:t>n</m:t></m:r></m:sup></m:sSup></m:oMath>`), "(a+b)/2x^n\n"},
		{"control", `<w:sdt><w:sdtPr><w:alias w:val="x"/></w:sdtPr><w:sdtContent>` +
			para(`<w:sdt><w:sdtContent>`+said("in")+`</w:sdtContent></w:sdt>`) + `</w:sdtContent></w:sdt>`, "in\n"},
		{
			"footnote and comment", para(
				said("text") + `<w:r><w:footnoteReference w:id="7"/></w:r><w:r><w:commentReference w:id="0"/></w:r>`),
			"text[^1][^c1]\n\n[^1]: note\n    more\n\n[^c1]: Comment by Ann, 2025-03-01: why?\n",
		},
		{"list", `<w:p><w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr></w:pPr>` + said("a") +
			`</w:p><w:p><w:pPr><w:numPr><w:ilvl w:val="1"/><w:numId w:val="1"/></w:numPr></w:pPr>` + said("b") +
			`</w:p><w:p><w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr></w:pPr>` + said("c") +
			`</w:p>`, "1. a\n   1.a) b\n2. c\n"},
		{
			"heading by a style of a style", `<w:p><w:pPr><w:pStyle w:val="Mine"/></w:pPr>` + said("Head") + `</w:p>`,
			"## Head\n",
		},
		{
			"merged cells", `<w:tbl><w:tr><w:tc><w:tcPr><w:gridSpan w:val="2"/></w:tcPr>` + para(said("wide")) +
				`</w:tc><w:tc>` + para(said("x|y")) + `</w:tc></w:tr>` +
				`<w:tr><w:tc>` + para(said("1")) + `</w:tc><w:tc>` + para(said("2")) +
				`</w:tc><w:tc><w:tcPr><w:vMerge/></w:tcPr>` + para("") + `</w:tc></w:tr>` +
				`<w:tr><w:trPr><w:del/></w:trPr><w:tc>` + para(said("gone")) + `</w:tc></w:tr></w:tbl>`,
			"| wide |  | x\\|y |\n| --- | --- | --- |\n| 1 | 2 |  |\n",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			data := docx(t, c.body,
				"else/notes.part", `<w:footnotes `+namespaces+
					`><w:footnote w:id="-1" w:type="separator"/><w:footnote w:id="7">`+para(said("note"))+
					para(said("more"))+`</w:footnote></w:footnotes>`,
				"odd/c.part", `<w:comments `+namespaces+
					`><w:comment w:id="0" w:author="Ann" w:date="2025-03-01T10:00:00Z">`+para(said("why?"))+
					`</w:comment></w:comments>`,
				"odd/s.part", `<w:styles `+namespaces+
					`><w:style w:styleId="Berschrift2"><w:name w:val="heading 2"/></w:style><w:style w:styleId="Mine"><w:basedOn w:val="Berschrift2"/></w:style>`+
					`<w:style w:styleId="A"><w:basedOn w:val="B"/></w:style><w:style w:styleId="B"><w:basedOn w:val="A"/></w:style></w:styles>`,
				"odd/u.part", `<w:numbering `+namespaces+
					`><w:abstractNum w:abstractNumId="5"><w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/></w:lvl>`+
					`<w:lvl w:ilvl="1"><w:numFmt w:val="lowerLetter"/><w:lvlText w:val="%1.%2)"/></w:lvl></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="5"/></w:num></w:numbering>`,
			)
			doc, err := formattest.Convert(context.Background(), Convert, "a.docx", data)
			require.NoError(t, err)
			require.Equal(t, c.want, doc.Text)
			require.Empty(t, doc.Notes)

			// The strict variant differs only in its namespaces.
			strict := strings.NewReplacer("http://schemas.openxmlformats.org/wordprocessingml/2006/main",
				"http://purl.oclc.org/ooxml/wordprocessingml/main",
				"http://schemas.openxmlformats.org/officeDocument/2006/", "http://purl.oclc.org/ooxml/officeDocument/")
			doc, err = formattest.Convert(context.Background(), Convert, "a.docx", golden.Rewrite(t, data, strict))
			require.NoError(t, err)
			require.Equal(t, c.want, doc.Text)
		})
	}
}

// TestDamageCostsAPart: the damaged part is reported, and the rest is there.
func TestDamageCostsAPart(t *testing.T) {
	body := para(said("text") + `<w:r><w:footnoteReference w:id="7"/></w:r>`)
	doc, err := formattest.Convert(context.Background(), Convert, "a.docx", docx(
		t, body, "else/notes.part", `<w:footnotes `+namespaces+`><w:footnote w:id="7"><w:p>`, "odd/s.part", "no XML"))
	require.NoError(t, err)
	require.Equal(t, "text[^1]\n", doc.Text)
	require.Len(t, doc.Notes, 1)

	doc, err = formattest.Convert(context.Background(), Convert, "a.docx", docx(t, para(said("a")+
		`<w:r><w:object><o:OLEObject xmlns:o="urn:schemas-microsoft-com:office:office" ProgID="Equation.3"/></w:object></w:r>`)))
	require.NoError(t, err)
	require.Equal(t, []string{"equations left out because they are pictures: 1"}, doc.Notes)

	doc, err = formattest.Convert(context.Background(), Convert, "a.docx", docx(t, body+"<w:p><w:r><w:t>half"))
	require.NoError(t, err)
	require.Contains(t, doc.Text, "half")

	_, err = formattest.Convert(context.Background(), Convert, "a.docx", []byte("PK\x03\x04 and no more"))
	require.ErrorContains(t, err, "damaged")
}

// TestHostile: none of these may take long, much memory or stack.
func TestHostile(t *testing.T) {
	for name, body := range map[string]string{
		"deep tables":    strings.Repeat("<w:tbl><w:tr><w:tc>", 2_000),
		"deep boxes":     strings.Repeat("<w:p><w:r><w:txbxContent>", 2_000),
		"deep equations": "<w:p>" + strings.Repeat("<m:oMath><m:f><m:num>", 2_000),
		"deep anything":  strings.Repeat("<w:sdt>", 5_000),
		"wide cells": "<w:tbl>" + strings.Repeat(
			`<w:tr><w:tc><w:tcPr><w:gridSpan w:val="999999999"/></w:tcPr><w:p/></w:tc></w:tr>`, 1000) + "</w:tbl>",
		"long attribute": `<w:p a="` + strings.Repeat("x", 17<<20) + `"/>`,
		"many links": "<w:p>" + strings.Repeat(`<w:hyperlink r:id="l">`+said("x")+`</w:hyperlink>`, 20_000) +
			"</w:p>",
		"open fields": "<w:p>" +
			strings.Repeat(`<w:r><w:fldChar w:fldCharType="begin"/><w:fldChar w:fldCharType="separate"/></w:r>`+
				said("x"), 5_000) + "</w:p>",
		"entities":        "<w:p>" + said(strings.Repeat("&lol9;", 1000)) + "</w:p>",
		"very many notes": "<w:p>" + strings.Repeat(`<w:r><w:footnoteReference w:id="1"/></w:r>`, 20_000) + "</w:p>",
	} {
		t.Run(name, func(t *testing.T) {
			doc, _ := formattest.Convert(context.Background(), Convert, "a.docx", docx(t, body, "odd/s.part", "<x/>"))
			require.Less(t, len(doc.Text), 8<<20)
		})
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := formattest.Convert(ctx, Convert, "a.docx", docx(t, "<w:p/>"))
	require.ErrorIs(t, err, context.Canceled)
}

func FuzzConvert(f *testing.F) {
	f.Add(`<w:p><w:r><w:t>x</w:t></w:r></w:p><w:tbl><w:tr><w:tc><w:p/></w:tc></w:tr></w:tbl>`,
		`<w:style w:styleId="a"><w:basedOn w:val="a"/></w:style>`)
	f.Fuzz(func(t *testing.T, body, styles string) {
		data := docx(t, body, "odd/s.part", `<w:styles `+namespaces+`>`+styles+"</w:styles>", "odd/u.part",
			`<w:numbering `+namespaces+`>`+styles)
		doc, _ := formattest.Convert(context.Background(), Convert, "a.docx", data)
		require.LessOrEqual(t, len(doc.Text), 1<<20+100*(len(body)+len(styles)), "what %d bytes became",
			len(body)+len(styles))
	})
}
