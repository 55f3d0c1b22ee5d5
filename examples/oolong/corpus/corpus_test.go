package corpus_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"sort"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/examples/oolong/corpus"
)

func TestTheTextNeverChanges(t *testing.T) {
	text := corpus.Text(corpus.Seed)
	sum := sha256.Sum256([]byte(text))
	require.Equal(t, "6185e0fda458b333c5e1e1f62cf5a197f02a50ea1551b293572fbf17823b8ee1", hex.EncodeToString(sum[:]),
		"changed records make the recording useless")
	require.Equal(t, len(corpus.Records(corpus.Seed))+2, strings.Count(text, "\n"))
}

func TestTheQuestionHasOneAnswer(t *testing.T) {
	records := corpus.Records(corpus.Seed)
	perUser, labels := map[int]int{}, map[string]int{}
	for _, r := range records {
		perUser[r.User]++
	}
	var counts []int
	for _, n := range perUser {
		counts = append(counts, n)
	}
	sort.Sort(sort.Reverse(sort.IntSlice(counts)))
	require.Greater(t, counts[2], counts[3], "who the three users are is clear")
	for _, r := range records {
		if perUser[r.User] >= counts[2] {
			labels[r.Label]++
		}
	}
	label, count := corpus.Answer(records)
	require.Equal(t, labels[label], count)
	for other, n := range labels {
		require.True(t, other == label || n < count, "one label is the most common: %v", labels)
	}
	require.Len(t, labels, len(corpus.Labels))
	require.Empty(t, corpus.Check(fmt.Sprintf("Label: %s, Count: %d", label, count)))
	require.NotEmpty(t, corpus.Check(fmt.Sprintf("Label: %s, Count: %d", label, count+1)))
	require.NotEmpty(t, corpus.Check("many"))
}
