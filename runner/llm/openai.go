package llm

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// DefaultBaseURL is OpenAI's own endpoint.
const DefaultBaseURL = "https://api.openai.com/v1"

// Config says which model answers, and where. The zero value of everything but Model is usable.
type Config struct {
	Model   string
	BaseURL string // default DefaultBaseURL; "/v1" is added to a URL without a path
	APIKey  Secret // none for most local servers

	// Tries bounds the requests made for one call, the first included; default 5.
	Tries int
	// Timeout bounds one call with all its tries; default 15 minutes.
	Timeout time.Duration
	// HeaderTimeout bounds the wait of one try until the endpoint begins to answer a request for a stream;
	// default a third of Timeout, so that a request that got lost leaves time for others.
	HeaderTimeout time.Duration
	// Stall ends a stream that has begun and then sends nothing, not even a keep-alive; default 90 seconds.
	Stall time.Duration
	// BackoffMin and BackoffMax bound the wait between two tries; defaults 500 ms and 30 s. What the endpoint
	// asks for with Retry-After goes before both.
	BackoffMin, BackoffMax time.Duration

	// Concurrency bounds the calls in flight; default 64.
	Concurrency int
	// RequestsPerMinute and TokensPerMinute pace the calls; 0: unlimited.
	RequestsPerMinute, TokensPerMinute int

	// HTTPClient sends the requests: with a proxy, certificates or a RoundTripper of one's own. Its
	// CheckRedirect is not used: redirections to another host are never followed. nil: a client that keeps
	// a connection for each call in flight.
	HTTPClient *http.Client
	// Headers are sent with each request, over the client's own; an Authorization goes before APIKey. Their
	// values are kept out of errors like the key.
	Headers http.Header
}

// Client is a model behind an OpenAI-compatible endpoint. It is safe for concurrent use; its limits hold
// for all users together.
type Client struct {
	model   string
	baseURL string
	where   string // baseURL fit for messages
	key     Secret
	cfg     Config
	hide    *redactor
	http    http.Client
	own     bool // the transport of http is the client's own
	limit   *limiter
	dialect dialect
}

var _ Model = (*Client)(nil)

// New makes a client. It checks the configuration but does not connect.
func New(cfg Config) (*Client, error) {
	if strings.TrimSpace(cfg.Model) == "" {
		return nil, errors.New("no model is named")
	}
	base, err := parseBaseURL(cfg.BaseURL)
	if err != nil {
		return nil, err
	}
	key := strings.TrimSpace(cfg.APIKey.Reveal())
	if strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return nil, errors.New("the API key holds characters that a key cannot have (a line break, or a quote of another alphabet?)")
	}
	setDefault(&cfg.Tries, 5)
	setDefault(&cfg.Timeout, 15*time.Minute)
	setDefault(&cfg.HeaderTimeout, cfg.Timeout/3)
	setDefault(&cfg.Stall, 90*time.Second)
	setDefault(&cfg.BackoffMin, 500*time.Millisecond)
	setDefault(&cfg.BackoffMax, 30*time.Second)
	setDefault(&cfg.Concurrency, 64)
	where, secrets := splitSecrets(base)
	cfg.Headers = cfg.Headers.Clone()
	for _, values := range cfg.Headers {
		for _, v := range values {
			if len(v) >= shortestFolded {
				secrets = append(secrets, v)
			}
		}
	}
	c := &Client{
		model: strings.TrimSpace(cfg.Model), baseURL: base, key: NewSecret(key), cfg: cfg,
		hide:  newRedactor(append(secrets, key)...),
		own:   cfg.HTTPClient == nil,
		limit: newLimiter(cfg.Concurrency, cfg.RequestsPerMinute, cfg.TokensPerMinute),
	}
	c.where = c.hide.text(where)
	if c.own {
		c.http.Transport = transport(cfg.Concurrency)
	} else {
		c.http = *cfg.HTTPClient
	}
	c.http.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse } // sameEndpoint decides
	c.dialect.current.maxTokens = "max_tokens"
	if strings.HasPrefix(base, "https://api.openai.com/") {
		c.dialect.current.maxTokens = "max_completion_tokens"
	}
	return c, nil
}

func setDefault[T int | time.Duration](field *T, value T) {
	if *field <= 0 {
		*field = value
	}
}

// transport keeps a connection for each call in flight; Go's default of two a host would open a new one for
// nearly every sub-call.
func transport(concurrency int) *http.Transport {
	return &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           (&net.Dialer{Timeout: 20 * time.Second, KeepAlive: 15 * time.Second}).DialContext,
		ForceAttemptHTTP2:     true,
		MaxIdleConns:          concurrency,
		MaxIdleConnsPerHost:   concurrency,
		IdleConnTimeout:       60 * time.Second,
		TLSHandshakeTimeout:   20 * time.Second,
		ExpectContinueTimeout: time.Second,
	}
}

// parseBaseURL checks a base URL and completes it as people mean it.
func parseBaseURL(raw string) (string, error) {
	raw = strings.TrimRight(strings.TrimSpace(raw), "/")
	if raw == "" {
		raw = DefaultBaseURL
	}
	raw = strings.TrimSuffix(raw, "/chat/completions")
	u, err := url.Parse(raw)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return "", errors.New("the base URL must look like https://host/v1")
	}
	if u.RawQuery != "" || u.Fragment != "" {
		return "", errors.New("the base URL must not have a query (?…) or fragment (#…)")
	}
	if u.Path == "" {
		u.Path = "/v1"
	}
	return u.String(), nil
}

// Name is the model's name.
func (c *Client) Name() string { return c.model }

// BaseURL is the endpoint as it may be shown and recorded: see PublicURL.
func (c *Client) BaseURL() string { return c.where }

// Local reports whether the endpoint is on this machine, as Ollama is.
func (c *Client) Local() bool {
	where, err := url.Parse(c.baseURL)
	if err != nil {
		return false
	}
	ip := net.ParseIP(where.Hostname())
	return where.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
}

// String names the model and its endpoint; it never shows the key.
func (c *Client) String() string { return fmt.Sprintf("%s at %s", c.model, c.where) }

// GoString is String: %#v must not show more than %v does.
func (c *Client) GoString() string { return c.String() }

// Close drops the idle connections. Calls in flight are not touched, and the client stays usable.
func (c *Client) Close() {
	if c.own {
		c.http.CloseIdleConnections()
	}
}

// sign puts the key and the configured headers into a request's.
func (c *Client) sign(h http.Header) {
	if !c.key.Empty() {
		h.Set("Authorization", "Bearer "+c.key.Reveal())
	}
	for name, values := range c.cfg.Headers {
		h[http.CanonicalHeaderKey(name)] = values
	}
}

// Generate asks the endpoint. Failures that may pass (408, 409, 429, 5xx, a broken connection, a stream
// that ends before the reply is complete) are tried again until Tries are made or Timeout is over; all
// others are returned at once.
func (c *Client) Generate(ctx context.Context, req Request, on func(Delta)) (Response, error) {
	start := time.Now()
	if err := c.limit.enter(ctx); err != nil {
		return Response{}, cancelled(err)
	}
	defer c.limit.leave()
	within, cancel := context.WithTimeout(ctx, c.cfg.Timeout)
	defer cancel()

	out := newPump(on)
	defer out.close()
	a := &call{c: c, ctx: within, req: req, reckoned: EstimateMessages(req.Messages) + int64(req.MaxTokens), out: out}
	resp, f := a.ask()
	switch {
	case f == nil:
		resp.Duration = time.Since(start)
		c.limit.settle(a.reckoned, resp.Usage.Prompt+resp.Usage.Completion)
		return resp, nil
	case ctx.Err() != nil:
		return Response{}, cancelled(ctx.Err())
	case within.Err() != nil:
		return Response{}, &Error{
			Kind: ErrUnavailable, Err: context.DeadlineExceeded,
			Message: fmt.Sprintf("the model endpoint %s gave no complete reply within %v (%s)", c.where, c.cfg.Timeout, tried(a.tries)),
		}
	default:
		return Response{}, c.failed(*f, a.tries)
	}
}

// tried is a number of tries in words.
func tried(n int) string {
	if n <= 1 {
		return "1 try"
	}
	return fmt.Sprintf("%d tries", n)
}
