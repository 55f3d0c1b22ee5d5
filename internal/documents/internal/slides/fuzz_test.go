package slides

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/documents/format/formattest"
	"github.com/gorlm/rlm/internal/documents/internal/golden"
)

// deckOf returns a presentation of one slide with notes.
func deckOf(tb testing.TB, slide, notes string) []byte {
	const (
		relationships = `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">`
		kind          = `http://schemas.openxmlformats.org/officeDocument/2006/relationships/`
		namespaces    = `xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" ` +
			`xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"`
	)
	return golden.Zip(tb,
		"_rels/.rels", relationships+`<Relationship Id="x" Type="`+kind+
			`officeDocument" Target="p.xml"/></Relationships>`,
		"_rels/p.xml.rels", relationships+`<Relationship Id="s" Type="`+kind+`slide" Target="s.xml"/></Relationships>`,
		"p.xml", `<p:presentation `+namespaces+`><p:sldIdLst><p:sldId r:id="s"/></p:sldIdLst></p:presentation>`,
		"_rels/s.xml.rels", relationships+`<Relationship Id="n" Type="`+kind+
			`notesSlide" Target="n.xml"/><Relationship Id="s" Type="`+kind+`slide" Target="s.xml"/></Relationships>`,
		"s.xml", `<p:sld `+namespaces+`><p:cSld><p:spTree>`+slide+`</p:spTree></p:cSld></p:sld>`,
		"n.xml", `<p:notes `+namespaces+`>`+notes+`</p:notes>`)
}

func FuzzConvert(f *testing.F) {
	f.Add(`<p:sp><p:nvSpPr><p:nvPr><p:ph type="title"/></p:nvPr></p:nvSpPr><p:txBody><a:p><a:r><a:t>Tides</a:t></a:r></a:p></p:txBody></p:sp>`+
		`<p:sp><p:txBody><a:p><a:pPr lvl="1"><a:buAutoNum type="arabicPeriod"/></a:pPr><a:r><a:t>one</a:t></a:r><a:br/></a:p></p:txBody></p:sp>`,
		`<p:sp><p:nvSpPr><p:nvPr><p:ph type="body"/></p:nvPr></p:nvSpPr><p:txBody><a:p><a:r><a:t>say it</a:t></a:r></a:p></p:txBody></p:sp>`)
	f.Add(`<p:graphicFrame><a:graphic><a:graphicData><a:tbl><a:tr><a:tc gridSpan="2"><a:txBody><a:p><a:r><a:t>x</a:t></a:r></a:p></a:txBody></a:tc>`+
		`<a:tc hMerge="1"/></a:tr></a:tbl></a:graphicData></a:graphic></p:graphicFrame><p:pic><p:nvPicPr><p:cNvPr descr="a light"/></p:nvPicPr></p:pic>`, "")
	f.Fuzz(func(t *testing.T, slide, notes string) {
		doc, _ := formattest.Convert(t.Context(), Convert, "a.pptx", deckOf(t, slide, notes))
		require.LessOrEqual(t, len(doc.Text), 1<<20+100*(len(slide)+len(notes)), "what %d bytes became",
			len(slide)+len(notes))
	})
}

func TestASlideWithNotes(t *testing.T) {
	doc, err := formattest.Convert(t.Context(), Convert, "a.pptx", deckOf(t,
		`<p:sp><p:nvSpPr><p:nvPr><p:ph type="title"/></p:nvPr></p:nvSpPr><p:txBody><a:p><a:r><a:t>Tides</a:t></a:r></a:p></p:txBody></p:sp>`+
			`<p:sp><p:txBody><a:p><a:r><a:t>high</a:t></a:r></a:p></p:txBody></p:sp>`,
		`<p:sp><p:nvSpPr><p:nvPr><p:ph type="body"/></p:nvPr></p:nvSpPr><p:txBody><a:p><a:r><a:t>say it</a:t></a:r></a:p></p:txBody></p:sp>`))
	require.NoError(t, err)
	require.Equal(t, "--- slide 1: Tides ---\n# Tides\n\nhigh\n\nNotes:\n\nsay it\n", doc.Text)
}
