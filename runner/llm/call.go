package llm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/hashicorp/go-retryablehttp"
)

// call is one call of a model with all its tries. It stands between the protocol, which writes requests and
// understands replies, and the network: it tries again, and as the transport it makes every reply a proper
// stream.
type call struct {
	c        *Client
	ctx      context.Context
	req      Request
	reckoned int64 // tokens that the call is expected to use
	out      *pump

	speak  speech  // how this endpoint wants to be spoken to, as far as known
	tries  int     // requests sent so far
	body   *stream // of the latest reply
	wasted int64   // tokens of replies that broke off
	began  bool    // pieces of a reply have been handed out
	reason string  // why the latest request failed before its reply began

	refusal *failure // what the latest request was refused with, if it was
}

// ask makes tries until there is a complete reply, or a failure that a retry cannot fix.
func (a *call) ask() (Response, *failure) {
	for {
		resp, f := a.once()
		switch {
		case f == nil:
			resp.Attempts, resp.Usage.Wasted = a.tries, a.wasted
			return resp, nil
		case a.ctx.Err() != nil:
			return Response{}, f
		case a.c.dialect.learn(a.speak, a.req, *f):
			a.tries-- // the same try in other words
		case !a.broken() || !f.temporary() || a.tries >= a.c.cfg.Tries:
			return Response{}, f
		default:
			wait := a.backoff(a.tries - 1)
			a.retrying(a.interruption(*f), wait)
			if sleep(a.ctx, wait) != nil {
				return Response{}, f
			}
		}
	}
}

// broken says that the failure came in the middle of a reply. Failures before it were tried again already.
func (a *call) broken() bool { return a.body != nil }

// once sends the request (again and again while it fails before a reply begins) and reads the reply.
func (a *call) once() (Response, *failure) {
	a.speak, a.body, a.refusal = a.c.dialect.now(), nil, nil
	events, err := a.c.protocol.open(a)
	if err != nil {
		f := failureOf(err)
		if a.refusal != nil {
			f = *a.refusal
		}
		return Response{}, &f
	}
	defer events.Close()
	if a.body == nil {
		return Response{}, &failure{status: http.StatusBadGateway, message: "the endpoint answered with a redirection that leads nowhere"}
	}
	return a.read(events)
}

// read takes the reply from the stream. A stream that ends without saying so is a failure.
func (a *call) read(events events) (Response, *failure) {
	if a.began {
		a.out.add(Delta{Restart: true})
	}
	r := reply{from: a.c.partsFrom()}
	for {
		line, err := events.RecvRaw()
		if err == nil {
			var d Delta
			if d, err = r.take(a.c.protocol, line); d != (Delta{}) {
				a.began = true
				a.out.add(d)
			}
			if r.finish != "" {
				a.body.complete()
			}
		}
		if err != nil && (r.finish != "" || a.body.done && errors.Is(err, io.EOF)) && a.ctx.Err() == nil {
			a.out.add(r.end())
			resp := r.response(a.c, a.req)
			if f, ok := r.missing(resp); ok {
				a.wasted += resp.Usage.Prompt + resp.Usage.Completion
				return Response{}, &f
			}
			return resp, nil
		}
		if err != nil {
			a.wasted += r.spent(a.req)
			f := failureOf(a.body.explain(err))
			return Response{}, &f
		}
	}
}

// send sends a request, again where that may help.
func (a *call) send(method, url string, header http.Header, body []byte) (*http.Response, error) {
	req, err := retryablehttp.NewRequestWithContext(a.ctx, method, url, body)
	if err != nil {
		return nil, err
	}
	req.Header = header
	if a.req.NoStream {
		req.Header.Set("Accept", "application/json")
	}
	a.c.sign(req.Header)
	client := retryablehttp.Client{
		HTTPClient: &http.Client{Transport: a, CheckRedirect: sameEndpoint},
		RetryMax:   max(0, a.c.cfg.Tries-a.tries-1),
		CheckRetry: a.checkRetry,
		Backoff: func(_, _ time.Duration, n int, resp *http.Response) time.Duration {
			wait := a.wait(n, resp)
			a.retrying(a.reason, wait)
			return wait
		},
		ErrorHandler: retryablehttp.PassthroughErrorHandler,
	}
	return client.Do(req)
}

// RoundTrip sends one request within the endpoint's limits. Whatever comes back with status 200 is made a
// stream of proper events.
func (a *call) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := a.c.limit.admit(a.ctx, a.reckoned, func(wait time.Duration) { a.retrying(reasonHeld, wait) }); err != nil {
		return nil, &pacedError{err}
	}
	a.tries++
	a.refusal = nil
	silence := watched(r.Context(), a.headerTimeout())
	resp, err := a.c.roundTrip(r.WithContext(silence.ctx))
	if err != nil {
		silence.end()
		return nil, silence.explain(err)
	}
	resp.Body = silence.guard(resp.Body, a.c.cfg.Stall)
	if resp.StatusCode >= 300 {
		return resp, nil
	}
	if err := a.normalise(resp, silence); err != nil {
		return nil, err
	}
	return resp, nil
}

// roundTrip sends one request. The client's own transport needs no client before it, which would copy the headers once more.
func (c *Client) roundTrip(r *http.Request) (*http.Response, error) {
	if c.own {
		return c.http.Transport.RoundTrip(r)
	}
	return c.http.Do(r)
}

// refused is the error of a request that was answered with a status that is none of a reply.
func refused(resp *http.Response) error {
	defer resp.Body.Close()
	body, _ := io.ReadAll(io.LimitReader(resp.Body, maxErrorBody))
	return &midStreamError{errorBody(resp.StatusCode, body)}
}

// headerTimeout is how long a try waits for the endpoint to begin. One that is to send the reply in one
// piece begins when it is complete.
func (a *call) headerTimeout() time.Duration {
	if a.req.NoStream {
		return a.c.cfg.Timeout
	}
	return a.c.cfg.HeaderTimeout
}

// checkRetry decides whether a request that failed before its reply began is sent again.
func (a *call) checkRetry(ctx context.Context, resp *http.Response, err error) (bool, error) {
	if err != nil || resp == nil {
		a.reason = failedRequest(err)
		return !hopeless(err) && retryable(ctx, err), nil
	}
	if resp.StatusCode < 300 {
		return false, nil
	}
	body, readErr := io.ReadAll(io.LimitReader(resp.Body, maxErrorBody))
	resp.Body.Close()
	if readErr != nil && len(body) == 0 {
		body = []byte(`{}`)
	}
	resp.Body = io.NopCloser(bytes.NewReader(body))
	f := errorBody(resp.StatusCode, body)
	f.final = resp.Header.Get("X-Should-Retry") == "false" // OpenAI and Anthropic may know better than the status
	a.refusal = &f
	a.reason = httpReason(f.status)
	if !f.temporary() || a.c.dialect.knowsBetter(a.speak, a.req, f) {
		return false, nil
	}
	asked, _ := a.asked(resp.Header)
	if deadline, ok := ctx.Deadline(); ok && asked > time.Until(deadline) {
		f.message = fmt.Sprintf("asks to wait %v: %s", asked.Round(time.Second), f.message)
		return false, nil
	}
	return true, nil
}

// maxErrorBody bounds what is read of an error reply.
const maxErrorBody = 256 << 10
