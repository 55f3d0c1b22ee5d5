// Package eval measures how well questions over long texts are answered, by which way and at what price. Every arm answers the same items, and each
// answer is scored in the same way. Results are kept as they come, so an evaluation that was interrupted goes on.
package eval

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/gorlm/rlm/internal/eval/suite"
	"github.com/gorlm/rlm/runner/llm"
)

// Items are the questions of an evaluation, in order. They are made when they are needed: long ones together fit no memory.
type Items struct {
	Len int
	// At makes or reads an item. Its error ends the evaluation.
	At func(i int) (suite.Item, error)
	// Length is about how many tokens the context of an item has, without making it. nil: as the item says.
	Length func(i int) int
}

// Evaluation is items and the arms that answer them.
type Evaluation struct {
	Items Items
	Arms  []Arm
	// Scorers score items that name them. All others are scored by the functions of package score.
	Scorers map[string]Scorer
	// Results is a file that keeps them; "" keeps none. Results that it has already are not made again, and runs that it knows to have begun are
	// resumed.
	Results string
	// Retry asks again where the file has an answer that failed.
	Retry bool
	// Parallel is how many answers are made at once; at least 1.
	Parallel int
	// Budget is what all results in the file may cost together in US dollars; 0: no bound. An answer is begun only if the most that it can
	// cost is left.
	Budget float64
	// Progress, if set, is told of each result, by one goroutine at a time.
	Progress func(Progress)
}

// Progress is a result that came, and how far the evaluation is.
type Progress struct {
	Done, Of int
	Result   Result
	Kept     bool    // the file had it already
	Spent    float64 // US dollars so far, as far as prices are known
}

// Run makes all results that are not there yet, and returns all in the order of items and arms. When ctx is done, when the budget does not
// suffice (*BudgetError), when a model refuses the key or the account (*llm.Error) or something else fails, it returns the results that there are with the error; what was made is kept.
func (e Evaluation) Run(ctx context.Context) ([]Result, error) {
	kept, err := openStore(e.Results)
	if err != nil {
		return nil, err
	}
	defer kept.close()
	money := newLease(e.Budget, kept.spent)
	places := e.Items.Len * len(e.Arms)
	results := make([]Result, places)
	var (
		mu   sync.Mutex // guards results, done and the call of Progress
		done int
		stop atomic.Bool // begins no more answers; those under way end
	)
	var answers errgroup.Group
	answers.SetLimit(max(1, e.Parallel))
	for i := range places {
		if ctx.Err() != nil || stop.Load() {
			break
		}
		answers.Go(func() error {
			if stop.Load() { // while it waited for its turn
				return nil
			}
			r, old, err := e.one(ctx, kept, money, i)
			if err != nil {
				stop.Store(true)
				return err
			}
			mu.Lock()
			defer mu.Unlock()
			results[i] = r
			done++
			if e.Progress != nil {
				e.Progress(Progress{Done: done, Of: places, Result: r, Kept: old, Spent: money.used()})
			}
			return nil
		})
	}
	err = answers.Wait()
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	if err == nil {
		return results, nil
	}
	var made []Result
	for _, r := range results {
		if r.Arm != "" {
			made = append(made, r)
		}
	}
	if short := (*BudgetError)(nil); errors.As(err, &short) {
		short.Done, short.Of = len(made), places
	}
	return made, err
}

// one is the result of a place: the items one after the other, each by all arms. old says that it was kept.
func (e Evaluation) one(ctx context.Context, kept *store, money *lease, place int) (r Result, old bool, err error) {
	arm := e.Arms[place%len(e.Arms)]
	item, err := e.Items.At(place / len(e.Arms))
	if err != nil {
		return Result{}, false, err
	}
	fail := func(err error) (Result, bool, error) { return Result{}, false, fmt.Errorf("item %s: %w", item.ID, err) }
	key, err := keyOf(arm, item)
	if err != nil {
		return fail(err)
	}
	how, err := e.scorer(item)
	if err != nil {
		return fail(err)
	}
	r, old = kept.get(key)
	old = old && (!e.Retry || r.Error == "")
	if old && r.Scored == how.key {
		return r, true, nil
	}
	length := item.Length
	if e.Items.Length != nil {
		length = e.Items.Length(place / len(e.Arms))
	}
	most, err := e.most(arm, how, length, old)
	if err != nil {
		return fail(err)
	}
	if err := money.take(ctx, most); err != nil {
		return fail(err)
	}
	spent := most
	defer func() { money.settle(most, spent) }()
	if !old {
		r = Result{Arm: arm.Name, Settings: arm.Settings, Item: item.ID, Suite: item.Suite, Length: item.Length, Kind: item.Kind, Key: key}
		r.Reply = arm.Answer(ctx, item, &Attempt{Key: key, Run: kept.begun(key), begin: func(run string) error { return kept.begin(r, run) }})
		if ctx.Err() != nil { // cut short: it is no failure of the arm
			return Result{}, false, context.Cause(ctx)
		}
		if err := refused(r.cause); err != nil { // no other answer would come, and with another key this one may
			return fail(err)
		}
	}
	r.Score, r.Judge, r.Scored, r.Scorer = Score{}, nil, how.key, item.Scorer
	if !r.failed() {
		if r.Score, r.Judge, err = how.score(ctx, r.Answer); err != nil {
			r.Scored = "" // an answer that could not be scored is kept as well: it was paid for
		}
	}
	spent = r.spent(old, most)
	if err = errors.Join(err, kept.add(r)); err != nil {
		return fail(err)
	}
	return r, old, nil
}

// refused is the error of a model that answers nothing, whatever is asked: its key is refused, or its account is empty.
func refused(cause error) error {
	if call := (*llm.Error)(nil); errors.As(cause, &call) && (call.Kind == llm.ErrAuth || call.Kind == llm.ErrQuota) {
		return call
	}
	return nil
}

// most is what an answer and its score can cost at most. It matters only where there is a budget.
func (e Evaluation) most(arm Arm, how itemScorer, length int, old bool) (usd float64, err error) {
	if e.Budget == 0 {
		return 0, nil
	}
	unknown := fmt.Errorf("what %s costs is not known: an evaluation with a budget needs prices", arm.Name)
	if !old {
		answer, known := arm.most(length)
		if !known {
			return 0, unknown
		}
		usd += answer
	}
	if how.most != nil {
		score, known := how.most()
		if !known {
			return 0, unknown
		}
		usd += score
	}
	return usd, nil
}

// spent is what the answer, unless it is an old one, and its score cost; what is not known counts as the most.
func (r Result) spent(old bool, most float64) float64 {
	usd := 0.0
	if !old {
		if r.Cost == nil {
			return most
		}
		usd += *r.Cost
	}
	if r.Judge != nil {
		if r.Judge.Cost == nil {
			return most
		}
		usd += *r.Judge.Cost
	}
	return usd
}
