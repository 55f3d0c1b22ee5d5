package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const corpus = "../../documents/testdata/"

// fakeTools makes a folder of shell scripts the whole PATH. Each script finds only the system's own tools.
func fakeTools(t *testing.T, scripts map[string]string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("SKIP: the fake programs are shell scripts")
	}
	dir := t.TempDir()
	for name, script := range scripts {
		require.NoError(t, os.WriteFile(
			filepath.Join(dir, name), []byte("#!/bin/sh\nPATH=/usr/bin:/bin\n"+script), 0o755))
	}
	t.Setenv("PATH", dir)
}

// compared runs the program over files and returns its report.
func compared(t *testing.T, folder string) (Report, string) {
	t.Helper()
	var out, table bytes.Buffer
	require.NoError(t, run(t.Context(), []string{folder}, "", true, &out))
	require.NoError(t, run(t.Context(), []string{folder}, "", false, &table))
	var r Report
	require.NoError(t, json.Unmarshal(out.Bytes(), &r))
	return r, table.String()
}

func folderOf(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	return dir
}

const page = `<title>Rules</title><p>Boats under sail give way to the ferry in the narrow part of the harbour.</p>
<table><tr><th>Item<th>Price<th>Sum</tr><tr><td>Oil<td>12<td>340</tr><tr><td>Wick<td>7<td>95</tr></table>`

func TestWordsOrderAndRows(t *testing.T) {
	fakeTools(t, map[string]string{"pandoc": `
[ "$*" = "-f html -t plain --wrap=none ${6}" ] || exit 3
cat <<'END'
Boats under sail give way to the ferry in the narrow part of the harbour.

  Item   Price   Sum
  ------ ------- -----
  Oil    12      340
  Wick   7       95

Lanterns go out at dawn.
END`})
	r, table := compared(t, folderOf(
		t, map[string]string{"rules.html": page, ".hidden.html": page, "plain.txt": "text"}))
	require.Equal(t, []string{"pandoc"}, r.Tools)
	require.Equal(t, []string{"pdftotext", "soffice", "markitdown"}, r.Missing)
	require.Len(t, r.Files, 2)
	require.Equal(t, []string{}, r.Files[0].References, "plain text is compared with nothing")
	f := r.Files[1]
	require.Empty(t, f.Failed)
	require.Equal(t, 29, f.Words)
	require.Equal(t, []string{"Lanterns", "go", "out", "at", "dawn"}, f.Missing)
	require.Equal(t, 24, f.Found)
	require.Equal(t, f.Own, f.Known, "%q", f.Unknown)
	require.Equal(t, []float64{1}, f.Orders)
	require.Equal(t, [2]int{2, 2}, [2]int{f.Rows, f.Whole})
	require.Contains(t, table,
		"| html | 1 | 0 | 1 | 29 | 0.828 / 0.828 / 0.8276 | 1.000 / 1.000 / 1.0000 | 1.000 / 1.000 | 100.0 % of 2 |")
	require.Contains(t, table, "Not installed, and skipped: pdftotext, soffice, markitdown.")
	require.Contains(t, table, "rules.html: recall 0.8276")
	require.Contains(t, table, "missing: Lanterns · go · out")
}

// TestReferencesThatDisagree checks that recall counts the words that all references have, that precision counts
// those that at least one has, and that the order is compared with the best reference.
func TestReferencesThatDisagree(t *testing.T) {
	fakeTools(t, map[string]string{
		"pandoc":     "echo 'harbour the of part narrow the in ferry the to way give sail under Boats. Item Price Sum Oil 12 340 Wick 7'",
		"markitdown": "echo 'Boats under sail give way to the ferry in the narrow part of the harbour. Item Price Sum Oil 12 340 Wick 95'",
	})
	r, _ := compared(t, folderOf(t, map[string]string{"rules.html": page}))
	f := r.Files[0]
	require.Equal(t, []string{"pandoc", "markitdown"}, f.References)
	require.Equal(t, [2]int{22, 22}, [2]int{f.Words, f.Found})
	require.Equal(t, [2]int{24, 24}, [2]int{f.Own, f.Known})
	require.Equal(t, []float64{1}, f.Orders)
}

func TestPagesOfPDFs(t *testing.T) {
	pdf, err := os.ReadFile(corpus + "corpus/article.pdf")
	require.NoError(t, err)
	text, err := os.ReadFile(corpus + "expected/article.pdf.txt")
	require.NoError(t, err)
	dir := folderOf(t, map[string]string{"article.pdf": string(pdf), "broken.pdf": "%PDF-1.4\nnothing"})
	expected := filepath.Join(t.TempDir(), "text")
	require.NoError(t, os.WriteFile(expected, text, 0o600))
	fakeTools(t, map[string]string{
		"pdftotext": `case "$*" in *broken*) echo "Syntax Error" >&2; exit 1;; *) cat ` + expected + `;; esac`,
	})
	r, table := compared(t, dir)
	article, broken := r.Files[0], r.Files[1]
	require.NotEmpty(t, broken.Why)
	require.Equal(t, "pdf", broken.Kind)
	require.Len(t, broken.Failed, 3)
	require.Contains(t, broken.Failed[0], "Syntax Error")
	require.Contains(t, table, "## Not read, or not to the end")
	require.Greater(t, len(article.Orders), 1, "every page has an order")
	require.Greater(t, article.recall(), 0.98)
	require.Equal(t, 1+slices.Index(article.Orders, article.order()), article.WorstPage)
}

// TestCellsOfWorkbooks checks that stored and displayed values are two references, and that the kind is detected
// from the content.
func TestCellsOfWorkbooks(t *testing.T) {
	workbook, err := os.ReadFile(corpus + "corpus/tides.xlsx")
	require.NoError(t, err)
	sheet, err := filepath.Abs(corpus + "expected/tides.xlsx.Tides.csv")
	require.NoError(t, err)
	fakeTools(t, map[string]string{"soffice": `
case "$5" in --outdir) ;; *) exit 3;; esac
case "$7" in *document.xlsx) ;; *) exit 4;; esac
mkdir -p "$6" && cp ` + sheet + ` "$6/document-Tides.csv"`})
	r, _ := compared(t, folderOf(t, map[string]string{"tides.bin": string(workbook)}))
	f := r.Files[0]
	require.Empty(t, f.Failed)
	require.Equal(t, "xlsx", f.Kind)
	require.Equal(t, []string{"LibreOffice, stored", "LibreOffice, shown"}, f.References)
	require.Equal(t, f.Words, f.Found, "%q", f.Missing)
	require.Positive(t, f.Rows)
	require.Equal(t, f.Rows, f.Whole, "%q", f.Torn)
}

// TestStringsOfPages checks that wanted strings are searched for in all of the page, unwanted ones only in its main
// text.
func TestStringsOfPages(t *testing.T) {
	fakeTools(t, nil)
	dir := folderOf(t, map[string]string{
		"rules.html": "<title>Rules</title><nav>Home Imprint</nav><p>" +
			strings.Repeat("Boats under <a href=/sail>sail</a> give way. ", 9) +
			"Share this</p><aside>It is dark at night.</aside>",
		"other.html": page,
	})
	of := filepath.Join(t.TempDir(), "data.go")
	require.NoError(t, os.WriteFile(of, []byte(`package main

var comparisonData = map[string]ComparisonEntry{
	"https://example.org/": {
		File:    "rules.html",
		With:    []string{"under sail give way.", "dark at\u0020night", "a page of last year", "Home  imprint"},
		Without: []string{"Imprint", "Share this", "Subscribe"},
	},
}
`), 0o600))
	var out, table bytes.Buffer
	require.NoError(t, run(t.Context(), []string{dir}, of, true, &out))
	require.NoError(t, run(t.Context(), []string{dir}, of, false, &table))
	var r Report
	require.NoError(t, json.Unmarshal(out.Bytes(), &r))
	f := r.Files[1]
	require.Equal(t, [3]int{1, 3, 3}, [3]int{f.Absent, f.Wanted, f.Held}, "%q", f.Lost)
	require.Equal(t, []string{"dark at night", "Home  imprint"}, f.Beside)
	require.Equal(t, [2]int{3, 2}, [2]int{f.Unwanted, f.Apart})
	require.Equal(t, []string{"Share this"}, f.Kept)
	require.Contains(t, table.String(),
		"Of 3 strings that are wanted of html and stand in its files (1 do not), 100.00 % are there, "+
			"66.67 % beside the main text; of 3 unwanted ones 66.7 % are left out or beside it.")
	require.ErrorContains(t, run(t.Context(), []string{dir}, dir, true, &out), "read the strings that pages contain")
}

// TestRowsThatAreDrawnTogether checks that numbers side by side but drawn separately are not a row.
func TestRowsThatAreDrawnTogether(t *testing.T) {
	pdf, err := os.ReadFile(corpus + "corpus/article.pdf")
	require.NoError(t, err)
	fakeTools(t, map[string]string{"pdftotext": `case "$*" in
*-layout*) printf 'Oil   12   340   Wick   7   95\nOil   13   341   Wick   8   96\n' ;;
*-raw*) printf 'Oil 12 340\nOil 13 341 Wick 8 96\nWick 7 95\n' ;;
*) echo nothing ;;
esac`})
	r, _ := compared(t, folderOf(t, map[string]string{"article.pdf": string(pdf)}))
	require.Empty(t, r.Files[0].Failed)
	require.Equal(t, 1, r.Files[0].Rows)
	require.Equal(t, []string{"13 341 8 96"}, r.Files[0].Torn)
}

func TestTextWithoutHead(t *testing.T) {
	for text, want := range map[string]string{
		"Title: Rules\nAuthor: Somebody\n\nBoats: under sail\n": "Boats: under sail\n",
		"Now: https://example.org/a\n":                          "Now: https://example.org/a\n",
		"Soft hyphen: none\n\nHard hyphen: one":                 "Soft hyphen: none\n\nHard hyphen: one",
		"Boats under sail\n\ngive way":                          "Boats under sail\n\ngive way",
	} {
		require.Equal(t, want, withoutHead(text, false))
	}
	require.Empty(t, withoutHead("Title: Rules\n", true))
}

func TestNothingToCompare(t *testing.T) {
	require.ErrorContains(t, run(t.Context(), []string{t.TempDir()}, "", false, &bytes.Buffer{}), "no files in")
	require.ErrorContains(t, run(t.Context(), []string{"does-not-exist"}, "", false, &bytes.Buffer{}), "does-not-exist")
}
