package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/examples/compare/corpus"
	"github.com/gorlm/rlm/internal/demo"
	"github.com/gorlm/rlm/runner"
)

// TestEachLineHasItsEvidence replays the recorded replies, with everything else live: each line of the answer has a
// mark, whose passage is about nights and from the document of the line's office.
func TestEachLineHasItsEvidence(t *testing.T) {
	recording, err := demo.Load(strings.NewReader(Replies))
	require.NoError(t, err)
	var out bytes.Buffer
	require.NoError(t, run(t.Context(), recording.Answers(), &out, runner.WithDataDir(t.TempDir())))
	answer, evidence, _ := strings.Cut(out.String(), "\n\n")
	lines, passages := strings.Split(answer, "\n"), strings.Split(strings.TrimSpace(evidence), "\n")
	documents := corpus.Documents(corpus.Seed)[1:]
	require.Len(t, lines, len(documents))
	require.Len(t, passages, len(documents))
	for i, line := range lines {
		office := strings.TrimSuffix(strings.TrimPrefix(documents[i].Name, "handbooks/"), ".md")
		said, mark, _ := strings.Cut(line, " [")
		require.Equal(t, office+": "+limit(documents[i].Name), said)
		place, quote, _ := strings.Cut(strings.TrimPrefix(passages[i], "["+mark+" "), " \"")
		require.Contains(t, place, documents[i].Name+":")
		require.Regexp(t, "(?i)a night|per person and night", quote)
		require.Contains(t, documents[i].Text, strings.TrimSuffix(quote, `"`))
	}
}

// limit returns the limit in a document, computed without a model.
func limit(document string) string {
	for _, d := range corpus.Differences(corpus.Seed) {
		if d.Document == document && d.Topic == "hotel limit" {
			return d.Handbook
		}
	}
	return "180 EUR"
}
