package evidence_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/builtins"
	"github.com/gorlm/rlm/internal/kit/outline"
	"github.com/gorlm/rlm/runner/internal/corpus"
	"github.com/gorlm/rlm/runner/internal/evidence"
	"github.com/gorlm/rlm/runner/trajectory"
)

// checked returns the evidence for words of a document, as an answer that cites them gets it.
func checked(t *testing.T, doc corpus.Document, all, words string) trajectory.Evidence {
	t.Helper()
	doc.Name, doc.Encoding = "t", "utf-8"
	text, err := corpus.Build(t.Context(), []corpus.Source{{Known: &doc, Reader: strings.NewReader(all)}})
	require.NoError(t, err)
	defer text.Close()
	at := strings.Index(all, words)
	require.GreaterOrEqual(t, at, 0, words)
	book := evidence.NewMarkRegistry("bcd")
	book.Add("", []trajectory.Mark{{
		Number: 1, Offset: int64(at), Length: int64(len(words)),
		Digest: builtins.Digest(words), Text: text.Facts().SHA256,
	}})
	list, unknown, err := book.Check(t.Context(), "So [^1bcd].", text, []*corpus.Text{text})
	require.NoError(t, err)
	require.Empty(t, unknown)
	require.Len(t, list, 1)
	return list[0]
}

func TestEvidenceOfASheetNamesItsCells(t *testing.T) {
	const all = "B3:D6 (D in EUR)\nMonth,Sold,Sum\nJan,\"757,1\",12\n\"Fe\nb \"\"28\"\"\",,13\n,,14\n\nAA40:AA42\none\n\nthree\n\nA note on it\nA1:B2\nlast,x\n"
	part := outline.List{{Kind: "sheet", Number: 1, Name: "Costs", Size: int64(len(all))}}
	for words, want := range map[string]string{
		"Month":            "B3",
		"Sold,Sum":         "C3:D3",
		"757,1":            "C4",
		"Jan,\"757,1\",12": "B4:D4",
		"12\n\"Fe\nb":      "B4:D5",
		"13":               "D5",
		"14":               "D6",
		"one":              "AA40",
		"three":            "AA42",
		"three\n":          "AA42",
		"A note":           "",
		"D in EUR":         "",
		"last":             "A1",
	} {
		e := checked(t, corpus.Document{Kind: "xlsx", Parts: part}, all, words)
		require.Equal(t, want, e.Cells, words)
		if want != "" {
			require.Equal(t, "t, sheet 1 (Costs), "+want, e.Place())
		}
	}
	require.Empty(t, checked(
		t, corpus.Document{Parts: outline.List{{Kind: "page", Number: 1, Size: int64(len(all))}}}, all, "Month").Cells)
	large := "A1:B400000\n" + strings.Repeat("1234567890,123456\n", 300_000) + "the end,x\n"
	e := checked(t, corpus.Document{Parts: outline.List{{Kind: "sheet", Number: 1, Size: int64(len(large))}}}, large,
		"the end")
	require.Equal(t, "t, sheet 1, line 300002", e.Place(), "far down it has a line still")
}

// TestEvidenceSaysWhatIsMissingOfItsDocument: the evidence for a passage has the notes on its page or on the whole
// document, but none on other pages.
func TestEvidenceSaysWhatIsMissingOfItsDocument(t *testing.T) {
	const all = "the pump failed\nall quiet\n"
	doc := corpus.Document{
		Kind:  "pdf",
		Parts: outline.List{{Kind: "page", Number: 4, Size: 16}, {Kind: "page", Number: 12, Offset: 16, Size: 10}},
		Note:  "the file is damaged; and read as far as it goes; 3 pages with letters that are guessed: 3-5; 2 pages without text: 7, 12",
		Remarks: []string{
			"the file is damaged; and read as far as it goes",
			"3 pages with letters that are guessed: 3-5", "2 pages without text: 7, 12",
		},
	}
	e := checked(t, doc, all, "pump failed")
	require.Equal(t, doc.Remarks[:2], e.Notes)
	require.Equal(t, strings.Join(doc.Remarks[:2], "; "), e.Caveat())
	require.Equal(t, []string{doc.Remarks[0], doc.Remarks[2]}, checked(t, doc, all, "quiet").Notes)
	doc.Remarks, doc.Note = nil, "two remarks; of an older log"
	require.Equal(t, []string{"two remarks", "of an older log"}, checked(t, doc, all, "quiet").Notes)
	doc.Note = ""
	require.Empty(t, checked(t, doc, all, "quiet").Caveat())
	book := corpus.Document{
		Kind:  "xlsx",
		Parts: outline.List{{Kind: "sheet", Number: 1, Size: 16}, {Kind: "sheet", Number: 2, Offset: 16, Size: 10}},
		Note:  "1 hidden sheet read as well: 2",
	}
	require.Empty(t, checked(t, book, all, "pump failed").Notes)
	require.Equal(t, []string{book.Note}, checked(t, book, all, "quiet").Notes)
}
