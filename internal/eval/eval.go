// Package eval measures how well questions over long texts are answered, in which way and at what price. Every arm
// answers the same items, and all answers are scored in the same way. Results are stored as they arrive, so an
// interrupted evaluation can be resumed.
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

// Items are the questions of an evaluation, in order. They are made on demand, because all long ones together do
// not fit into memory.
type Items struct {
	Len int
	// At makes or reads an item. Its error ends the evaluation.
	At func(i int) (suite.Item, error)
	// Length returns about how many tokens the context of an item has, without making it. Most and Dearest need it;
	// Run uses the item's Length if it is nil.
	Length func(i int) int
}

// Evaluation is items and the arms that answer them.
type Evaluation struct {
	Items Items
	Arms  []Arm
	// Scorers score items that name them. All others are scored by the functions of package score.
	Scorers map[string]Scorer
	// Results is the file that stores the results; "" means none. Results that it already has are not made again,
	// and runs that it records as begun are resumed.
	Results string
	// Retry repeats failed answers in the file.
	Retry bool
	// Parallel is the number of concurrent answers; at least 1.
	Parallel int
	// Budget is the maximal cost of all results in the file, in US dollars; 0: no bound. An answer is only started
	// if its maximal cost is left.
	Budget float64
	// Progress, if set, is called for each result, by one goroutine at a time.
	Progress func(Progress)
}

// Progress is a new result, and the progress of the evaluation.
type Progress struct {
	Done, Of int
	Result   Result
	Kept     bool    // the file already had the result
	Spent    float64 // US dollars so far, if prices are known
}

// Run makes all missing results, and returns all in the order of items and arms. If ctx is done, the budget does
// not suffice (*BudgetError), a model rejects the key or the account (*llm.Error), or something else fails, it
// returns the error with the results so far, which are stored.
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
		stop atomic.Bool // no more answers are started; running ones finish
	)
	var answers errgroup.Group
	answers.SetLimit(max(1, e.Parallel))
	for i := range places {
		if ctx.Err() != nil || stop.Load() {
			break
		}
		answers.Go(func() error {
			if stop.Load() { // stopped while it waited for its turn
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

// one returns the result of a place. The places are the arms of the first item, then those of the second, and so
// on. old means that the result was stored.
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
		r = Result{
			Arm: arm.Name, Settings: arm.Settings, Item: item.ID, Suite: item.Suite, Length: item.Length,
			Kind: item.Kind, Key: key,
		}
		r.Reply = arm.Answer(ctx, item,
			&Attempt{Key: key, Run: kept.begun(key), begin: func(run string) error { return kept.begin(r, run) }})
		if ctx.Err() != nil { // cut short, which is not a failure of the arm
			return Result{}, false, context.Cause(ctx)
		}
		if err := refused(r.cause); err != nil { // all answers would fail; another key may help
			return fail(err)
		}
	}
	r.Score, r.Judge, r.Scored, r.Scorer = Score{}, nil, how.key, item.Scorer
	if !r.failed() {
		if r.Score, r.Judge, err = how.score(ctx, r.Answer); err != nil {
			r.Scored = "" // an answer that could not be scored is stored as well: it was paid for
		}
	}
	spent = r.spent(old, most)
	if err = errors.Join(err, kept.add(r)); err != nil {
		return fail(err)
	}
	return r, old, nil
}

// refused returns the error of a model that answers nothing at all: its key is rejected, or its account is empty.
func refused(cause error) error {
	if call := (*llm.Error)(nil); errors.As(cause, &call) && (call.Kind == llm.ErrAuth || call.Kind == llm.ErrQuota) {
		return call
	}
	return nil
}

// most returns the maximal cost of an answer and its score. It only matters if there is a budget.
func (e Evaluation) most(arm Arm, how itemScorer, length int, old bool) (usd float64, err error) {
	if e.Budget == 0 {
		return 0, nil
	}
	unknown := fmt.Errorf("the price of %s is unknown: an evaluation with a budget needs prices", arm.Name)
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

// spent returns the cost of the answer, unless it is old, and of its score; an unknown cost counts as the maximum.
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
