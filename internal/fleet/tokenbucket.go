package fleet

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/gorlm/rlm/internal/fleet/internal/jet"
)

// tokenBucket records how much all nodes have taken from the rates of a model, as the time until which the rates
// are used up. All nodes use the server's clock, because their own clocks may differ.
type tokenBucket struct {
	queue *Queue
	model string
	key   string

	mu    sync.Mutex
	ahead time.Duration // how far the server's clock is ahead of this one
	read  time.Time     // when the server's clock was last read
}

// bucketLevel holds the times until which the rates are used up.
type bucketLevel struct {
	Requests time.Time `json:"requests"`
	Tokens   time.Time `json:"tokens"`
}

const (
	clockReadEvery = time.Minute
	// mostAhead bounds how long nodes wait because of a level that a server with a wrong clock has stored.
	mostAhead = time.Hour
)

func newTokenBucket(q *Queue, model string) *tokenBucket {
	sum := sha256.Sum256([]byte(model)) // a name may contain characters that a key may not
	return &tokenBucket{queue: q, model: model, key: hex.EncodeToString(sum[:12])}
}

// change takes seconds from the rates, or returns them if they are negative. It returns how long to wait until the
// seconds taken may be used. Up to burst unused seconds accumulate.
func (t *tokenBucket) change(ctx context.Context, by, burst amounts) (wait time.Duration, err error) {
	err = jet.Revise(ctx, t.queue.conn, t.queue.rates, t.key, func(l *bucketLevel) error {
		now, err := t.now(ctx)
		if err != nil {
			return err
		}
		wait = max(fill(&l.Requests, by.requests, burst.requests, now), fill(&l.Tokens, by.tokens, burst.tokens, now))
		return nil
	})
	return wait, err
}

// fill advances a level by a number of seconds and returns how long to wait until then.
func fill(level *time.Time, by, burst float64, now time.Time) time.Duration {
	switch {
	case by == 0:
		return 0
	case by < 0:
		*level = level.Add(seconds(by))
		return 0
	case level.After(now.Add(mostAhead)):
		*level = now
	}
	if from := now.Add(-seconds(burst)); level.Before(from) {
		*level = from
	}
	*level = level.Add(seconds(by))
	return max(0, level.Sub(now))
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// now returns the server's time.
func (t *tokenBucket) now(ctx context.Context) (time.Time, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if time.Since(t.read) > clockReadEvery {
		info, err := jet.Ask(ctx, t.queue.conn, func(ctx context.Context) (*jetstream.StreamInfo, error) {
			s, err := t.queue.conn.JS.Stream(ctx, "KV_"+ratesBucket)
			if err != nil {
				return nil, err
			}
			return s.CachedInfo(), nil
		})
		if err != nil {
			return time.Time{}, err
		}
		t.read = time.Now()
		t.ahead = info.TimeStamp.Sub(t.read) // too low by the answer's delay, so nobody starts early
	}
	return time.Now().Add(t.ahead), nil
}
