package eval

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/gorlm/rlm/internal/eval/suite"
	"github.com/gorlm/rlm/runner"
)

// OwnName is the scorer name of items that the user's own function scores.
const OwnName = "own"

// useOwn calls the user's function on the item in the context.
const useOwn = `var scored struct {
	Question, Answer string
	Right            any
}
if err := json.Unmarshal([]byte(context), &scored); err != nil {
	panic(err)
}
FINAL(float64(Score(scored.Question, scored.Answer, scored.Right)))`

// checkOwn does not compile if there is no such function.
const checkOwn = `var _ func(question, answer string, right any) float64 = Score`

// Own scores by a cell of Go that declares
//
//	func Score(question, answer string, right any) float64
//
// where right is the item's answer, decoded from JSON. It runs like cells of models: in a locked-down worker, in a
// new notebook for each answer. An error explains why the cell does not compile.
func Own(ctx context.Context, source string, r *runner.Runner) (Scorer, error) {
	s, err := r.NewSession(ctx)
	if err != nil {
		return Scorer{}, fmt.Errorf("starting a notebook for the scorer: %w", err)
	}
	err = errors.Join(runCells(ctx, s, source, checkOwn), s.Close())
	if err != nil {
		return Scorer{}, err
	}
	return Scorer{
		Settings: source,
		Score: func(ctx context.Context, item suite.Item, answer string) (Score, *Verdict, error) {
			score, err := scoreOwn(ctx, source, r, item, answer)
			return score, nil, err
		},
	}, nil
}

func scoreOwn(
	ctx context.Context, source string, r *runner.Runner, item suite.Item, answer string,
) (score Score, err error) {
	text, err := json.Marshal(map[string]any{"Question": item.Question, "Answer": answer, "Right": item.Answer})
	if err != nil {
		return Score{}, fmt.Errorf("writing the answer for the scorer: %w", err)
	}
	s, err := r.NewSession(ctx, runner.Text("answer.json", string(text)))
	if err != nil {
		return Score{}, fmt.Errorf("starting a notebook for the scorer: %w", err)
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if err := runCells(ctx, s, source); err != nil {
		return Score{}, err
	}
	res, err := s.Exec(ctx, useOwn)
	switch {
	case err != nil:
		return Score{}, fmt.Errorf("running the scorer: %w", err)
	case res.Error != nil:
		return Score{}, fmt.Errorf("the scorer failed: %s", res.Error.Message)
	case res.Final == nil:
		return Score{}, errors.New("the scorer gave no score")
	}
	value, err := strconv.ParseFloat(res.Final.Answer, 64)
	if err != nil || math.IsNaN(value) || value < 0 || value > 1 {
		return Score{}, fmt.Errorf("the scorer gave %s: a score must be from 0 to 1", res.Final.Answer)
	}
	return Score{Value: value, Read: res.Output}, nil
}

// runCells runs cells until one fails.
func runCells(ctx context.Context, s *runner.Session, cells ...string) error {
	for _, source := range cells {
		res, err := s.Exec(ctx, source)
		if err != nil {
			return fmt.Errorf("running the scorer: %w", err)
		}
		if res.Error != nil {
			return fmt.Errorf("the scorer does not run; it must declare func Score(question, answer string, right any) float64: %s", res.Error.Message)
		}
	}
	return nil
}
