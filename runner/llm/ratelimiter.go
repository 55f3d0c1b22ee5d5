package llm

import (
	"context"
	"time"

	"golang.org/x/time/rate"
)

// RateLimiter enforces the requests and tokens per minute that a model's endpoint allows, for clients that may be
// in several processes.
type RateLimiter interface {
	// Admit waits until a request of about so many tokens may be sent. It fails if ctx is done, or would be done
	// before then.
	Admit(ctx context.Context, tokens int64) error
	// Settle charges the tokens that a call used beyond those admitted; later calls wait for them.
	Settle(tokens int64)
}

// rates is the RateLimiter of a client that does not share its limits.
type rates struct {
	requests, tokens *rate.Limiter // nil: no limit
}

func newRates(requestsPerMinute, tokensPerMinute int) (r rates) {
	if n := requestsPerMinute; n > 0 {
		r.requests = rate.NewLimiter(rate.Limit(float64(n)/60), max(1, n/60))
	}
	if n := tokensPerMinute; n > 0 {
		r.tokens = rate.NewLimiter(rate.Limit(float64(n)/60), n)
	}
	return r
}

// Admit waits for both limits.
func (r rates) Admit(ctx context.Context, tokens int64) error {
	if r.requests != nil {
		if err := r.requests.Wait(ctx); err != nil {
			return err
		}
	}
	if r.tokens != nil {
		return r.tokens.WaitN(ctx, r.burst(tokens))
	}
	return nil
}

// Settle charges the tokens immediately, so that later calls wait.
func (r rates) Settle(tokens int64) {
	if r.tokens != nil {
		r.tokens.ReserveN(time.Now(), r.burst(tokens))
	}
}

// burst caps tokens, so that a single large call is not refused forever.
func (r rates) burst(tokens int64) int { return int(min(tokens, int64(r.tokens.Burst()))) }
