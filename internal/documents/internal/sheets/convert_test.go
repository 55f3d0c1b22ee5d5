package sheets

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/documents/format/formattest"
	"github.com/gorlm/rlm/internal/documents/internal/golden"
	"github.com/gorlm/rlm/internal/documents/internal/grid"
)

// TestDisplay: numbers are plain with all digits; words in a format are shown as in Excel.
func TestDisplay(t *testing.T) {
	for _, c := range []struct{ code, raw, want string }{
		{"General", "0.30000000000000004", "0.3"},
		{"General", "12345678901234567890", "12345678901234567000"},
		{"General\" kg\"", "5.5", "5.5 kg"},
		{"\"about \"General", "5.5", "about 5.5"},
		{"General", "1E-7", "0.0000001"},
		{"General", "1.5E+300", "1.5E+300"},
		{"0.00", "3", "3.00"},
		{"0.00", "3.14159", "3.14159"},
		{"#,##0.00", "1234567.5", "1234567.50"},
		{"#,##0", "-1234567", "-1234567"},
		{"#,##0_);(#,##0)", "-5", "-5"},
		{"#,##0,", "1500000", "1500000"},
		{`"$"#,##0.00_);[Red]\("$"#,##0.00\)`, "-1234.5", "-1234.50 in $"},
		{`_-* #,##0.00\ €_-;\-* #,##0.00\ €_-;_-* "-"??\ €_-;_-@_-`, "0", "0 in €"},
		{`_-* #,##0.00\ €_-;\-* #,##0.00\ €_-;_-* "-"??\ €_-;_-@_-`, "-2", "-2.00 in €"},
		{`_(* #,##0_);_(* (#,##0);_(* "-"_);_(@_)`, "0", "0"},
		{`[$€-407] #,##0.00`, "5", "5.00 in €"},
		{`[$CHF] #,##0`, "5", "5 in CHF"},
		{"0%", "0.25", "25%"},
		{"0%", "0.256", "25.6%"},
		{"0.0%", "0.07", "7.0%"},
		{`0%;0%;"-"`, "0", "0"},
		{"0.00E+00", "12345", "12345"},
		{"# ?/?", "0.5", "0.5"},
		{"00000", "123", "00123"},
		{"000-00-0000", "123456789", "123-45-6789"},
		{"000-00-0000", "1", "000-00-0001"},
		{"(000) 000-0000", "5551234567", "(555) 123-4567"},
		{`0.0,,"M"`, "1200000", "1.2M"},
		{`0 "kg"`, "12", "12 kg"},
		{`"Yes";"Yes";"No"`, "1", "Yes (1)"},
		{`"Yes";"Yes";"No"`, "0", "No (0)"},
		{`[=1]"Yes";[=0]"No"`, "1", "Yes (1)"},
		{`[=1]"Yes";[=0]"No"`, "0", "No (0)"},
		{`"n/a";"n/a";"n/a"`, "45717", "n/a (45717)"},
		{`"up "0%;"down "0%`, "-0.05", "down 5%"},
		{`"up "0%;"down "0%`, "0.05", "up 5%"},
		{"[<1]0.00%;0.00", "1500", "1500.00"},
		{"[<1]0.00%;0.00", "0.5", "50.00%"},
		{"[<1]0.00%;0.00", "-0.5", "-50.00%"},
		{`[>999999]#,,"M";[>999]#,"K";#`, "1.02", "1.02"},
		{`[>999999]#,,"M";[>999]#,"K";#`, "1500", "1.5K"},
		{`[>999999]#,,"M";[>999]#,"K";#`, "2500000", "2.5M"},
		{`[Red][<0]"owes "0;"has "0`, "-3", "owes 3"},
		{`[Red][<0]"owes "0;"has "0`, "3", "has 3"},
		{"yyyy-mm-dd", "45717", "2025-03-01"},
		{"d-mmm-yy", "45717.5", "2025-03-01 12:00:00"},
		{"mmm-yy", "45717", "2025-03-01"},
		{"m/d/yy h:mm", "45717", "2025-03-01 00:00:00"},
		{`yyyy"年"m"月"d"日"`, "45717", "2025-03-01"},
		{"h:mm AM/PM", "0.75", "18:00:00"},
		{"[h]:mm:ss", "1.25", "30:00:00"},
		{"mm:ss.0", "0.00001", "00:00:00.864"},
		{"yyyy-mm-dd", "60", "1900-02-29"},
		{"yyyy-mm-dd", "1", "1900-01-01"},
		{"yyyy-mm-dd", "0", "1900-01-00"},
		{"yyyy-mm-dd hh:mm", "0", "00:00:00"},
		{"yyyy-mm-dd", "-5", "-5"},
		{"yyyy-mm-dd hh:mm", "45717.999999999", "2025-03-02 00:00:00"},
		{"mm/dd/yyyy\\ hh:mm", "45717.5", "2025-03-01 12:00:00"},
		{"0.00E-00", "12345", "12345"},
		{"0.##E-0", "0.5", "0.5"},
		{"0 0/0", "1.25", "1.25"},
		{`# ?/2" in"`, "1.5", "1.5 in"},
		{"[Color 5]0.00", "1", "1.00"},
		{"[Color10][$-409]0", "1", "1"},
		{`"a;b "0`, "1", "a;b 1"},
		{`\;0`, "1", "1"},
		{"BOOLEAN", "1", "1"},
		{"Standard", "45717", "45717"},
		{`0"%"`, "45", "45%"},
		{`0.0\%;(0.0\%)`, "-4.5", "-4.5%"},
		{`0\%`, "45", "45%"},
		{"0.0‰", "2.5", "2.5‰"},
		{`0"°"`, "21", "21°"},
		{`0" % of all"`, "45", "45 % of all"},
		{"✓;✗;○", "1", "✓ (1)"},
		{"✓;✗;○", "-1", "✗ (-1)"},
		{`"↑"0%;"↓"0%`, "-0.05", "-5%"},
		{"[<=9999999]###-####;(###) ###-####", "1", "1"},
		{"[<=9999999]###-####;(###) ###-####", "5551234", "555-1234"},
		{"[<=9999999]###-####;(###) ###-####", "5551234567", "(555) 123-4567"},
		{"000-00-0000", "1.5", "1.5"},
		{"@", "5", "5"},
		{";;;", "5", "5"},
		{"0.00", "text", "text"},
		{"0.00", "NaN", "NaN"},
	} {
		d := parseFormat(c.code)
		got, unit := d.show(c.raw, false)
		if unit != "" {
			got += " in " + unit
		}
		require.Equal(t, c.want, got, "%s of %s", c.code, c.raw)
	}
	d := parseFormat("yyyy-mm-dd")
	date, _ := d.show("43889", true)
	require.Equal(t, "2024-02-29", date)
	date, _ = d.show("0", true)
	require.Equal(t, "1904-01-01", date)
}

// TestTextsHaveTheirFormat: a format may add words to texts; errors have none.
func TestTextsHaveTheirFormat(t *testing.T) {
	for code, want := range map[string]string{
		`@" kg"`: "ten kg", `0;-0;"nil";"text: "@`: "text: ten", `_(@_)`: "ten", ";;;": "ten", `"n/a"`: "ten",
		`@" and "@`: "ten and ten", `@"x"@@@@`: "ten",
	} {
		d := parseFormat(code)
		require.Equal(t, want, d.text("ten"), code)
		require.Empty(t, d.text(""), code)
	}
	const styles = `<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><numFmts>` +
		`<numFmt numFmtId="200" formatCode="@&quot; kg&quot;"/></numFmts><cellXfs><xf numFmtId="200"/></cellXfs></styleSheet>`
	doc, err := formattest.Convert(context.Background(), Convert, "a.xlsx", book(t,
		`<row><c s="0" t="s"><v>0</v></c><c s="0" t="inlineStr"><is><t>in</t></is></c><c s="0" t="str"><v>str</v></c>`+
			`<c s="0" t="e"><v>#N/A</v></c><c s="0" t="b"><v>1</v></c><c s="0"><v>5</v></c><c t="s"><v>0</v></c></row>`,
		"styles", styles))
	require.NoError(t, err)
	require.Equal(t, "A1:G1\nplain kg,in kg,str kg,#N/A,TRUE,5,plain\n", doc.Parts[0].Text)
}

// book returns a workbook with one sheet, in parts with unusual names.
func book(tb testing.TB, cells string, more ...string) []byte {
	return bookOf(tb, "http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet",
		`<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>`+cells+
			`</sheetData><mergeCells/></worksheet>`, more...)
}

func bookOf(tb testing.TB, sheetKind, sheet string, more ...string) []byte {
	const main = `xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"`
	const rels = `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">`
	const kind = `http://schemas.openxmlformats.org/officeDocument/2006/relationships/`
	return golden.Zip(tb, append([]string{
		"_rels/.rels", rels + `<Relationship Id="a" Type="` + kind + `officeDocument" Target="b"/></Relationships>`,
		"_rels/b.rels", rels + `<Relationship Id="s" Type="` + sheetKind +
			`" Target="one"/><Relationship Id="t" Type="` + kind +
			`sharedStrings" Target="texts"/><Relationship Id="f" Type="` + kind + `styles" Target="styles"/></Relationships>`,
		"b", `<workbook ` + main +
			`><sheets><sheet name="One" sheetId="1" r:id="s"/><sheet name="Two" sheetId="2" r:id="gone"/></sheets></workbook>`,
		"texts", `<sst ` + main +
			`><si><t>plain</t></si><si><r><t>rich </t></r><r><t>text</t></r><rPh><t>reading</t></rPh></si><si><t>a_x000D_&#10;b_x005F_c</t></si></sst>`,
		"one", sheet,
	}, more...)...)
}

// Only the first cell of a shared formula contains it; the others refer to it, and none has a result.
func TestSharedFormulasWithoutResults(t *testing.T) {
	doc, err := formattest.Convert(context.Background(), Convert, "a.xlsx", book(t,
		`<row r="1"><c r="A1"><f t="shared" si="1" ref="A1:A3">B1/C1</f></c><c r="B1"><v>4</v></c></row>`+
			`<row r="2"><c r="A2"><f t="shared" si="1"/></c><c r="B2"><v>5</v></c></row>`+
			`<row r="3"><c r="A3"><f t="shared" si="1"/><v>7</v></c><c r="B3"><v>6</v></c></row>`))
	require.NoError(t, err)
	require.Equal(t, "A1:B3\n=B1/C1,4\n=B1/C1 (shared),5\n7,6\n", doc.Parts[0].Text)
	require.Contains(t, doc.Notes, "2 formulas without a stored result: the formula is shown instead")
}

// A thread is stored a second time as a comment for older programs, next to the comments without replies.
func TestCommentsBesideThreads(t *testing.T) {
	const rels = `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">`
	const main = `xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"`
	const threads = "http://schemas.microsoft.com/office/spreadsheetml/2018/threadedcomments"
	comment := func(ref, text string) string {
		return `<comment ref="` + ref + `"><text><t>` + text + `</t></text></comment>`
	}
	doc, err := formattest.Convert(context.Background(), Convert, "a.xlsx", book(t, `<row><c><v>1</v></c></row>`,
		"_rels/one.rels", rels+`<Relationship Id="c" Target="c" Type="`+
			`http://schemas.openxmlformats.org/officeDocument/2006/relationships/comments"/>`+
			`<Relationship Id="t" Target="t" Type="`+
			`http://schemas.microsoft.com/office/2017/10/relationships/threadedComment"/></Relationships>`,
		"c", `<comments `+main+`><commentList>`+comment("A1", "[Threaded comment] ask Ann")+comment("B2", "a note")+
			`</commentList></comments>`,
		"t", `<ThreadedComments xmlns="`+threads+`"><threadedComment ref="A1"><text>ask Ann</text></threadedComment>`+
			`</ThreadedComments>`))
	require.NoError(t, err)
	require.Equal(t, "A1:A1\n1\n\nComment on A1: ask Ann\nComment on B2: a note\n", doc.Parts[0].Text)
}

func TestCells(t *testing.T) {
	doc, err := formattest.Convert(context.Background(), Convert, "a.xlsx", book(t,
		`<row r="3"><c r="B3" t="s"><v>0</v></c><c t="s"><v>1</v></c><c r="F3" t="s"><v>2</v></c></row>`+
			`<row><c r="B4" t="b"><v>1</v></c><c r="C4" t="e"><v>#N/A</v></c><c r="D4" t="inlineStr"><is><t>in</t></is></c><c r="E4"><f>A1+1</f><v>2</v></c><c r="F4"><f>B1</f></c></row>`+
			`<row r="5"><c r="A5" s="9"/><c r="B5" t="str"><f>""</f><v></v></c><c r="C5" t="d"><v>2025-03-01T00:00:00</v></c><c r="D5" t="s"><v>99</v></c></row>`+
			`<row r="1048576"><c r="C1048576"><v> 1 </v></c></row>`))
	require.NoError(t, err)
	require.Equal(t, "B3:F1048576\nplain,rich text,,,\"a\nb_c\"\nTRUE,#N/A,in,2,=B1\n,2025-03-01,,,\n\nB1048576:F1048576\n,1,,,\n", doc.Parts[0].Text)
	require.Equal(t, []string{
		"sheet 2 is missing",
		"1 formula without a stored result: the formula is shown instead",
	}, doc.Notes)
}

// TestHiddenRowsAndColumns: those with content are noted, whoever hid them.
func TestHiddenRowsAndColumns(t *testing.T) {
	const kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet"
	const main = `<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">`
	for cells, want := range map[string]string{
		`<cols><col min="1" max="1"/><col min="3" max="4" hidden="1"/><col min="6" max="16384" hidden="1"/></cols>` +
			`<sheetData><row hidden="1"><c r="A1"><v>1</v></c><c r="C1"><v>2</v></c></row>` +
			`<row><c r="C2"><v>3</v></c></row><row hidden="true"><c r="A3"/></row>` +
			`<row r="9" ht="0"><c r="XFD9"><v>4</v></c></row></sheetData>`: "2 hidden rows and 2 hidden columns of a sheet read as well: 1",
		`<cols><col min="2" max="2" width="0"/></cols>` +
			`<sheetData><row><c r="B1"><v>1</v></c></row></sheetData>`: "1 hidden column of a sheet read as well: 1",
		`<cols><col min="9" max="9" hidden="1"/></cols><sheetData><row hidden="0"><c r="B1"><v>1</v></c></row>` +
			`<row hidden="1"/></sheetData>`: "",
	} {
		doc, err := formattest.Convert(context.Background(), Convert, "a.xlsx",
			bookOf(t, kind, main+cells+`</worksheet>`))
		require.NoError(t, err)
		if want != "" {
			require.Contains(t, doc.Notes, want)
			continue
		}
		require.Equal(t, []string{"sheet 2 is missing"}, doc.Notes)
	}
}

// TestAPivotTableWithoutAResult: Google Sheets leaves computing it to the program that opens the workbook.
func TestAPivotTableWithoutAResult(t *testing.T) {
	const rels = `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">` +
		`<Relationship Id="p" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/pivotTable" ` +
		`Target="pivot"/></Relationships>`
	const note = "pivot table without a stored result left out of sheet: 1"
	doc, err := formattest.Convert(context.Background(), Convert, "a.xlsx", book(t, "", "_rels/one.rels", rels))
	require.NoError(t, err)
	require.Contains(t, doc.Notes, note)
	doc, err = formattest.Convert(context.Background(), Convert, "a.xlsx",
		book(t, `<row><c><v>1</v></c></row>`, "_rels/one.rels", rels))
	require.NoError(t, err)
	require.NotContains(t, doc.Notes, note)
}

// TestASheetOfMacrosHasItsFormulas: there, they are what the sheet shows.
func TestASheetOfMacrosHasItsFormulas(t *testing.T) {
	doc, err := formattest.Convert(context.Background(), Convert, "a.xlsm", bookOf(t,
		"http://schemas.microsoft.com/office/2006/relationships/xlMacrosheet",
		`<xm:macrosheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" `+
			`xmlns:xm="http://schemas.microsoft.com/office/excel/2006/main">`+
			`<sheetData><row><c t="inlineStr"><is><t>Hello</t></is></c>`+
			`<c t="b"><f>ALERT("x")</f><v>0</v></c></row></sheetData></xm:macrosheet>`))
	require.NoError(t, err)
	require.Equal(t, "A1:B1\nHello,\"=ALERT(\"\"x\"\")\"\n", doc.Parts[0].Text)
}

// TestDamageCostsAPart: the rows before the damage are there, and the damage is reported.
func TestDamageCostsAPart(t *testing.T) {
	doc, err := formattest.Convert(
		context.Background(), Convert, "a.xlsx", book(t, `<row><c><v>1</v></c></row><row><c><v>2</v></c><c><v`))
	require.NoError(t, err)
	require.Equal(t, "A1:A2\n1\n2\n", doc.Parts[0].Text)
	require.Contains(t, doc.Notes[0], "sheet 1 cannot be read")
}

// TestLargeSheet: even a sheet that is too large to buffer has its range before its rows.
func TestLargeSheet(t *testing.T) {
	var rows strings.Builder
	for i := range 50_000 {
		fmt.Fprintf(&rows, `<row><c t="str"><v>%s</v></c><c><v>%d</v></c></row>`, strings.Repeat("x", 100), i)
	}
	doc, err := formattest.Convert(
		context.Background(), Convert, "a.xlsx", book(t, rows.String()+`<row><c r="F50001"><v>7</v></c></row>`))
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(doc.Parts[0].Text, "A1:F50001\nxxx"))
	require.Equal(t, 50_002, strings.Count(strings.TrimSpace(doc.Parts[0].Text), "\n")+1)
}

func TestHostile(t *testing.T) {
	for name, cells := range map[string]string{
		"far cells":     `<row r="4194304"><c r="XFD4194304"><v>1</v></c></row><row r="1"><c r="A1"><v>1</v></c></row>`,
		"too far":       `<row r="999999999999"><c r="A99999999999"><v>1</v></c></row>`,
		"no such cells": `<row r="-1"><c r="1A"><v>1</v></c><c r=""><v>1</v></c></row>`,
		"the same":      strings.Repeat(`<row r="1"><c r="A1"><v>1</v></c></row>`, 10_000),
		"a diagonal":    diagonal(2000),
		"deep":          strings.Repeat("<row>", 100_000),
	} {
		t.Run(name, func(t *testing.T) {
			doc, _ := formattest.Convert(context.Background(), Convert, "a.xlsx", book(t, cells))
			require.Less(t, len(doc.Text), 16<<20)
		})
	}
}

func diagonal(n int) string {
	var b strings.Builder
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&b, `<row r="%d"><c r="%s"><v>1</v></c></row>`, i, grid.Name(i, i))
	}
	return b.String()
}

func FuzzConvert(f *testing.F) {
	f.Add(`<row r="3"><c r="B3" t="s"><v>0</v></c></row>`)
	f.Fuzz(func(t *testing.T, cells string) {
		_, _ = formattest.Convert(context.Background(), Convert, "a.xlsx", book(t, cells))
	})
}

func FuzzDisplay(f *testing.F) {
	f.Add(`[$€-407] #,##0.00;@`, "-1.5")
	f.Add(`000-00-0000`, "45000.5")
	f.Fuzz(func(t *testing.T, code, raw string) {
		d := parseFormat(code)
		got, _ := d.show(raw, true)
		require.LessOrEqual(t, len(got), len(raw)+len(code)+2000, "the length of %q", got)
	})
}
