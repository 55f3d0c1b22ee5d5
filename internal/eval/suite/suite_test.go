package suite

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/eval/score"
	"github.com/gorlm/rlm/internal/kit/text"
)

func textOf(item Item) string {
	var b strings.Builder
	for _, d := range item.Documents {
		b.WriteString(d.Text)
	}
	return b.String()
}

func TestTheSameSeedMakesTheSameItem(t *testing.T) {
	t.Parallel()
	for _, s := range All() {
		for i := range 12 {
			a, err := json.Marshal(s.Item(7, 2000, i))
			require.NoError(t, err)
			b, err := json.Marshal(s.Item(7, 2000, i))
			require.NoError(t, err)
			assert.Equal(t, string(a), string(b), "%s: item %d is another the second time", s.Name, i)
			for what, other := range map[string]Item{"seed": s.Item(8, 2000, i), "number": s.Item(7, 2000, i+100)} {
				assert.NotEqual(t, textOf(s.Item(7, 2000, i)), textOf(other), "%s: another %s makes the same context",
					s.Name, what)
			}
		}
	}
}

func TestContextsHaveTheLength(t *testing.T) {
	t.Parallel()
	for _, s := range All() {
		for _, length := range []int{2000, 8000, 100_000} {
			for i := range min(3, len(s.kinds)) {
				got := text.CountTokens(textOf(s.Item(1, length, i)))
				assert.InDelta(t, length, got, 0.15*float64(length)+300, "%s: the tokens of an item of %d", s.Name,
					length)
			}
		}
	}
}

// TestEveryRightAnswerScores checks that a right answer, in a model's words, scores 1, and that the right answer
// of another item of the kind does not.
func TestEveryRightAnswerScores(t *testing.T) {
	t.Parallel()
	for _, s := range All() {
		differs := 0
		for i := range 3 * len(s.kinds) {
			item, other := s.Item(3, 1500, i), s.Item(3, 1500, i+len(s.kinds))
			f, err := score.New(item.Scorer, item.Answer)
			require.NoError(t, err, item.ID)
			got := f(said(t, item))
			assert.EqualValues(t, 1, got.Value, "%s: the score of the right answer %q (%s)", item.ID, said(t, item),
				got.Read)
			if f(said(t, other)).Value < 1 {
				differs++
			}
		}
		assert.GreaterOrEqual(t, differs, len(s.kinds), "%s: the answers of different items are mostly the same",
			s.Name)
	}
}

// said returns a right answer in a model's words.
func said(t *testing.T, item Item) string {
	t.Helper()
	var v any
	require.NoError(t, json.Unmarshal(item.Answer, &v))
	switch v := v.(type) {
	case map[string]any:
		if item.Scorer == "oolong" {
			said := strings.Trim(v["answer"].(string), "[']")
			if day, err := time.Parse("datetime.date(2006, 1, 2)", said); err == nil {
				said = day.Format("Jan 02, 2006")
			}
			return "Answer: " + said
		}
		data, err := json.Marshal(v["value"])
		require.NoError(t, err)
		return string(data)
	case []any:
		if item.Scorer == "exact" {
			return v[0].(string)
		}
		data, err := json.Marshal(v)
		require.NoError(t, err)
		return strings.NewReplacer("],[", "), (", "[[", "(", "]]", ")").Replace(string(data))
	case string:
		return v
	}
	return string(item.Answer)
}

// TestAnswersAreSpread checks that in a thousand items no answer is so frequent that always giving it would score
// well.
func TestAnswersAreSpread(t *testing.T) {
	t.Parallel()
	bounds := map[string]float64{"absent": 0.51, "oolong": 0.25, "oolong-pairs": 0.2, "code": 0.25}
	for _, s := range All() {
		seen := map[string]int{}
		const n = 500
		for i := range n {
			seen[string(s.Item(uint64(i), 4000, i).Answer)]++
		}
		most := slices.Max(slices.Collect(maps.Values(seen)))
		bound := bounds[s.Name]
		if bound == 0 {
			bound = 0.1
		}
		assert.LessOrEqual(t, float64(most)/n, bound, "%s: the share of the items in which one answer is right", s.Name)
		t.Logf("%s: %d different answers, the most frequent one %d times", s.Name, len(seen), most)
	}
}
