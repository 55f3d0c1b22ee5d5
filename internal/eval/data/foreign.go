package data

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/gorlm/rlm/internal/eval/suite"
)

// text is a value that some files have as a text and others as a number.
type text string

func (t *text) UnmarshalJSON(raw []byte) error {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		*t = text(s)
		return nil
	}
	*t = text(raw)
	return nil
}

// decode reads an item in the form of others.
func decode(one json.RawMessage, of string, into any) error {
	if err := json.Unmarshal(one, into); err != nil {
		return fmt.Errorf("as an item of %s: %w", of, err)
	}
	return nil
}

// oolong is a line of oolongbench/oolong-synth.
func oolong(one json.RawMessage) (suite.Item, error) {
	var it struct {
		ID       text   `json:"id"`
		Dataset  string `json:"dataset"`
		Length   int    `json:"context_len"`
		Context  string `json:"context_window_text"`
		Question string `json:"question"`
		Answer   text   `json:"answer"`
		Type     string `json:"answer_type"`
		Group    string `json:"task_group"`
	}
	if err := decode(one, "OOLONG", &it); err != nil {
		return suite.Item{}, err
	}
	answer, err := json.Marshal(map[string]string{"answer": string(it.Answer), "answer_type": it.Type})
	if err != nil {
		return suite.Item{}, err
	}
	return suite.Item{
		ID: string(it.ID), Suite: "oolong " + it.Dataset, Length: it.Length, Kind: it.Group, Question: it.Question,
		Documents: []suite.Document{{Name: "context.txt", Text: it.Context}}, Answer: answer, Scorer: "oolong",
	}, nil
}

// longBench is an item of THUDM/LongBench-v2, asked as its own program asks.
func longBench(one json.RawMessage) (suite.Item, error) {
	var it struct {
		ID       text   `json:"_id"`
		Domain   string `json:"sub_domain"`
		Question string `json:"question"`
		A        string `json:"choice_A"`
		B        string `json:"choice_B"`
		C        string `json:"choice_C"`
		D        string `json:"choice_D"`
		Answer   string `json:"answer"`
		Context  string `json:"context"`
	}
	if err := decode(one, "LongBench-v2", &it); err != nil {
		return suite.Item{}, err
	}
	answer, err := json.Marshal(it.Answer)
	if err != nil {
		return suite.Item{}, err
	}
	question := fmt.Sprintf("%s\n\nChoices:\n(A) %s\n(B) %s\n(C) %s\n(D) %s\n\nAnswer in the form \"The correct answer is (X)\".",
		strings.TrimSpace(it.Question), strings.TrimSpace(it.A), strings.TrimSpace(it.B), strings.TrimSpace(it.C), strings.TrimSpace(it.D))
	return suite.Item{
		ID: string(it.ID), Suite: "longbench-v2", Kind: it.Domain, Question: question,
		Documents: []suite.Document{{Name: "context.txt", Text: it.Context}}, Answer: answer, Scorer: "choice",
	}, nil
}

// ruler is a line that RULER's scripts make: its input ends with the question.
func ruler(one json.RawMessage) (suite.Item, error) {
	var it struct {
		Index   text     `json:"index"`
		Input   string   `json:"input"`
		Outputs []string `json:"outputs"`
		Length  int      `json:"length"`
	}
	if err := decode(one, "RULER", &it); err != nil {
		return suite.Item{}, err
	}
	input := strings.TrimRight(it.Input, " \n")
	at := strings.LastIndex(input, "\nWhat ")
	if q := strings.LastIndex(input, "Question: "); q > at {
		at = q
	}
	if at <= 0 {
		return suite.Item{}, errors.New("as an item of RULER: its input does not end with a question")
	}
	answer, err := json.Marshal(it.Outputs)
	if err != nil {
		return suite.Item{}, err
	}
	scorer := "contains"
	if strings.HasPrefix(input, "Answer the question based on the given documents") {
		scorer = "contains-any"
	}
	return suite.Item{
		Suite: "ruler", Length: it.Length, Question: strings.TrimSpace(strings.TrimPrefix(input[at:], "Question:")),
		Documents: []suite.Document{{Name: "context.txt", Text: strings.TrimSpace(input[:at])}}, Answer: answer, Scorer: scorer,
	}, nil
}
