package score

import (
	"encoding/json"
	"strings"
)

// comparisons are the choices in OOLONG's questions that compare the frequencies of two labels.
var comparisons = []string{"more common than", "less common than", "same frequency as"}

// oolongLenient scores the synthetic half of OOLONG by the rule of the environment in which the authors of RLM
// train models. It takes the last comparison in the answer, ignores case, and counts a right text that occurs
// anywhere in the answer, unless it is a comparison. Scores are higher than OOLONG's own, especially for long
// answers.
func oolongLenient(gold json.RawMessage) (Func, error) {
	right, err := readOolong(gold)
	if err != nil {
		return nil, err
	}
	lower := pythonLower(right.text)
	compares := false
	for _, c := range comparisons {
		compares = compares || c == lower
	}
	return func(answer string) Score {
		read := lenientRead(answer)
		if pythonLower(read) == lower {
			return Score{1, read}
		}
		if score, apart := right.near(read); apart {
			return Score{score, read}
		}
		return yes(right.text != "" && !compares && strings.Contains(pythonLower(answer), lower), read)
	}, nil
}

func lenientRead(answer string) string {
	lower := pythonLower(answer)
	last, found := -1, ""
	for _, c := range comparisons {
		if i := strings.LastIndex(lower, c); i > last {
			last, found = i, c
		}
	}
	if found != "" {
		return found
	}
	if i := strings.LastIndex(answer, ":"); i >= 0 {
		return bare(answer[i+1:])
	}
	return lastWordUnless(answer, 20)
}
