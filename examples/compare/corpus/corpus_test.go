package corpus_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/examples/compare/corpus"
)

func TestTheDocumentsNeverChange(t *testing.T) {
	h := sha256.New()
	for _, d := range corpus.Documents(corpus.Seed) {
		fmt.Fprintf(h, "%s\n%s\n", d.Name, d.Text)
	}
	require.Equal(t, "a543fc98b8487665f291a0770c4c7c4323f17a8674fe25acecb6081e595e3db7", hex.EncodeToString(h.Sum(nil)),
		"changed documents make the recording useless")
}

func TestSomeHandbooksDifferAndSomeDoNot(t *testing.T) {
	differ := map[string]int{}
	var lines []string
	for _, d := range corpus.Differences(corpus.Seed) {
		differ[d.Document]++
		lines = append(lines, strings.Join([]string{d.Document, d.Topic, d.Handbook, d.Group}, " | "))
		require.Contains(t, corpus.Question, d.Topic)
	}
	require.Greater(t, len(lines), 8)
	require.Greater(t, len(differ), 4)
	require.Less(t, len(differ), len(corpus.Documents(corpus.Seed))-1)
	answer := strings.Join(lines, "\n")
	require.Empty(t, corpus.Check(answer))
	require.Equal(t, []string{"is missing: " + strings.Join(strings.Split(lines[0], " | ")[:2], " | ")},
		corpus.Check(strings.Join(lines[1:], "\n")))
	require.Len(t, corpus.Check(answer+"\nhandbooks/graz.md | colour of the door | red | blue"), 1)
}
