package llm

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"time"

	"github.com/hashicorp/go-retryablehttp"
)

// checkRetry decides whether to retry a request that failed before its reply began.
func (a *call) checkRetry(ctx context.Context, resp *http.Response, err error) (bool, error) {
	if err != nil || resp == nil {
		a.reason = failedRequest(err)
		return !hopeless(err) && retryable(ctx, err), nil
	}
	if a.body != nil {
		return false, nil
	}
	body, _ := io.ReadAll(io.LimitReader(resp.Body, maxErrorBody)) // if the body breaks off, use what arrived
	resp.Body.Close()
	resp.Body = io.NopCloser(bytes.NewReader(body))
	f := errorBody(resp.StatusCode, body)
	f.unsaid = a.unsaid
	f.final = resp.Header.Get("X-Should-Retry") == "false" // OpenAI and Anthropic may know more than the status shows
	if wait, ok := retryAfter(resp.Header); ok {
		f.wait, f.atOnce = wait, wait == 0
	} else if f.wait == 0 {
		f.wait = headerWait(resp.Header)
		// Some endpoints send only the reset time.
		if resp.StatusCode == http.StatusTooManyRequests && resp.Header.Get("X-Ratelimit-Remaining") == "" {
			f.wait = cmp.Or(f.wait, resetIn(resp.Header.Get("X-Ratelimit-Reset")))
		}
	}
	a.refusal = &f
	a.reason = httpReason(f.status)
	if !f.temporary() || reworded(*a.speak, a.req, f) != *a.speak {
		return false, nil
	}
	if deadline, ok := ctx.Deadline(); ok && time.Now().Add(f.wait).After(deadline) {
		f.message = fmt.Sprintf("asks to wait %v: %s", f.wait.Round(time.Second), f.message)
		return false, nil
	}
	return true, nil
}

// backoff is the wait after the n-th failed try, counted from 0. It doubles each time, minus a random part of up to
// half.
func (a *call) backoff(n int) time.Duration {
	d := min(a.c.cfg.BackoffMax, a.c.cfg.BackoffMin<<min(n, 20)) // the shift is capped beyond any BackoffMax
	return d - rand.N(d/2+1)
}

// wait is the backoff, unless the endpoint asked for a wait; then all calls of this model wait for that long.
func (a *call) wait(n int, resp *http.Response) time.Duration {
	if resp == nil {
		return a.backoff(n)
	}
	if f := a.refusal; f != nil && (f.wait > 0 || f.atOnce) {
		a.c.limit.hold(f.wait)
		return f.wait
	}
	if resp.StatusCode == http.StatusTooManyRequests {
		n += 2 // rate limits are per minute: wait four times as long
	}
	return a.backoff(n)
}

// retryable uses the library's classification of network errors (bad schemes, untrusted certificates, endless
// redirects).
func retryable(ctx context.Context, err error) bool {
	again, _ := retryablehttp.DefaultRetryPolicy(ctx, nil, err)
	return again
}

// hopeless reports whether a retry cannot help: the host does not exist, a proxy demands credentials, or the
// failure is already classified.
func hopeless(err error) bool {
	dns, ok := errors.AsType[*net.DNSError](err)
	proxy, through := errors.AsType[*proxyError](err)
	return ok && dns.IsNotFound || errors.As(err, new(failure)) || through && proxy.refuses()
}
