package data

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/gorlm/rlm/internal/eval/suite"
)

// looseText is a value that is a text in some files and a number in others.
type looseText string

func (t *looseText) UnmarshalJSON(raw []byte) error {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		*t = looseText(s)
		return nil
	}
	*t = looseText(raw)
	return nil
}

// decode reads an item in a foreign form.
func decode(one json.RawMessage, of string, into any) error {
	if err := json.Unmarshal(one, into); err != nil {
		return fmt.Errorf("as an item of %s: %w", of, err)
	}
	return nil
}

// over returns an item over one text, with the right answer.
func over(context string, right any, item suite.Item) (suite.Item, error) {
	answer, err := json.Marshal(right)
	if err != nil {
		return suite.Item{}, err
	}
	item.Documents, item.Answer = []suite.Document{{Name: "context.txt", Text: context}}, answer
	return item, nil
}

// oolong reads a line of oolongbench/oolong-synth.
func oolong(one json.RawMessage) (suite.Item, error) {
	var it struct {
		ID       looseText `json:"id"`
		Dataset  string    `json:"dataset"`
		Length   int       `json:"context_len"`
		Context  string    `json:"context_window_text"`
		Question string    `json:"question"`
		Answer   looseText `json:"answer"`
		Type     string    `json:"answer_type"`
		Group    string    `json:"task_group"`
	}
	if err := decode(one, "OOLONG", &it); err != nil {
		return suite.Item{}, err
	}
	return over(it.Context, map[string]string{"answer": string(it.Answer), "answer_type": it.Type}, suite.Item{
		ID: string(it.ID), Suite: strings.TrimSpace("oolong " + it.Dataset), Length: it.Length, Kind: it.Group,
		Question: it.Question, Scorer: "oolong",
	})
}

// oolongReal reads a line of oolongbench/oolong-real.
func oolongReal(one json.RawMessage) (suite.Item, error) {
	var it struct {
		ID       looseText `json:"id"`
		Context  string    `json:"context_window_text"`
		Question string    `json:"question"`
		Answer   looseText `json:"answer"`
		Type     string    `json:"question_type"`
		Length   int       `json:"context_len"`
	}
	if err := decode(one, "OOLONG-real", &it); err != nil {
		return suite.Item{}, err
	}
	return over(it.Context, string(it.Answer), suite.Item{
		ID: string(it.ID), Suite: "oolong-real", Length: it.Length, Kind: it.Type, Question: it.Question,
		Scorer: "oolong-real",
	})
}

// longBench reads an item of THUDM/LongBench-v2 and asks it as LongBench's own program does.
func longBench(one json.RawMessage) (suite.Item, error) {
	var it struct {
		ID       looseText `json:"_id"`
		Domain   string    `json:"sub_domain"`
		Question string    `json:"question"`
		A        string    `json:"choice_A"`
		B        string    `json:"choice_B"`
		C        string    `json:"choice_C"`
		D        string    `json:"choice_D"`
		Answer   string    `json:"answer"`
		Context  string    `json:"context"`
	}
	if err := decode(one, "LongBench-v2", &it); err != nil {
		return suite.Item{}, err
	}
	question := fmt.Sprintf("%s\n\nChoices:\n(A) %s\n(B) %s\n(C) %s\n(D) %s\n\nAnswer in the form \"The correct answer is (X)\".",
		strings.TrimSpace(it.Question), strings.TrimSpace(it.A), strings.TrimSpace(it.B), strings.TrimSpace(it.C),
		strings.TrimSpace(it.D))
	return over(it.Context, it.Answer, suite.Item{
		ID: string(it.ID), Suite: "longbench-v2", Kind: it.Domain, Question: question, Scorer: "longbench-v2",
	})
}

// rulerQuestions begins RULER's questions over documents, which have a different scorer.
const rulerQuestions = "Answer the question based on the given documents"

// rulerTemplates are the beginnings of the inputs of RULER's tasks.
var rulerTemplates = []string{
	rulerQuestions, "Some special magic", "A special magic", "Memorize and track the chain",
	"Below is a numbered list of words",
	"Read the following coded text",
}

// ruler reads a line made by RULER's scripts, whose input ends with the question.
func ruler(one json.RawMessage) (suite.Item, error) {
	var it struct {
		Index   looseText `json:"index"`
		Input   string    `json:"input"`
		Outputs []string  `json:"outputs"`
		Length  int       `json:"length"`
	}
	if err := decode(one, "RULER", &it); err != nil {
		return suite.Item{}, err
	}
	input := strings.TrimRight(it.Input, " \n")
	if !slices.ContainsFunc(rulerTemplates, func(t string) bool { return strings.HasPrefix(input, t) }) {
		return suite.Item{}, errors.New(
			"it has the fields of RULER, but its input begins with none of RULER's tasks: make it with --model_template_type base")
	}
	at := strings.LastIndex(input, "\nWhat ")
	if q := strings.LastIndex(input, "Question: "); q > at {
		at = q
	}
	if at <= 0 {
		return suite.Item{}, errors.New("as an item of RULER: its input does not end with a question")
	}
	scorer := "ruler"
	if strings.HasPrefix(input, rulerQuestions) {
		scorer = "ruler-qa"
	}
	return over(strings.TrimSpace(input[:at]), it.Outputs, suite.Item{
		Suite: "ruler", Length: it.Length, Question: strings.TrimSpace(strings.TrimPrefix(input[at:], "Question:")),
		Scorer: scorer,
	})
}
