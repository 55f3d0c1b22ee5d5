package opendocument

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/documents/format"
	"github.com/gorlm/rlm/internal/documents/format/formattest"
	"github.com/gorlm/rlm/internal/documents/internal/golden"
)

func TestTexts(t *testing.T)         { golden.Files(t, Text, ".odt") }
func TestSpreadsheets(t *testing.T)  { golden.Files(t, Spreadsheet, ".ods") }
func TestPresentations(t *testing.T) { golden.Files(t, Presentation, ".odp") }

const urn = "urn:oasis:names:tc:opendocument:xmlns:"

var namespaces = func() string {
	s := `xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:draw="` + urn +
		`drawing:1.0" xmlns:svg="` + urn + `svg-compatible:1.0"`
	for _, n := range []string{"office", "text", "table", "style", "presentation", "meta", "manifest"} {
		s += fmt.Sprintf(` xmlns:%s="%s%s:1.0"`, n, urn, n)
	}
	return s
}()

// odf returns a document with automatic styles and a body.
func odf(tb testing.TB, styles, body string, more ...string) []byte {
	return golden.Zip(tb, append(
		[]string{"content.xml", `<office:document-content ` + namespaces + `><office:automatic-styles>` + styles +
			`</office:automatic-styles><office:body>` + body + `</office:body></office:document-content>`}, more...)...)
}

func convert(t *testing.T, c format.Converter, data []byte) formattest.Document {
	doc, err := formattest.Convert(context.Background(), c, "a", data)
	require.NoError(t, err)
	return doc
}

func TestWhatIsShown(t *testing.T) {
	const styles = `<style:style style:name="H" style:family="text"><style:text-properties text:display="none"/></style:style>` +
		`<style:style style:name="S" style:family="text"><style:text-properties style:text-position="super 58%"/></style:style>` +
		`<style:style style:name="P" style:family="paragraph" style:parent-style-name="Q"/><style:style style:name="Q" style:family="paragraph" style:parent-style-name="Preformatted_20_Text"/>` +
		`<style:style style:name="Preformatted_20_Text" style:family="paragraph"/>` +
		`<text:list-style style:name="L"><text:list-level-style-number text:level="1" style:num-format="1" style:num-suffix="."/>` +
		`<text:list-level-style-number text:level="2" style:num-format="a" style:num-suffix=")" text:display-levels="2"/></text:list-style>`
	for _, c := range []struct{ name, body, want string }{
		{
			"space", "<text:p>  a\n   b<text:s text:c=\"3\"/>c<text:tab/>d<text:line-break/>e </text:p>",
			"a b   c\td\ne\n",
		},
		{"deleted", `<text:tracked-changes><text:changed-region><text:deletion><text:p>gone</text:p></text:deletion></text:changed-region></text:tracked-changes><text:p>a<text:change text:change-id="x"/>b</text:p>`, "ab\n"},
		{"hidden", `<text:p>a<text:span text:style-name="H">no</text:span>b<text:hidden-text text:is-hidden="true">no</text:hidden-text></text:p><text:section text:display="none"><text:p>no</text:p></text:section>`, "ab\n"},
		{"raised", `<text:p>10<text:span text:style-name="S">6</text:span></text:p>`, "10⁶\n"},
		{"program", `<text:p text:style-name="Preformatted_20_Text">if x:</text:p><text:p text:style-name="P"/><text:p text:style-name="P"><text:s text:c="4"/>y()</text:p><text:p text:style-name="P"/><text:p>z</text:p>`, "if x:\n\n    y()\n\nz\n"},
		{"link", `<text:p><text:a xlink:href="https://e.org">here</text:a> <text:a xlink:href="#x">there</text:a></text:p>`, "[here](https://e.org) there\n"},
		{"heading", `<text:h text:outline-level="2">Head</text:h>`, "## Head\n"},
		{
			"list", `<text:list text:style-name="L"><text:list-item><text:p>a</text:p><text:list><text:list-item><text:p>b</text:p></text:list-item></text:list></text:list-item><text:list-item><text:p>c</text:p><text:p>d</text:p></text:list-item></text:list>`,
			"1. a\n   1.a) b\n2. c\n   d\n",
		},
		{
			"notes", `<text:p>x<text:note text:note-class="footnote"><text:note-citation>1</text:note-citation><text:note-body><text:p>foot</text:p></text:note-body></text:note><office:annotation><dc:creator>Ann</dc:creator><dc:date>2025-03-01T10:00:00</dc:date><text:p>why?</text:p></office:annotation></text:p>`,
			"x[^1][^c1]\n\n[^1]: foot\n\n[^c1]: Comment by Ann, 2025-03-01: why?\n",
		},
		{
			"box", `<text:p>a<draw:frame><draw:text-box><text:p>boxed</text:p></draw:text-box></draw:frame></text:p>`,
			"a\n\nboxed\n",
		},
		{"ruby", `<text:p><text:ruby><text:ruby-base>漢</text:ruby-base><text:ruby-text>かん</text:ruby-text></text:ruby></text:p>`, "漢(かん)\n"},
		{
			"table", `<table:table><table:table-row><table:table-cell table:number-columns-spanned="2"><text:p>wide</text:p></table:table-cell><table:covered-table-cell/><table:table-cell><text:p>x|y</text:p></table:table-cell></table:table-row>` +
				`<table:table-row table:number-rows-repeated="2"><table:table-cell table:number-columns-repeated="3"><text:p>1</text:p></table:table-cell></table:table-row></table:table>`,
			"| wide |  | x\\|y |\n| --- | --- | --- |\n| 1 | 1 | 1 |\n| 1 | 1 | 1 |\n",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.Equal(t, c.want, convert(t, Text, odf(t, styles, "<office:text>"+c.body+"</office:text>")).Text)
		})
	}
}

func TestCells(t *testing.T) {
	cell := func(attrs, text string) string {
		return "<table:table-cell " + attrs + "><text:p>" + text + "</text:p></table:table-cell>"
	}
	for _, c := range []struct{ attrs, text, want string }{
		{`office:value-type="float" office:value="1234.5"`, "1.234,50", "1234.5"},
		{`office:value-type="float" office:value="123"`, "00123", "00123"},
		{`office:value-type="float" office:value="123456789"`, "123-45-6789", "123-45-6789"},
		{`office:value-type="float" office:value="12"`, "12 kg", "12 kg"},
		{`office:value-type="float" office:value="0"`, "No", "No (0)"},
		{`office:value-type="float" office:value="0"`, "0 kg", "0 kg"},
		{`office:value-type="float" office:value="0.4"`, "0 kg", "0 kg (0.4)"},
		{`office:value-type="float" office:value="-0.4"`, "0 kg", "0 kg (-0.4)"},
		{`office:value-type="float" office:value="2.46"`, "2.5 kg", "2.46 kg"},
		{`office:value-type="float" office:value="-2.46"`, "-2.5 kg", "-2.46 kg"},
		{`office:value-type="float" office:value="0.5"`, "5.0E-01 J", "0.5 J"},
		{`office:value-type="float" office:value="0.256"`, "26%", "25.6%"},
		{`office:value-type="float" office:value="0.01"`, "&lt;5%", "0.01"},
		{`office:value-type="float" office:value="1234.5678"`, "CHF 1.234,57", "CHF 1234.5678"},
		{`office:value-type="float" office:value="-1234567"`, "1,234,567 Dr", "1234567 Dr"},
		{`office:value-type="float" office:value="1234567"`, "1.2M", "1234567"},
		{`office:value-type="float" office:value="1500000"`, "1.5M", "1.5M"},
		{`office:value-type="float" office:value="400"`, "0.0M", "0.0M (400)"},
		{`office:value-type="float" office:value="7"`, "007 A", "007 A"},
		{`office:value-type="float" office:value="1"`, "✓", "✓ (1)"},
		{`office:value-type="float" office:value="0"`, "-", "0"},
		{`office:value-type="float" office:value="45"`, "45,0%", "45%"},
		{`office:value-type="float" office:value="1234.5"`, "1.23E+03", "1234.5"},
		{`office:value-type="float" office:value="1"`, "1.00E+00", "1"},
		{`office:value-type="float" office:value="0"`, "0.00E+00", "0"},
		{`office:value-type="float" office:value="0"`, ".00", "0"},
		{`office:value-type="float" office:value="-0.05"`, "-.05", "-0.05"},
		{`office:value-type="float" office:value="3.14159"`, "3.14", "3.14159"},
		{`office:value-type="float" office:value="-2"`, "(2)", "-2"},
		{`office:value-type="percentage" office:value="0.256"`, "26 %", "25.6%"},
		{`office:value-type="currency" office:value="12.345" office:currency="EUR"`, "12,35 €", "12.345"},
		{`office:value-type="date" office:date-value="2025-03-01"`, "1. März", "2025-03-01"},
		{`office:value-type="date" office:date-value="2025-03-01T14:30:00"`, "1. März", "2025-03-01 14:30:00"},
		{`office:value-type="time" office:time-value="PT30H05M00S"`, "30:05", "30:05:00"},
		{`office:value-type="time" office:time-value="PT29629H37M37.920000009S"`, "29629:37", "29629:37:37.92"},
		{`office:value-type="boolean" office:boolean-value="true"`, "WAHR", "TRUE"},
		{`office:value-type="string"`, "a, b", `"a, b"`},
	} {
		doc := convert(t, Spreadsheet, odf(t, "", "<office:spreadsheet><table:table><table:table-row>"+
			cell(c.attrs, c.text)+"</table:table-row></table:table></office:spreadsheet>"))
		want := "A1:A1\n"
		if strings.Contains(c.attrs, "EUR") {
			want = "A1:A1 (A in EUR)\n"
		}
		require.Equal(t, want+c.want+"\n", doc.Parts[0].Text)
	}
}

// TestRepeatedRows: rows repeated a million times cost only their content, and a sheet full of copies is written
// once.
func TestRepeatedRows(t *testing.T) {
	row := func(n int, cells string) string {
		return fmt.Sprintf(`<table:table-row table:number-rows-repeated="%d">%s</table:table-row>`, n, cells)
	}
	const one = `<table:table-cell office:value-type="float" office:value="1"><text:p>1</text:p></table:table-cell>`
	const empty = `<table:table-cell table:number-columns-repeated="16384"/>`
	sheet := func(rows string) formattest.Document {
		return convert(t, Spreadsheet,
			odf(t, "", `<office:spreadsheet><table:table table:name="S">`+rows+"</table:table></office:spreadsheet>"))
	}
	doc := sheet(row(3, one) + row(1048000, empty) + row(1, one) + row(500, empty))
	require.Equal(t, "A1:A1048004\n1\n1\n1\n\nA1048004:A1048004\n1\n", doc.Parts[0].Text)

	doc = sheet(row(1048576, `<table:table-cell table:number-columns-repeated="16384" office:value-type="float" office:value="1"><text:p>1</text:p></table:table-cell>`))
	require.Less(t, len(doc.Text), 8<<20)
	require.Contains(t, doc.Notes[0], "written only once")
	doc = sheet(strings.Repeat(row(1048576, empty), 10_000))
	require.Less(t, len(doc.Text), 100)
}

// TestHiddenRowsAndColumns: those with content are noted, whoever hid them.
func TestHiddenRowsAndColumns(t *testing.T) {
	const cells = `<table:table-cell><text:p>a</text:p></table:table-cell><table:table-cell/>` +
		`<table:table-cell><text:p>b</text:p></table:table-cell>`
	doc := convert(t, Spreadsheet, odf(t, "", `<office:spreadsheet><table:table table:name="Seen"><table:table-row>`+
		cells+`</table:table-row></table:table><table:table table:name="Unseen"><table:table-column-group>`+
		`<table:table-column/><table:table-column table:number-columns-repeated="2" table:visibility="collapse"/>`+
		`</table:table-column-group><table:table-row table:visibility="filter" table:number-rows-repeated="2">`+cells+
		`</table:table-row><table:table-row>`+cells+`</table:table-row>`+
		`<table:table-row table:visibility="collapse">`+cells+`</table:table-row>`+
		`<table:table-row table:visibility="collapse"><table:table-cell/></table:table-row></table:table>`+
		`</office:spreadsheet>`))
	require.Equal(t, "A1:C4\na,,b\na,,b\na,,b\na,,b\n", doc.Parts[1].Text)
	require.Equal(t, []string{"3 hidden rows and 1 hidden column of a sheet read as well: 2"}, doc.Notes)
}

// TestLargeSheet: even a sheet that is too large to buffer has its range before its rows, and the texts above its cells
// behind them.
func TestLargeSheet(t *testing.T) {
	var rows strings.Builder
	for i := range 50_000 {
		fmt.Fprintf(&rows, "<table:table-row><table:table-cell><text:p>%d %s</text:p></table:table-cell></table:table-row>", i,
			strings.Repeat("x", 100))
	}
	doc := convert(t, Spreadsheet, odf(t, "", `<office:spreadsheet><table:table table:name="Small"><table:table-row>`+
		`<table:table-cell><text:p>1</text:p></table:table-cell></table:table-row></table:table>`+
		`<table:table table:name="Large"><table:shapes><draw:frame><draw:text-box><text:p>Boxed</text:p></draw:text-box>`+
		`</draw:frame></table:shapes>`+rows.String()+`<table:table-row><table:table-cell/><table:table-cell><text:p>last`+
		`</text:p></table:table-cell></table:table-row></table:table></office:spreadsheet>`))
	require.True(t, strings.HasPrefix(doc.Parts[1].Text, "A1:B50001\n0 xxx"), doc.Parts[1].Text[:50])
	require.True(t, strings.HasSuffix(doc.Parts[1].Text, "\n,last\n\nText box: Boxed\n"))
}

func TestHostile(t *testing.T) {
	for name, body := range map[string]string{
		"deep lists":  strings.Repeat("<text:list><text:list-item>", 2000),
		"deep spans":  "<text:p>" + strings.Repeat("<text:span>", 2000),
		"deep tables": strings.Repeat("<table:table><table:table-row><table:table-cell>", 2000),
		"deep frames": strings.Repeat("<draw:frame><draw:text-box>", 2000),
		"spaces":      "<text:p>" + strings.Repeat(`<text:s text:c="999999999"/>`, 1000) + "x</text:p>",
		"copies": "<table:table>" +
			strings.Repeat(`<table:table-row table:number-rows-repeated="99999999"><table:table-cell table:number-columns-repeated="99999999"><text:p>x</text:p></table:table-cell></table:table-row>`, 1000) + "</table:table>",
		"itself": `<text:p><draw:frame><draw:object xlink:href="./"/></draw:frame></text:p>`,
	} {
		t.Run(name, func(t *testing.T) {
			doc, _ := formattest.Convert(context.Background(), Text, "a", odf(t, "", "<office:text>"+body))
			require.Less(t, len(doc.Text), 24<<20)
		})
	}
	_, err := formattest.Convert(
		context.Background(), Text, "a", odf(t, "", "", "META-INF/manifest.xml", `<manifest:manifest `+namespaces+
			`><manifest:file-entry><manifest:encryption-data/></manifest:file-entry></manifest:manifest>`))
	require.ErrorIs(t, err, format.ErrPassword)
}

func FuzzConvert(f *testing.F) {
	f.Add(`<text:p>a</text:p><text:list><text:list-item><text:p/></text:list-item></text:list>`,
		`<table:table-row table:number-rows-repeated="3"><table:table-cell/></table:table-row>`)
	f.Fuzz(func(t *testing.T, text, rows string) {
		_, _ = formattest.Convert(
			context.Background(), Text, "a", odf(t, rows, "<office:text>"+text+rows+"</office:text>"))
		_, _ = formattest.Convert(context.Background(), Spreadsheet, "a",
			odf(t, text, "<office:spreadsheet><table:table>"+rows+"</table:table></office:spreadsheet>"))
		_, _ = formattest.Convert(context.Background(), Presentation, "a",
			odf(t, rows, "<office:presentation><draw:page>"+text+"</draw:page></office:presentation>"))
	})
}
