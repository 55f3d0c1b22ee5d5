// Package score computes how right an answer is. All scorers are pure functions of the answer's text and the right
// answer.
package score

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Score is how right an answer is.
type Score struct {
	// Value is from 0 (wrong) to 1 (right).
	Value float64 `json:"value"`
	// Read is the text taken as the answer, which explains the value.
	Read string `json:"read,omitempty"`
}

// Func scores an answer.
type Func func(answer string) Score

// scorerFunc makes a scorer for a right answer. Its error explains why the right answer is unusable.
type scorerFunc func(gold json.RawMessage) (Func, error)

// rule makes a scorer, and names its origin.
type rule struct {
	make  scorerFunc
	about string // origin; "" for a rule of this program
}

// rules are the scorers by name. Those named after a benchmark score as its own program does.
func rules() map[string]rule {
	return map[string]rule{
		"exact":          {exact, ""},
		"contains":       {containsAll, ""},
		"contains-any":   {containsAny, ""},
		"number":         {number, ""},
		"date":           {date, ""},
		"choice":         {choice, ""},
		"set":            {set, ""},
		"pairs":          {pairs, ""},
		"fields":         {fields, ""},
		"oolong":         {oolong, "the official rule of OOLONG, synthetic half"},
		"oolong-lenient": {oolongLenient, "the lenient rule of RLM's training environment, not OOLONG's own"},
		"oolong-real":    {oolongReal, "the official rule of OOLONG, real half"},
		"ruler":          {ruler, "the official rule of RULER, all tasks but questions"},
		"ruler-qa":       {rulerQA, "the official rule of RULER, questions"},
		"longbench-v2":   {longBenchV2, "the official rule of LongBench-v2"},
	}
}

// Names returns the names of all scorers, sorted.
func Names() []string { return slices.Sorted(maps.Keys(rules())) }

// About returns the origin of a scorer; "" if it is this program's own.
func About(name string) string { return rules()[name].about }

// New makes the scorer with a name for one item. gold is the right answer from the data; the help of 'rlm eval
// make' describes what each scorer accepts. An unusable gold is an error with the reason.
func New(name string, gold json.RawMessage) (Func, error) {
	r, ok := rules()[name]
	if !ok {
		return nil, fmt.Errorf("there is no scorer %q: use %s", name, strings.Join(Names(), ", "))
	}
	if len(gold) == 0 {
		return nil, fmt.Errorf("scorer %s: the right answer is missing", name)
	}
	f, err := r.make(gold)
	if err != nil {
		return nil, fmt.Errorf("scorer %s: %w", name, err)
	}
	return f, nil
}

// texts reads a gold that is one text (or number) or a list of them.
func texts(gold json.RawMessage) ([]string, error) {
	var list []json.RawMessage
	if err := json.Unmarshal(gold, &list); err != nil {
		list = []json.RawMessage{gold}
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("the right answer is an empty list")
	}
	out := make([]string, len(list))
	for i, one := range list {
		var v any
		if err := json.Unmarshal(one, &v); err != nil {
			return nil, fmt.Errorf("the right answer is not JSON: %w", err)
		}
		switch v := v.(type) {
		case string:
			out[i] = v
		case float64, bool:
			out[i] = string(one)
		default:
			return nil, fmt.Errorf("the right answer is %s, not text or a list of texts", one)
		}
		if strings.TrimSpace(out[i]) == "" {
			return nil, fmt.Errorf("the right answer is empty")
		}
	}
	return out, nil
}

// yes is a score of 1 or 0.
func yes(right bool, read string) Score {
	if right {
		return Score{1, read}
	}
	return Score{0, read}
}
