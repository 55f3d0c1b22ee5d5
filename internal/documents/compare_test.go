package documents

import (
	"bytes"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/documents/format"
	"github.com/gorlm/rlm/internal/documents/format/formattest"
	"github.com/gorlm/rlm/internal/testing/likeness"
)

// leastFound is the minimum share of a reference's words in a text, both in any order and in order.
const leastFound = 0.98

// corpus returns the names of the corpus files. testdata/make.sh generated them, and does so again if RLM_CORPUS is
// set.
func corpus(t testing.TB) []string {
	t.Helper()
	if os.Getenv("RLM_CORPUS") != "" {
		out, err := exec.Command("testdata/make.sh").CombinedOutput()
		require.NoError(t, err, string(out))
	}
	entries, err := os.ReadDir("testdata/corpus")
	require.NoError(t, err)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func corpusFile(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata/corpus", name))
	require.NoError(t, err)
	return data
}

// convertHere runs the converter for a file in this process.
func convertHere(t testing.TB, name string, data []byte) (formattest.Document, error) {
	t.Helper()
	form, reason := format.Recognise(data[:min(len(data), format.HeadLen)], int64(len(data)), name)
	c, ok := converters[form]
	if !ok {
		t.Skipf("SKIP %s: it is recognised as %s%s, which nothing converts yet", name, form, reason)
	}
	doc, err := formattest.Convert(t.Context(), c.convert, name, data)
	if form == format.Zip && slices.ContainsFunc(
		doc.Members, func(m formattest.Member) bool { return partsOfOffice[m.Path] }) {
		t.Skipf("SKIP %s: it is unpacked, because nothing converts it yet", name)
	}
	return doc, err
}

// partsOfOffice identify documents among zip archives.
var partsOfOffice = map[string]bool{
	"word/document.xml": true, "xl/workbook.xml": true, "ppt/presentation.xml": true, "mimetype": true,
}

// sources returns further references for a file, because no reference is perfect: texts that other tools read from
// the source of the file.
func sources(name string) []string {
	switch {
	case name == "page.pdf", name == "linearized.pdf":
		return []string{"page.html.txt"}
	case strings.HasSuffix(name, ".ipynb"):
		return nil // the file does not contain the source's head
	case strings.HasPrefix(name, "languages"):
		return []string{"languages.html.txt"}
	case strings.HasPrefix(name, "article"):
		return []string{"article.tex.txt"}
	case name == "world.pdf":
		return []string{"world.tex.txt"}
	case strings.HasPrefix(name, "report"):
		return []string{"report.html.txt"}
	case strings.HasPrefix(name, "letter"):
		return []string{"letter.docx.txt"}
	}
	return nil
}

// exempt lists references that differ from the file, with the minimum share that must still match.
var exempt = map[[2]string]struct {
	least float64
	why   string
}{
	{"languages-chromium.pdf", "languages-chromium.pdf.txt"}:        {0.94, rightToLeft},
	{"languages-chromium.pdf", "languages-chromium.pdf.layout.txt"}: {0.94, rightToLeft},
	{"languages-office.pdf", "languages-office.pdf.txt"}:            {0.945, rightToLeft},
	{"languages-office.pdf", "languages-office.pdf.layout.txt"}:     {0.945, rightToLeft},
	{"page.pdf", "page.html.txt"}:                                   {0.97, hiddenPart},
	{"linearized.pdf", "page.html.txt"}:                             {0.97, hiddenPart},
	{"article.pdf", "article.tex.txt"}:                              {0.975, formula},
	{"article-plain.pdf", "article.tex.txt"}:                        {0.975, formula},
	{"article.pdf", "article.pdf.txt"}:                              {0.78, mixedColumns},
	{"article-plain.pdf", "article-plain.pdf.txt"}:                  {0.78, mixedColumns},
	{"half-scan.pdf", "half-scan.pdf.txt"}:                          {0.77, mixedColumns},
	{"article.pdf", "article.pdf.layout.txt"}:                       {0.945, divided},
	{"article-plain.pdf", "article-plain.pdf.layout.txt"}:           {0.945, divided},
	{"half-scan.pdf", "half-scan.pdf.layout.txt"}:                   {0.945, divided},
	{"languages.rtf", "languages.rtf.txt"}:                          {0.865, unrtf},
	{"report.rtf", "report.rtf.txt"}:                                {0.975, unrtf},
	{"report.docx", "report.docx.txt"}: {
		0.975, "pandoc has the caption of the table twice",
	},
}

// Reasons why a reference differs from its file.
const (
	rightToLeft  = "pdftotext keeps sentences of right-to-left scripts in the order of the page"
	hiddenPart   = "the reference has a hidden part of the page, which is not printed"
	unrtf        = "unrtf loses the sign after one that it cannot show"
	formula      = "the reference has formulas as they were written"
	mixedColumns = "pdftotext mixes the columns"
	divided      = "the layout has divided words in two columns"
)

func TestWordsOfOtherTools(t *testing.T) {
	for _, name := range corpus(t) {
		var refs []string
		for _, ref := range append([]string{name + ".txt", name + ".layout.txt"}, sources(name)...) {
			if _, err := os.Stat("testdata/expected/" + ref); err == nil && !slices.Contains(refs, ref) {
				refs = append(refs, ref)
			}
		}
		if len(refs) == 0 || strings.HasPrefix(name, "log.txt") {
			continue
		}
		t.Run(name, func(t *testing.T) {
			doc, err := convertHere(t, name, corpusFile(t, name))
			require.NoError(t, err)
			for _, ref := range refs {
				compareWith(t, name, ref, doc)
			}
		})
	}
}

func compareWith(t *testing.T, name, ref string, doc formattest.Document) {
	want, err := os.ReadFile("testdata/expected/" + ref)
	require.NoError(t, err)
	text := doc.Text + "\n" + attachments(doc)
	layout := strings.HasSuffix(ref, ".layout.txt")
	if strings.HasSuffix(ref, ".eml.txt") || strings.HasSuffix(ref, ".mbox.txt") {
		// Headers have no order, and attachments without a name are not listed.
		want = bytes.ReplaceAll(bytes.ReplaceAll(want, []byte("\n"), []byte("\n\n")),
			[]byte("ATTACHMENT message/rfc822"), nil)
	}
	like := compare(text, blocks(string(want), layout))
	least, note := leastFound, ""
	if e, ok := exempt[[2]string{name, ref}]; ok {
		least, note = e.least, " ("+e.why+")"
	}
	line := fmt.Sprintf("%-24s %-32s %5d words, %6.2f %% found, %6.2f %% in order%s", name, ref, like.words,
		100*like.found, 100*like.ordered, note)
	t.Log(line)
	assert.GreaterOrEqual(t, like.found, least, "the share of the words found: %s; missing: %.60q", line, like.missing)
	assert.GreaterOrEqual(t, like.ordered, least, "the share of the words in order: %s; missing: %.60q", line,
		like.missing)
	if layout {
		lines := likeness.LinesOf(text)
		for _, row := range likeness.Rows(string(want)) {
			assert.True(t, lines.Have(row), "%s: no line has the numbers %q of a table in %s", name, row, ref)
		}
	}
}

// attachments lists the members of a mail in the reference's format.
func attachments(doc formattest.Document) string {
	var all strings.Builder
	for _, m := range doc.Members {
		_, _ = fmt.Fprintf(&all, "\nATTACHMENT %s\n", m.Path)
	}
	return all.String()
}

// TestCellsOfOtherTools compares every cell of sheets and tables.
func TestCellsOfOtherTools(t *testing.T) {
	tables := []struct{ file, part, ref string }{
		{"lights.sqlite", "lights", "lights.sqlite.lights.csv"},
		{"lights.sqlite", "log of nights", "lights.sqlite.log-of-nights.csv"},
		{"utf16.sqlite", "lights", "utf16.sqlite.lights.csv"},
		{"utf16.sqlite", "log of nights", "utf16.sqlite.log-of-nights.csv"},
		{"lights-uncompressed.parquet", "", "lights.csv"},
		{"lights-snappy.parquet", "", "lights.csv"},
		{"lights-gzip.parquet", "", "lights.csv"},
		{"lights-zstd.parquet", "", "lights.csv"},
	}
	for _, file := range []string{"costs.xlsx", "costs.ods"} {
		for part, ref := range map[string]string{
			"Costs 2023": "Costs_2023", "言語 & Größe": "_________Gr____e", "Sparse": "Sparse", "Numbers": "Numbers",
		} {
			tables = append(tables, struct{ file, part, ref string }{file, part, file + "." + ref + ".csv"})
		}
	}
	for _, file := range []string{"tides.xlsx", "tides.ods"} {
		tables = append(tables, struct{ file, part, ref string }{file, "Tides", file + ".Tides.csv"})
	}
	for _, table := range tables {
		t.Run(table.ref, func(t *testing.T) {
			doc, err := convertHere(t, table.file, corpusFile(t, table.file))
			require.NoError(t, err)
			text := doc.Text
			for _, p := range doc.Parts {
				if p.Name == table.part {
					text = p.Text
				}
			}
			ref, err := os.ReadFile("testdata/expected/" + table.ref)
			require.NoError(t, err)
			compareCells(t, table.file, text, string(ref))
		})
	}
}

// compareCells looks for every row of the reference in the text, in order. Anything may precede the first one, such
// as a schema.
func compareCells(t *testing.T, name, text, ref string) {
	want, got := cells(t, ref), cells(t, text)
	found, next := 0, 0
	for _, row := range want {
		at := slices.IndexFunc(got[next:], func(r []string) bool { return slices.EqualFunc(r, row, sameCell) })
		if !assert.GreaterOrEqual(t, at, 0, "%s: no row %.200q after row %d of %d", name, row, found, len(want)) {
			continue
		}
		next += at + 1
		found++
	}
	t.Logf("%-28s %5d of %5d rows are the same, cell by cell", name, found, len(want))
}

// cells reads CSV with rows of any length, without empty cells and rows: the padding around a table is not content.
func cells(t *testing.T, text string) [][]string {
	t.Helper()
	r := csv.NewReader(strings.NewReader(text))
	r.FieldsPerRecord, r.LazyQuotes = -1, true
	all, err := r.ReadAll()
	require.NoError(t, err)
	var rows [][]string
	for _, row := range all {
		if row = slices.DeleteFunc(row, nothing); len(row) > 0 {
			rows = append(rows, row)
		}
	}
	return rows
}

// nothing reports whether a cell cannot be compared: it is empty or binary, which sqlite3 writes as if it were
// text.
func nothing(cell string) bool {
	return strings.TrimSpace(cell) == "" || cell == "\u0100" || strings.EqualFold(cell, "x'0001fe'") ||
		strings.EqualFold(cell, "0001fe")
}

// sameCell treats numbers as equal if they agree in the digits of the shorter one.
func sameCell(got, want string) bool {
	got, want = strings.TrimSpace(got), strings.TrimSpace(want)
	if got == want ||
		strings.EqualFold(got, want) && (strings.EqualFold(want, "true") || strings.EqualFold(want, "false")) {
		return true
	}
	if got == "1900-01-03" && want == "1900-01-02" {
		return true // Excel has a 29 February 1900, so LibreOffice's dates before that differ
	}
	a, aDigits, aOK := likeness.Number(got)
	b, bDigits, bOK := likeness.Number(want)
	if !aOK || !bOK {
		return false
	}
	unit := math.Pow(10, -float64(min(aDigits, bDigits)))
	return math.Abs(a-b) <= unit*0.500001 || math.Abs(a-b) <= math.Abs(b)*1e-14
}

// TestMembersOfArchives compares the members with the files that were archived.
func TestMembersOfArchives(t *testing.T) {
	list, err := os.ReadFile("testdata/expected/members.txt")
	require.NoError(t, err)
	want := map[string]string{}
	for line := range strings.Lines(string(list)) {
		sum, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		size, path, _ := strings.Cut(rest, " ")
		if size != "0" {
			want[path] = sum
		}
	}
	for _, name := range []string{
		"files.tar", "files.tgz", "files.tar.bz2", "files.tar.xz", "files.tar.zst",
		"stored.zip", "deflated.zip", "bzip2.zip", "lzma.zip",
	} {
		t.Run(name, func(t *testing.T) {
			data := corpusFile(t, name)
			doc, err := convertHere(t, name, data)
			require.NoError(t, err)
			if len(doc.Members) == 1 && strings.HasSuffix(doc.Members[0].Path, ".tar") ||
				len(doc.Members) == 1 && !strings.Contains(doc.Members[0].Path, "/") {
				doc, err = convertHere(t, doc.Members[0].Path, doc.Members[0].Bytes)
				require.NoError(t, err)
			}
			got := map[string]string{}
			for _, m := range doc.Members {
				if len(m.Bytes) == 0 {
					continue
				}
				require.NoError(t, m.Err)
				sum := sha256.Sum256(m.Bytes)
				got[m.Path] = hex.EncodeToString(sum[:])
			}
			require.Equal(t, want, got)
		})
	}
	text, err := os.ReadFile("testdata/expected/log.txt")
	require.NoError(t, err)
	for _, name := range []string{"log.txt.gz", "log.txt.bz2", "log.txt.xz", "log.txt.zst", "zip64.zip"} {
		t.Run(name, func(t *testing.T) {
			doc, err := convertHere(t, name, corpusFile(t, name))
			require.NoError(t, err)
			require.Len(t, doc.Members, 1)
			require.True(t, bytes.Equal(text, doc.Members[0].Bytes))
		})
	}
}

func TestWhatCannotBeRead(t *testing.T) {
	for _, name := range []string{"secret.pdf", "secret.docx", "secret.xlsx", "secret.odt", "secret.ods"} {
		t.Run(name, func(t *testing.T) {
			doc, err := convertHere(t, name, corpusFile(t, name))
			require.ErrorIs(t, err, format.ErrPassword)
			require.Empty(t, doc.Members)
		})
	}
	t.Run("secret.zip", func(t *testing.T) {
		doc, err := convertHere(t, "secret.zip", corpusFile(t, "secret.zip"))
		reasons := fmt.Sprint(err, doc.Skipped)
		for _, m := range doc.Members {
			reasons += fmt.Sprint(m.Err)
		}
		require.Contains(t, reasons, "password")
	})
	t.Run("scan.pdf", func(t *testing.T) {
		doc, err := convertHere(t, "scan.pdf", corpusFile(t, "scan.pdf"))
		require.True(t, errors.Is(err, format.ErrNoText) ||
			strings.Contains(fmt.Sprint(doc.Notes), "without text"), "%v %v", err, doc.Notes)
	})
	t.Run("half-scan.pdf", func(t *testing.T) {
		doc, err := convertHere(t, "half-scan.pdf", corpusFile(t, "half-scan.pdf"))
		require.NoError(t, err)
		require.Contains(t, fmt.Sprint(doc.Notes), "1 page without text")
		require.Len(t, doc.Parts, 2)
	})
}
