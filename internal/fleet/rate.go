package fleet

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/gorlm/rlm/internal/fleet/internal/jet"
)

// RateLimiter limits the requests and tokens per minute of a model for all nodes of a shared queue together. It is
// a llm.RateLimiter.
//
// The queue records how much has been taken. A node takes a quarter of a second's worth at a time, so that it asks
// the queue only a few times a second however many calls there are, and returns what it does not use. All nodes
// together therefore never send more than the limits allow.
type RateLimiter struct {
	tank     *tokenBucket
	requests float64 // requests per second; 0: no limit
	tokens   float64

	turn chan struct{} // held by the goroutine that takes from the queue; others wait
	mu   sync.Mutex
	have amounts
	idle *time.Timer // returns unused amounts
}

// amounts is a number of requests and tokens.
type amounts struct{ requests, tokens float64 }

// Sizes and times of takes from the queue.
const (
	secondsTaken  = 0.25            // seconds of the rate that one take covers
	tokensAtOnce  = 60.0            // seconds of the rate that may be used in one burst
	requestsBurst = 1.0             // the same for requests; at least one request
	unusedFor     = 2 * time.Second // time after which unused amounts are returned
)

// Rate returns the limiter of a model for all nodes of a shared queue together. Nodes that set different limits for
// the same model share one bucket, and each counts in it at its own rate.
func (q *Queue) Rate(model string, requestsPerMinute, tokensPerMinute int) *RateLimiter {
	r := &RateLimiter{
		tank: newTokenBucket(q, model), requests: float64(requestsPerMinute) / 60,
		tokens: float64(tokensPerMinute) / 60, turn: make(chan struct{}, 1),
	}
	r.idle = time.AfterFunc(unusedFor, r.giveBack)
	r.idle.Stop()
	return r
}

// Admit waits until one more request of about the given number of tokens may be sent. It fails if ctx is done, or
// its deadline is before that.
func (r *RateLimiter) Admit(ctx context.Context, tokens int64) error {
	need := amounts{1, min(float64(tokens), r.tokens*tokensAtOnce)} // a single huge call must not wait for ever
	select {
	case r.turn <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-r.turn }()
	for !r.use(need) {
		if err := r.take(ctx, need); err != nil {
			return err
		}
	}
	return nil
}

// Settle charges the tokens that a call used beyond its estimate.
func (r *RateLimiter) Settle(tokens int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.tokens > 0 {
		r.have.tokens -= min(float64(tokens), r.tokens*tokensAtOnce)
		r.idle.Reset(unusedFor) // a debt is charged to the queue as well
	}
}

// use deducts the amounts that a call needs, if this node has them.
func (r *RateLimiter) use(need amounts) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.requests > 0 && r.have.requests < need.requests || r.tokens > 0 && r.have.tokens < need.tokens {
		return false
	}
	if r.requests > 0 {
		r.have.requests -= need.requests
	}
	if r.tokens > 0 {
		r.have.tokens -= need.tokens
	}
	return true
}

// take takes the missing amounts from the queue, and waits until they may be used.
func (r *RateLimiter) take(ctx context.Context, need amounts) error {
	r.mu.Lock()
	var more, burst amounts
	if r.requests > 0 && r.have.requests < need.requests {
		more.requests = max(need.requests-r.have.requests, float64(int(r.requests*secondsTaken)))
		burst.requests = max(1, r.requests*requestsBurst)
	}
	if r.tokens > 0 && r.have.tokens < need.tokens {
		more.tokens = max(need.tokens-r.have.tokens, r.tokens*secondsTaken)
		burst.tokens = max(more.tokens, r.tokens*tokensAtOnce)
	}
	r.mu.Unlock()
	wait, err := r.tank.change(ctx, r.seconds(more), r.seconds(burst))
	if err != nil {
		return fmt.Errorf("apply the rate limit of %s: %w", r.tank.model, err)
	}
	if end, ok := ctx.Deadline(); ok && time.Until(end) < wait {
		err = fmt.Errorf("the rate limit of %s allows the next request only after the deadline", r.tank.model)
	} else {
		err = sleep(ctx, wait)
	}
	if err != nil {
		return errors.Join(err, r.putBack(more))
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.have.requests += more.requests
	r.have.tokens += more.tokens
	r.idle.Reset(unusedFor)
	return nil
}

// seconds converts amounts into the seconds that they take at the limiter's rates.
func (r *RateLimiter) seconds(s amounts) (of amounts) {
	if r.requests > 0 {
		of.requests = s.requests / r.requests
	}
	if r.tokens > 0 {
		of.tokens = s.tokens / r.tokens
	}
	return of
}

// giveBack returns the amounts that this node has left, or charges those that it owes.
func (r *RateLimiter) giveBack() {
	r.mu.Lock()
	rest := r.have
	r.have = amounts{}
	r.mu.Unlock()
	_ = r.putBack(rest) // if it fails, at most a quarter of a second is lost
}

func (r *RateLimiter) putBack(rest amounts) error {
	if rest == (amounts{}) {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), jet.FlushPatience)
	defer cancel()
	_, err := r.tank.change(ctx, r.seconds(amounts{-rest.requests, -rest.tokens}), amounts{})
	return err
}

// sleep waits for d or for the end of ctx.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(max(0, d))
	defer timer.Stop()
	select {
	case <-timer.C:
		return ctx.Err()
	case <-ctx.Done():
		return ctx.Err()
	}
}
