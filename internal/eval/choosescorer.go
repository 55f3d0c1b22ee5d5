package eval

import (
	"context"

	"github.com/gorlm/rlm/internal/eval/score"
	"github.com/gorlm/rlm/internal/eval/suite"
)

// Scorer scores answers where a function of the answer's text is not enough.
type Scorer struct {
	// Settings are what scores depend on besides item and answer. Answers that were scored with other settings are scored again.
	Settings string
	// Score scores an answer. Its error stops the evaluation: the answer is kept, and scored when the evaluation goes on. The
	// verdict is nil where no model was asked.
	Score func(ctx context.Context, item suite.Item, answer string) (Score, *Verdict, error)
	// Most is what one score can cost at most in US dollars; false if that is not known. nil: nothing.
	Most func() (usd float64, known bool)
}

// itemScorer is how one item is scored.
type itemScorer struct {
	key   string // what is right, and how it is scored
	score func(ctx context.Context, answer string) (Score, *Verdict, error)
	most  func() (usd float64, known bool) // nil: nothing
}

func (e Evaluation) scorer(item suite.Item) (itemScorer, error) {
	own, ok := e.Scorers[item.Scorer]
	key, err := digest([]string{item.Scorer, own.Settings, string(item.Answer)})
	if err != nil {
		return itemScorer{}, err
	}
	if ok {
		return itemScorer{key, func(ctx context.Context, answer string) (Score, *Verdict, error) { return own.Score(ctx, item, answer) }, own.Most}, nil
	}
	pure, err := score.New(item.Scorer, item.Answer)
	if err != nil {
		return itemScorer{}, err
	}
	return itemScorer{key, func(_ context.Context, answer string) (Score, *Verdict, error) { return pure(answer), nil, nil }, nil}, nil
}
