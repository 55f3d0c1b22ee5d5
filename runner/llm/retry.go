package llm

import (
	"context"
	"errors"
	"math/rand/v2"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/hashicorp/go-retryablehttp"
)

// backoff is the wait after the n-th failed try (from 0): doubled each time, of which a random part of up to a half is taken away.
func (a *call) backoff(n int) time.Duration {
	d := a.c.cfg.BackoffMax
	if n < 20 {
		d = min(d, a.c.cfg.BackoffMin<<n)
	}
	return d - rand.N(d/2+1)
}

// wait is backoff, unless the endpoint said when to come back; then all calls of this model wait for that.
func (a *call) wait(n int, resp *http.Response) time.Duration {
	if resp == nil {
		return a.backoff(n)
	}
	asked, ok := retryAfter(resp.Header)
	switch {
	case !ok && resp.StatusCode == http.StatusTooManyRequests:
		return a.backoff(n + 2) // rates are counted by the minute: four times as patient
	case !ok:
		return a.backoff(n)
	}
	a.c.limit.hold(asked)
	return asked
}

// retryAfter reads how long an endpoint asks to wait: Retry-After in seconds or as a date, or OpenAI's retry-after-ms.
func retryAfter(h http.Header) (time.Duration, bool) {
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil && ms >= 0 {
		return time.Duration(ms * float64(time.Millisecond)), true
	}
	value := h.Get("Retry-After")
	if seconds, err := strconv.ParseFloat(value, 64); err == nil && seconds >= 0 && seconds < 1e9 {
		return time.Duration(seconds * float64(time.Second)), true
	}
	if date, err := http.ParseTime(value); err == nil {
		return max(0, time.Until(date)), true
	}
	return 0, false
}

// retryable leaves the sorting of network errors (bad schemes, untrusted certificates, endless redirects) to the library.
func retryable(ctx context.Context, err error) bool {
	again, _ := retryablehttp.DefaultRetryPolicy(ctx, nil, err)
	return again
}

// hopeless reports what another try will not change: a name that does not exist, or no room within the limits.
func hopeless(err error) bool {
	var (
		dns   *net.DNSError
		paced *pacedError
	)
	return errors.As(err, &dns) && dns.IsNotFound || errors.As(err, &paced)
}

// pacedError is a request that its own rate limit held back for longer than the call may last.
type pacedError struct{ err error }

func (e *pacedError) Error() string {
	return "the limit of requests or tokens per minute leaves no room for it in time"
}
func (e *pacedError) Unwrap() error { return e.err }
