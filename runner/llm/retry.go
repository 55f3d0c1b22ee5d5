package llm

import (
	"context"
	"errors"
	"math/rand/v2"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/hashicorp/go-retryablehttp"
)

// backoff is the wait after the n-th failed try (from 0): doubled each time, of which a random part of up
// to a half is taken away.
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
	asked, ok := a.asked(resp.Header)
	switch {
	case !ok && resp.StatusCode == http.StatusTooManyRequests:
		return a.backoff(n + 2) // rates are counted by the minute: four times as patient
	case !ok:
		return a.backoff(n)
	}
	a.c.limit.hold(asked)
	return asked
}

// asked is how long the endpoint asks to wait, in the header or in the body of its refusal.
func (a *call) asked(h http.Header) (time.Duration, bool) {
	if wait, ok := retryAfter(h); ok {
		return wait, true
	}
	if a.refusal != nil && a.refusal.wait > 0 {
		return a.refusal.wait, true
	}
	return 0, false
}

// longestWait is the most that is understood of what an endpoint asks for; it is longer than any call lasts.
const longestWait = 24 * time.Hour

// retryAfter reads how long an endpoint asks to wait: Retry-After in seconds or as a date, or OpenAI's
// retry-after-ms.
func retryAfter(h http.Header) (time.Duration, bool) {
	if wait, ok := waitOf(h.Get("Retry-After-Ms"), time.Millisecond); ok {
		return wait, true
	}
	value := h.Get("Retry-After")
	if wait, ok := waitOf(value, time.Second); ok {
		return wait, true
	}
	if date, err := http.ParseTime(value); err == nil {
		return min(max(0, time.Until(date)), longestWait), true
	}
	return 0, false
}

// waitOf reads a number of units. One that is too large for anything is the longest wait, never none.
func waitOf(value string, unit time.Duration) (time.Duration, bool) {
	n, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) || !(n >= 0) { // what is no number is not at least 0
		return 0, false
	}
	if n >= float64(longestWait/unit) {
		return longestWait, true
	}
	return time.Duration(n * float64(unit)), true
}

// retryable leaves the sorting of network errors (bad schemes, untrusted certificates, endless redirects)
// to the library.
func retryable(ctx context.Context, err error) bool {
	again, _ := retryablehttp.DefaultRetryPolicy(ctx, nil, err)
	return again
}

// hopeless reports whether a retry cannot help: a name does not exist, or there is no room within the
// limits.
func hopeless(err error) bool {
	var (
		dns       *net.DNSError
		paced     *pacedError
		elsewhere *elsewhereError
		mid       *midStreamError
	)
	return errors.As(err, &dns) && dns.IsNotFound || errors.As(err, &paced) || errors.As(err, &elsewhere) || errors.As(err, &mid)
}

// pacedError is a request that its own rate limit held back for longer than the call may last.
type pacedError struct{ err error }

func (e *pacedError) Error() string {
	return "the limit of requests or tokens per minute leaves no room for it in time"
}
func (e *pacedError) Unwrap() error { return e.err }
