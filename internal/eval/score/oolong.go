package score

import (
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/gorlm/rlm/internal/lazy"
)

// comparisons are what OOLONG asks to choose from when it compares how often two labels occur.
var comparisons = []string{"more common than", "less common than", "same frequency as"}

var pythonDate = lazy.Regexp(`datetime\.date\((\d+), (\d+), (\d+)\)`)

// oolongGold is an answer of OOLONG's data.
type oolongGold struct {
	Answer string // a list of Python with one value: "['entity']", "[42]", "[datetime.date(2023, 1, 6)]"
	Type   string `json:"answer_type"` // "ANSWER_TYPE.NUMERIC", "ANSWER_TYPE.DATE", …
}

// oolong scores as OOLONG's own program does in the form that the authors of RLM use: the last comparison in the answer, or what stands
// behind its last colon, is compared without case; numbers that are near have a part of the score; a right text that occurs anywhere
// counts, unless it is a comparison. gold is {"answer": …, "answer_type": …} as in the data.
func oolong(gold json.RawMessage) (Func, error) {
	var g oolongGold
	if err := json.Unmarshal(gold, &g); err != nil || g.Answer == "" {
		return nil, errors.New(`the right answer is not {"answer": "['…']", "answer_type": "…"}`)
	}
	right := pythonValue(g.Answer)
	return func(answer string) Score {
		read := oolongRead(answer)
		if strings.EqualFold(read, right) {
			return Score{1, read}
		}
		switch strings.TrimPrefix(g.Type, "ANSWER_TYPE.") {
		case "NUMERIC":
			got, gok := pythonInt(read)
			want, wok := pythonInt(right)
			if !gok || !wok {
				return Score{0, read}
			}
			return Score{near(math.Abs(float64(got - want))), read}
		case "DATE":
			day, ok := parseDay(read)
			return yes(ok && day.Format(time.DateOnly) == right, read)
		}
		for _, c := range comparisons {
			if strings.EqualFold(c, right) {
				return Score{0, read}
			}
		}
		return yes(right != "" && strings.Contains(strings.ToLower(answer), strings.ToLower(right)), read)
	}, nil
}

// oolongRead is what is taken as the answer.
func oolongRead(answer string) string {
	lower := strings.ToLower(answer)
	at, found := -1, ""
	for _, c := range comparisons {
		if i := strings.LastIndex(lower, c); i > at {
			at, found = i, c
		}
	}
	if found != "" {
		return found
	}
	i := strings.LastIndex(answer, ":")
	if i >= 0 {
		return strings.NewReplacer("*", "", "[", "", "]", "").Replace(strings.TrimSpace(answer[i+1:]))
	}
	words := strings.Fields(answer)
	if len([]rune(answer)) < 20 || len(words) == 0 {
		return answer
	}
	return words[len(words)-1]
}

// pythonValue is the one value in a list as Python prints it: the text without its quotes, a number, a date as 2006-01-02. What is no list
// stands for itself.
func pythonValue(list string) string {
	if m := pythonDate().FindStringSubmatch(list); m != nil {
		if day, err := time.Parse("2006-1-2", m[1]+"-"+m[2]+"-"+m[3]); err == nil {
			return day.Format(time.DateOnly)
		}
	}
	inner := strings.TrimSpace(list)
	if !strings.HasPrefix(inner, "[") || !strings.HasSuffix(inner, "]") {
		return list
	}
	inner = inner[1 : len(inner)-1]
	if n := len(inner); n >= 2 && (inner[0] == '\'' || inner[0] == '"') && inner[n-1] == inner[0] {
		return strings.NewReplacer(`\'`, `'`, `\"`, `"`, `\\`, `\`).Replace(inner[1 : n-1])
	}
	return inner
}

// pythonInt reads what Python's int takes.
func pythonInt(text string) (int64, bool) {
	text = strings.TrimSpace(text)
	if strings.HasPrefix(text, "_") || strings.HasSuffix(text, "_") || strings.Contains(text, "__") {
		return 0, false
	}
	n, err := strconv.ParseInt(strings.ReplaceAll(text, "_", ""), 10, 64)
	return n, err == nil
}
