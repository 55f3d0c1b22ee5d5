package score

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/gorlm/rlm/internal/kit/jsondoc"
)

// fields is the share of the right object's fields that have the same value in the answer's JSON object. Texts are
// compared as by exact, numbers to nine digits, lists in any order. Additional fields cost nothing.
func fields(gold json.RawMessage) (Func, error) {
	var want map[string]any
	if err := json.Unmarshal(gold, &want); err != nil || len(want) == 0 {
		return nil, errors.New("the right answer is not a JSON object with fields")
	}
	return func(answer string) Score {
		got := object(answer)
		if got == nil {
			return Score{0, "no JSON object"}
		}
		right := 0
		var wrong []string
		for name, v := range want {
			if same(got[name], v) {
				right++
			} else {
				wrong = append(wrong, name)
			}
		}
		slices.Sort(wrong)
		read := "all fields"
		if len(wrong) > 0 {
			read = "not right: " + strings.Join(wrong, ", ")
		}
		return Score{float64(right) / float64(len(want)), read}
	}, nil
}

func object(answer string) map[string]any {
	for _, text := range append([]string{answer}, jsondoc.Candidates(answer)...) {
		var v map[string]any
		if json.Unmarshal([]byte(text), &v) == nil && v != nil {
			return v
		}
	}
	return nil
}

// same compares JSON values.
func same(got, want any) bool {
	switch w := want.(type) {
	case string:
		return plain(fmt.Sprint(got)) == plain(w) && got != nil
	case float64:
		n, ok := got.(float64)
		if s, is := got.(string); is {
			n, ok = parseNumber(strings.TrimSpace(s))
		}
		return ok && math.Abs(n-w) <= 1e-9*max(1, math.Abs(w))
	case []any:
		g, ok := got.([]any)
		if !ok || len(g) != len(w) {
			return false
		}
		left := slices.Clone(g)
		for _, v := range w {
			i := slices.IndexFunc(left, func(x any) bool { return same(x, v) })
			if i < 0 {
				return false
			}
			left = slices.Delete(left, i, i+1)
		}
		return true
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok || len(g) != len(w) {
			return false
		}
		for name, v := range w {
			if !same(g[name], v) {
				return false
			}
		}
		return true
	}
	return got == want // true, false, null
}
