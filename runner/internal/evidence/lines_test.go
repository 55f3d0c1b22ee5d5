package evidence_test

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/gorlm/rlm/internal/answer"
	"github.com/gorlm/rlm/internal/builtins"
	"github.com/gorlm/rlm/runner/internal/corpus"
	"github.com/gorlm/rlm/runner/internal/evidence"
	"github.com/gorlm/rlm/runner/trajectory"
)

// TestLinesOfPassages: evidence names the document, its line and the words, whatever the documents contain.
func TestLinesOfPassages(t *testing.T) {
	lines := rapid.SliceOfN(rapid.SampledFrom(
		[]string{"", "a", "é語", strings.Repeat("long ", 300), "\r", strings.Repeat("\n", 5000)}), 1, 40)
	rapid.Check(t, func(t *rapid.T) {
		var sources []corpus.Source
		var docs []string
		for i := range rapid.IntRange(1, 3).Draw(t, "documents") {
			docs = append(docs, strings.Join(lines.Draw(t, "lines"), "\n")+".")
			sources = append(sources, corpus.Source{Name: fmt.Sprint("d", i), String: docs[i]})
		}
		text, err := corpus.Build(context.Background(), sources[:1])
		require.NoError(t, err)
		defer text.Close()
		if len(sources) > 1 {
			more, err := text.Append(context.Background(), sources[1:])
			require.NoError(t, err)
			defer more.Close()
			text = more
		}
		book, said := evidence.NewMarkRegistry("bcd"), ""
		var marks []trajectory.Mark
		var want []trajectory.Evidence
		for n := range rapid.IntRange(1, 8).Draw(t, "marks") {
			i := rapid.IntRange(0, len(docs)-1).Draw(t, "document")
			from := rapid.IntRange(0, len(docs[i])-1).Draw(t, "from")
			words := docs[i][from : from+rapid.IntRange(1, min(300, len(docs[i])-from)).Draw(t, "length")]
			offset := text.Documents()[i].Offset + int64(from)
			marks = append(marks, trajectory.Mark{
				Number: n + 1, Offset: offset, Length: int64(len(words)), Digest: builtins.Digest(words),
				Text: text.Facts().SHA256,
			})
			said += answer.Mark("bcd", n+1)
			want = append(want, trajectory.Evidence{
				Mark: answer.Mark("bcd", n+1), Document: fmt.Sprint("d", i),
				Line:   int64(1 + strings.Count(docs[i][:from], "\n")),
				Offset: offset, Length: int64(len(words)), Quote: strings.ToValidUTF8(words, ""),
			})
		}
		book.Add("", marks)
		got, unknown, err := book.Check(context.Background(), said, text, []*corpus.Text{text})
		require.NoError(t, err)
		require.Empty(t, unknown)
		require.Equal(t, want, got)
	})
}

// TestTheLineOfADocument: a line that a cell counted in the whole context is told as one of the document.
func TestTheLineOfADocument(t *testing.T) {
	var log strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&log, "entry no. %d.\n", i+1)
	}
	text, err := corpus.Build(t.Context(), []corpus.Source{
		{Name: "docs/notes.md", String: "one\ntwo\n"}, {Name: "docs/app.log", String: log.String()},
	})
	require.NoError(t, err)
	defer text.Close()
	whole, err := io.ReadAll(io.NewSectionReader(text, 0, text.Size()))
	require.NoError(t, err)
	before := strings.Count(string(whole[:strings.Index(string(whole), "entry no. 1.")]), "\n")
	require.Positive(t, before)
	for _, n := range []int{1, 2, 250, 251, 2999, 3000} {
		value := fmt.Sprintf("no. %d.", n)
		require.Equal(t, n, evidence.LineOf(text, "docs/app.log", n, value))
		require.Equal(t, n, evidence.LineOf(text, "app.log", n+before, value), "counted in the whole context")
	}
	require.Zero(t, evidence.LineOf(text, "app.log", 77, "no. 99."), "neither line has it")
	require.Zero(t, evidence.LineOf(text, "app.log", 7_000_000, "no. 99."))
	require.Equal(t, 77, evidence.LineOf(text, "other.log", 77, "no. 99."), "no document of that name")
}
