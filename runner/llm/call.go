package llm

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptrace"
	"sync/atomic"
	"time"

	"github.com/hashicorp/go-retryablehttp"
)

// call is one call of a model with all its tries. It sits between the protocol, which writes requests and decodes
// replies, and the network: it retries, and as the transport it turns every reply into a proper stream.
type call struct {
	c        *Client
	ctx      context.Context
	req      Request
	reckoned int64 // estimated tokens of the call
	out      *pump

	speak    *requestStyle // how to write requests to the endpoint, as far as known
	tries    int           // requests sent so far
	body     *stream       // body of the latest reply
	wasted   Waste         // usage of failed tries that is not reported yet
	reported int64         // tokens of failed tries that are reported already
	began    bool          // the reader has pieces of a reply
	reason   string        // why the latest request failed before a reply

	refusal *failure // the endpoint's refusal of the latest request, if any
	unsaid  bool     // the refusal's status is not the endpoint's
	cost    *float64 // from a gateway's header of the latest reply
	request string   // the endpoint's id of the latest request; "" if none
}

// ask retries until there is a complete reply, or a failure that a retry cannot fix.
func (a *call) ask() (Response, *failure) {
	for {
		resp, f := a.once()
		if f == nil {
			resp.Attempts = a.tries
			resp.Waste = a.wasted
			resp.Usage.Wasted = a.reported + resp.Waste.tokens()
			return resp, nil
		}
		if a.ctx.Err() != nil {
			return Response{}, f
		}
		if better := reworded(*a.speak, a.req, *f); better != *a.speak {
			a.c.speech.CompareAndSwap(a.speak, &better)
			a.tries-- // the reworded request counts as the same try
			continue
		}
		// Without a body, send has retried already.
		if a.body == nil || !f.temporary() || a.tries >= f.most(a.c.cfg.Tries) {
			return Response{}, f
		}
		wait := cmp.Or(f.wait, a.backoff(a.tries-1))
		if deadline, ok := a.ctx.Deadline(); ok && time.Now().Add(f.wait).After(deadline) {
			return Response{}, f
		}
		a.c.limit.hold(f.wait)
		a.retrying(a.interruption(*f), wait)
		if sleep(a.ctx, wait) != nil {
			return Response{}, f
		}
	}
}

// once sends the request, repeating it while it fails before a reply begins, and reads the reply.
func (a *call) once() (Response, *failure) {
	a.speak, a.body, a.refusal = a.c.speech.Load(), nil, nil
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
		const nowhere = "the endpoint answered with a redirect without a target"
		return Response{}, &failure{status: http.StatusBadGateway, message: nowhere}
	}
	return a.read(events)
}

// read reads the reply from the stream. A stream that stops without an end marker is a failure.
func (a *call) read(events events) (Response, *failure) {
	if a.began {
		a.out.add(Delta{Restart: true})
	}
	r := reply{from: a.c.partsFrom(), cost: a.cost}
	for {
		d, err := events.next(&r)
		if err != nil {
			return a.ended(&r, events, err)
		}
		if r.keep(d); r.text.text.Len()+r.thoughts.text.Len() > mostReply {
			return a.ended(&r, events, tooLong())
		}
		if d != (Delta{}) {
			a.began = true
			a.out.add(d)
		}
		if r.finish != "" {
			a.body.complete()
		}
	}
}

// ended returns the reply of a stream that ended with err, which is io.EOF at the end.
func (a *call) ended(r *reply, events events, err error) (Response, *failure) {
	whole := errors.Is(err, io.EOF)
	if a.ctx.Err() != nil || r.finish == "" && !(a.body.done && whole) || !whole && errors.As(err, new(failure)) {
		f := failureOf(a.body.explain(err))
		if f.err == nil && a.ctx.Err() == nil {
			a.drainUsage(r, events)
		}
		r.keep(Delta{Content: r.think.pending})
		if r.usage != nil || r.text.n > 0 || r.thoughts.n > 0 || a.ctx.Err() != nil || a.body.silence.fired.Load() {
			a.wasted.add(r.used(a.c, a.req))
		}
		return Response{}, &f
	}
	a.out.add(r.end(a.req))
	resp := r.response(a.c, a.req)
	if f, ok := r.missing(resp); ok {
		a.wasted.add(resp.Usage, resp.Cost)
		return Response{}, &f
	}
	a.c.rates.learn(a.req.tokens(), EstimateTokens(resp.Content)+EstimateTokens(resp.Reasoning), resp)
	return resp, nil
}

// drainUsage reads past an error in a stream: the usage often follows it.
func (a *call) drainUsage(r *reply, events events) {
	a.body.complete()
	for range 8 {
		if _, err := events.next(r); err != nil && !errors.As(err, new(failure)) {
			return
		}
	}
}

// send sends a request, with retries if they may help.
func (a *call) send(method, url string, header http.Header, body []byte) (*http.Response, error) {
	req, err := retryablehttp.NewRequestWithContext(a.ctx, method, url, body)
	if err != nil {
		return nil, err
	}
	req.Header = header
	if a.whole() {
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

// RoundTrip sends one request within the endpoint's limits. Any response with a 2xx status becomes a stream of
// proper events.
func (a *call) RoundTrip(r *http.Request) (*http.Response, error) {
	held := func(wait time.Duration) { a.retrying(reasonHeld, wait) }
	if err := a.c.limit.admit(a.ctx, a.reckoned, held); err != nil {
		return nil, failure{
			message: "the limit of requests or tokens per minute does not allow the call in time",
			err:     err,
		}
	}
	a.tries++
	a.refusal, a.request, a.unsaid = nil, "", false
	silence := watched(r.Context(), a.headerTimeout())
	var sent atomic.Bool
	wrote := func(w httptrace.WroteRequestInfo) { sent.Store(w.Err == nil) }
	traced := httptrace.WithClientTrace(silence.ctx, &httptrace.ClientTrace{WroteRequest: wrote})
	resp, err := a.c.roundTrip(r.WithContext(traced))
	if err != nil {
		if sent.Load() && silence.ctx.Err() != nil { // the try was given up, but the endpoint will charge for it
			a.wasted.add(a.c.rates.estimate(a.req.tokens(), 0), nil)
		}
		silence.end()
		return nil, silence.explain(err)
	}
	a.request, a.cost = requestID(resp.Header), headerCost(resp.Header)
	resp.Body = silence.guard(resp.Body, a.c.cfg.Stall)
	if resp.StatusCode/100 != 2 {
		return resp, nil
	}
	if err := a.normalise(resp, silence); err != nil {
		return nil, err
	}
	return resp, nil
}

// roundTrip sends one request. The client's own transport is called directly: an http.Client would copy the
// headers again.
func (c *Client) roundTrip(r *http.Request) (*http.Response, error) {
	if c.own {
		return c.http.Transport.RoundTrip(r)
	}
	return c.http.Do(r)
}

// requestID returns the id that an endpoint gave a request, which people can quote to the endpoint's support; "" if
// there is none, or only a long one.
func requestID(h http.Header) string {
	id := cmp.Or(h.Get("X-Request-Id"), h.Get("Request-Id"), h.Get("Apim-Request-Id"))
	if len(id) > 100 {
		return ""
	}
	return id
}

// whole reports whether the reply should arrive in one piece.
func (a *call) whole() bool { return a.req.NoStream || a.speak.noStream }

// headerTimeout is how long a try waits for the response to begin. A reply in one piece begins when it is
// complete.
func (a *call) headerTimeout() time.Duration {
	if a.whole() {
		return a.c.cfg.Timeout
	}
	return a.c.cfg.HeaderTimeout
}

// maxErrorBody bounds the bytes read of an error response.
const maxErrorBody = 256 << 10
