package suite

import (
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gorlm/rlm/internal/eval/score"
	"github.com/gorlm/rlm/internal/tokens"
)

func text(item Item) string {
	var b strings.Builder
	for _, d := range item.Documents {
		b.WriteString(d.Text)
	}
	return b.String()
}

func TestTheSameSeedMakesTheSameItem(t *testing.T) {
	for _, s := range All() {
		for i := range 12 {
			a, err := json.Marshal(s.Item(7, 2000, i))
			if err != nil {
				t.Fatal(err)
			}
			b, err := json.Marshal(s.Item(7, 2000, i))
			if err != nil {
				t.Fatal(err)
			}
			if string(a) != string(b) {
				t.Errorf("%s: item %d is another the second time", s.Name, i)
			}
			for what, other := range map[string]Item{"seed": s.Item(8, 2000, i), "number": s.Item(7, 2000, i+100)} {
				if text(other) == text(s.Item(7, 2000, i)) {
					t.Errorf("%s: another %s makes the same context", s.Name, what)
				}
			}
		}
	}
}

func TestContextsHaveTheLength(t *testing.T) {
	for _, s := range All() {
		for _, length := range []int{2000, 8000, 100_000} {
			for i := range min(3, len(s.kinds)) {
				got := tokens.Count(text(s.Item(1, length, i)))
				if math.Abs(float64(got-length)) > 0.15*float64(length)+300 {
					t.Errorf("%s: an item of %d tokens has %d", s.Name, length, got)
				}
			}
		}
	}
}

// TestEveryRightAnswerScores: what is right gets 1, written as a model would write it, and what is right for another item of the kind does not.
func TestEveryRightAnswerScores(t *testing.T) {
	for _, s := range All() {
		differs := 0
		for i := range 3 * len(s.kinds) {
			item, other := s.Item(3, 1500, i), s.Item(3, 1500, i+len(s.kinds))
			f, err := score.New(item.Scorer, item.Answer)
			if err != nil {
				t.Fatalf("%s: %v", item.ID, err)
			}
			if got := f(said(t, item)); got.Value != 1 {
				t.Errorf("%s: the right answer %q gets %v (%s)", item.ID, said(t, item), got.Value, got.Read)
			}
			if f(said(t, other)).Value < 1 {
				differs++
			}
		}
		if differs < len(s.kinds) {
			t.Errorf("%s: the answers of different items are mostly the same", s.Name)
		}
	}
}

// said is a right answer in a model's words.
func said(t *testing.T, item Item) string {
	t.Helper()
	var v any
	if err := json.Unmarshal(item.Answer, &v); err != nil {
		t.Fatal(err)
	}
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
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	case []any:
		if item.Scorer == "exact" {
			return v[0].(string)
		}
		data, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return strings.NewReplacer("],[", "), (", "[[", "(", "]]", ")").Replace(string(data))
	case string:
		return v
	}
	return string(item.Answer)
}

// TestAnswersAreSpread: in a thousand items no answer is so frequent that a model that always gives it would do well.
func TestAnswersAreSpread(t *testing.T) {
	bounds := map[string]float64{"absent": 0.51, "oolong": 0.25, "oolong-pairs": 0.2, "code": 0.25}
	for _, s := range All() {
		seen := map[string]int{}
		const n = 1000
		for i := range n {
			seen[string(s.Item(uint64(i), 4000, i).Answer)]++
		}
		most := slices.Max(slices.Collect(maps.Values(seen)))
		bound := bounds[s.Name]
		if bound == 0 {
			bound = 0.1
		}
		if share := float64(most) / n; share > bound {
			t.Errorf("%s: one answer is right in %.0f%% of the items", s.Name, 100*share)
		}
		t.Logf("%s: %d different answers, the most frequent one %d times", s.Name, len(seen), most)
	}
}
