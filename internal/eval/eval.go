// Package eval measures how well questions over long texts are answered, by which way and at what price. Every arm answers the same items, and each
// answer is scored by a pure function. Results are kept as they come, so an evaluation that was interrupted goes on.
package eval

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/gorlm/rlm/internal/eval/score"
	"github.com/gorlm/rlm/internal/eval/suite"
)

// Items are the questions of an evaluation, in order. They are made when they are needed: long ones together fit no memory.
type Items struct {
	Len int
	At  func(i int) suite.Item
}

// Evaluation is items and the arms that answer them.
type Evaluation struct {
	Items Items
	Arms  []Arm
	// Results is a file that keeps them; "" keeps none. Results that it has already are not made again.
	Results string
	// Parallel is how many answers are made at once; at least 1.
	Parallel int
	// Progress, if set, is told of each result, by one goroutine at a time.
	Progress func(done, of int, r Result)
}

// Result is one answer of one arm with its score.
type Result struct {
	Arm    string `json:"arm"`
	Item   string `json:"item"`
	Suite  string `json:"suite,omitempty"`
	Length int    `json:"length,omitempty"`
	Kind   string `json:"kind,omitempty"`
	// Key identifies the item's text and the arm's settings. A result with another key is of another evaluation.
	Key   string      `json:"key"`
	Score score.Score `json:"score"`
	Reply
}

// keyOf identifies an answer that is to be made.
func keyOf(a Arm, item suite.Item) (string, error) {
	data, err := json.Marshal(item)
	if err != nil {
		return "", err
	}
	h := sha256.New()
	fmt.Fprintf(h, "%s\x00%s\x00%s", a.Name, a.Settings, data) // a hash never fails
	return hex.EncodeToString(h.Sum(nil)[:12]), nil
}

// Run makes all results that are not there yet, and returns all in the order of items and arms. When ctx is done, what was made is kept.
func (e Evaluation) Run(ctx context.Context) ([]Result, error) {
	kept, err := openStore(e.Results)
	if err != nil {
		return nil, err
	}
	defer kept.close()
	results := make([]Result, e.Items.Len*len(e.Arms))
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	next := make(chan int)
	var mu sync.Mutex // guards done and the call of Progress
	done := 0
	var workers sync.WaitGroup
	for range max(1, e.Parallel) {
		workers.Go(func() {
			for i := range next {
				r, err := e.one(ctx, kept, i)
				if err != nil {
					cancel(err)
					continue
				}
				mu.Lock()
				results[i] = r
				done++
				if e.Progress != nil {
					e.Progress(done, len(results), r)
				}
				mu.Unlock()
			}
		})
	}
	for i := range results {
		if ctx.Err() != nil {
			break
		}
		next <- i
	}
	close(next)
	workers.Wait()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return results, nil
}

// one is the result of a place: the items one after the other, each by all arms.
func (e Evaluation) one(ctx context.Context, kept *store, place int) (Result, error) {
	item, arm := e.Items.At(place/len(e.Arms)), e.Arms[place%len(e.Arms)]
	key, err := keyOf(arm, item)
	if err != nil {
		return Result{}, fmt.Errorf("item %s: %w", item.ID, err)
	}
	if r, ok := kept.get(key); ok {
		return r, nil
	}
	right, err := score.New(item.Scorer, item.Answer)
	if err != nil {
		return Result{}, fmt.Errorf("item %s: %w", item.ID, err)
	}
	r := Result{Arm: arm.Name, Item: item.ID, Suite: item.Suite, Length: item.Length, Kind: item.Kind, Key: key, Reply: arm.Answer(ctx, item)}
	if ctx.Err() != nil { // cut short: it is no failure of the arm
		return Result{}, context.Cause(ctx)
	}
	if r.Answer != "" {
		r.Score = right(r.Answer)
	}
	return r, kept.add(r)
}
