package eval

import (
	"context"

	"github.com/gorlm/rlm/internal/eval/score"
	"github.com/gorlm/rlm/internal/eval/suite"
)

// Scorer scores answers that a function of the answer's text cannot score.
type Scorer struct {
	// Settings are what scores depend on besides item and answer. Answers that were scored with other settings are
	// scored again.
	Settings string
	// Score scores an answer. An error stops the evaluation: the answer is stored, and scored when the evaluation
	// is resumed. The verdict is nil if no model was asked.
	Score func(ctx context.Context, item suite.Item, answer string) (Score, *Verdict, error)
	// Most returns the maximal cost in US dollars of one score; known is false if there is no bound. A nil Most means
	// free.
	Most func() (usd float64, known bool)
}

// itemScorer scores the answers to one item.
type itemScorer struct {
	key   string // identifies the right answer and the scorer
	score func(ctx context.Context, answer string) (Score, *Verdict, error)
	most  func() (usd float64, known bool) // nil: free
}

func (e Evaluation) scorer(item suite.Item) (itemScorer, error) {
	own, ok := e.Scorers[item.Scorer]
	key, err := digest([]string{item.Scorer, own.Settings, string(item.Answer)})
	if err != nil {
		return itemScorer{}, err
	}
	if ok {
		return itemScorer{key, func(ctx context.Context, answer string) (Score, *Verdict, error) {
			return own.Score(ctx, item, answer)
		}, own.Most}, nil
	}
	pure, err := score.New(item.Scorer, item.Answer)
	if err != nil {
		return itemScorer{}, err
	}
	return itemScorer{key, func(_ context.Context, answer string) (Score, *Verdict, error) {
		return pure(answer), nil, nil
	}, nil}, nil
}
