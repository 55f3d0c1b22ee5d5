package suite

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/eval/score"
)

// keywordPairs bounds the average score on the questions about pairs if labels are guessed from keywords. A list of
// all pairs of users scores about as much.
const keywordPairs = 0.55

// learnt labels lines by naive Bayes over the words of labelled lines.
func learnt(train []line) func(text string) int {
	count, total := make([]map[string]float64, len(labels)), make([]float64, len(labels))
	for i := range count {
		count[i] = map[string]float64{}
	}
	for _, l := range train {
		total[l.label]++
		for _, w := range words(l.text) {
			count[l.label][w]++
		}
	}
	return func(text string) int {
		sum := make([]float64, len(labels))
		for _, w := range words(text) {
			for l := range labels {
				sum[l] += math.Log((count[l][w] + 1) / (total[l] + 2))
			}
		}
		return largest(sum)
	}
}

// TestKeywordsDoNotFindPairs makes a small learner, trained on four thousand labelled lines, answer the questions
// for pairs of users.
func TestKeywordsDoNotFindPairs(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 5))
	var train []line
	for range 4000 {
		label := r.IntN(len(labels))
		train = append(train, line{label: label, text: instance(r, label)})
	}
	label, rd, s := learnt(train), newReader(), pairs()
	found, everybody := 0.0, 0.0
	const n = 60
	for i := range n {
		item := s.Item(3, 4000, i)
		all := rd.read(t, item)
		for k := range all {
			all[k].label = label(all[k].text)
		}
		f, err := score.New(item.Scorer, item.Answer)
		require.NoError(t, err)
		found += f(written(t, predicates[i%len(predicates)].pairsOf(all))).Value
		everybody += f(written(t, predicate{}.pairsOf(all))).Value
	}
	t.Logf("labels by keywords score %.2f, a list of all pairs %.2f", found/n, everybody/n)
	assert.LessOrEqual(t, found/n, keywordPairs, "the score of labels by keywords on pairs")
}

func written(t *testing.T, pairs [][2]int) string {
	t.Helper()
	data, err := json.Marshal(pairs)
	require.NoError(t, err)
	return strings.NewReplacer("[", "(", "]", ")").Replace(string(data))
}
