package llm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gorlm/rlm/internal/kit/units"
)

// Config configures a Client. Everything but Model may be zero.
type Config struct {
	// Model is the endpoint's name for the model, Name the name used in logs and price tables. Default: the same.
	Model, Name string
	// Provider is one of Providers; default openai, which means any endpoint that speaks OpenAI's chat
	// completions.
	Provider string
	BaseURL  string // default: the provider's; "/v1" is added to a URL without a path
	APIKey   Secret // most local servers need none
	// APIVersion is the version of the provider's interface, if it has versions; default: the one that this
	// package was written for.
	APIVersion string
	// Facts override the known facts of the model.
	Facts Facts
	// CacheTTL is how long a marked prompt is cached: 5m or 1h; default 5m. An hour costs more to write, and pays
	// off if sub-calls take longer than five minutes between two turns.
	CacheTTL string
	// ExtraBody is added to the body of each request.
	ExtraBody map[string]any

	// Tries bounds the requests for one call, including the first; default 5.
	Tries int
	// Timeout bounds one call with all its tries; default 15 minutes.
	Timeout time.Duration
	// HeaderTimeout bounds the wait of one try until the endpoint begins to answer a streamed request; default a
	// third of Timeout, so that time for other tries remains if a request gets lost.
	HeaderTimeout time.Duration
	// Stall is how long a stream that has begun may be silent, without even a keep-alive, before it is ended;
	// default 90 seconds.
	Stall time.Duration
	// BackoffMin and BackoffMax bound the wait between two tries; defaults 500 ms and 30 s. A Retry-After of the
	// endpoint overrides both.
	BackoffMin, BackoffMax time.Duration

	// Concurrency bounds the calls in flight; default 64.
	Concurrency int
	// RequestsPerMinute and TokensPerMinute pace the calls; 0: unlimited.
	RequestsPerMinute, TokensPerMinute int
	// Pace, if set, replaces these two by limits that are shared with others.
	Pace RateLimiter

	// HTTPClient sends the requests, for example with a proxy, certificates or a RoundTripper of your own. Its
	// CheckRedirect is not used: redirects to another host are never followed. nil: a client that keeps a
	// connection for each call in flight.
	HTTPClient *http.Client
	// Headers are sent with each request and override the client's own; an Authorization overrides APIKey. Like
	// the key, their values never appear in errors.
	Headers http.Header
}

// String names the model and its endpoint; it shows neither key nor headers.
func (c Config) String() string {
	return strings.TrimSpace(fmt.Sprintf("%s %s at %s", c.Provider, c.Model, PublicURL(c.BaseURL)))
}

// GoString returns the same as String: %#v must show no more than %v.
func (c Config) GoString() string { return c.String() }

// Client is a model behind an endpoint. It is safe for concurrent use; its limits apply to all users together.
type Client struct {
	model     string
	provider  Provider
	protocol  protocol
	facts     Facts
	extra     map[string]any // body fields that the provider needs
	marked    bool           // prompts get cache marks
	baseURL   string
	version   string // of the interface, if URLs contain it
	listURL   string // the base URL of the list of models, if different
	listQuery string // of the URL of the list of models
	where     string // baseURL without secrets, for messages
	key       Secret
	cfg       Config
	hide      *redactor
	http      http.Client
	own       bool // http uses the client's own transport
	limit     *limiter
	speech    atomic.Pointer[requestStyle] // as far as known; replaced if refused
	rates     rateBook                     // relates estimates to reported usage
	readers   sync.Pool                    // of *bufio.Reader, for replies
}

var _ Model = (*Client)(nil)

// New makes a client. It checks the configuration but does not connect.
func New(cfg Config) (*Client, error) {
	if strings.TrimSpace(cfg.Model) == "" {
		return nil, errors.New("no model is named")
	}
	provider, ok := ProviderNamed(cmp.Or(cfg.Provider, "openai"))
	if !ok {
		return nil, fmt.Errorf("there is no provider %q", cfg.Provider)
	}
	base, err := parseBaseURL(provider, cfg.BaseURL)
	if err != nil {
		return nil, err
	}
	if err := checkExtra(cfg.ExtraBody); err != nil {
		return nil, err
	}
	if cfg.CacheTTL != "" && cfg.CacheTTL != "5m" && cfg.CacheTTL != "1h" {
		return nil, fmt.Errorf("prompts can be cached for 5m or 1h, not %q", cfg.CacheTTL)
	}
	key := strings.TrimSpace(cfg.APIKey.Reveal())
	if strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return nil, errors.New("the API key contains invalid characters (a line break, or a typographic quote?)")
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
	cfg.Model = strings.TrimSpace(cfg.Model)
	cfg.Name = cmp.Or(strings.TrimSpace(cfg.Name), cfg.Model)
	c := &Client{
		model: cfg.Model, provider: provider, protocol: provider.protocol, facts: Known(cfg.Model).With(cfg.Facts),
		baseURL: base, key: NewSecret(key), cfg: cfg,
		hide:  newRedactor(append(secrets, key)...),
		own:   cfg.HTTPClient == nil,
		limit: newLimiter(cfg),
	}
	c.where = c.hide.text(where)
	if c.own {
		c.http.Transport = transport(cfg.Concurrency)
	} else {
		c.http = *cfg.HTTPClient
	}
	// sameEndpoint follows redirects instead.
	c.http.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	if c.protocol == nil {
		c.protocol = chatCompletions{}
	}
	speak := &requestStyle{maxTokens: "max_tokens"}
	c.speech.Store(speak)
	if !provider.At(c.baseURL) && cfg.Facts.Missing == nil { // at another endpoint the name proves little: try it
		c.facts.Missing = slices.DeleteFunc(
			slices.Clone(c.facts.Missing), func(what string) bool { return what == lacksTemperature })
	}
	if provider.prepare != nil {
		provider.prepare(c)
	}
	speak.maxTokens = cmp.Or(cfg.Facts.TokenLimit, speak.maxTokens)
	if c.facts.lacks(lacksSchema) {
		speak.format = formatPrompt
	}
	return c, nil
}

func setDefault[T int | time.Duration](field *T, value T) {
	*field = cmp.Or(max(*field, 0), value)
}

// transport keeps a connection for each call in flight; Go's default of two per host would open a new one for
// nearly every sub-call.
func transport(concurrency int) http.RoundTripper {
	return throughProxies(&http.Transport{
		DialContext:         (&net.Dialer{Timeout: 20 * time.Second}).DialContext,
		ForceAttemptHTTP2:   true,
		MaxIdleConns:        concurrency,
		MaxIdleConnsPerHost: concurrency,
		IdleConnTimeout:     time.Minute,
		TLSHandshakeTimeout: 20 * time.Second,
	})
}

// parseBaseURL checks a base URL and adds the parts that people leave out.
func parseBaseURL(p Provider, raw string) (string, error) {
	raw = strings.TrimRight(strings.TrimSpace(raw), "/")
	raw = cmp.Or(strings.TrimSuffix(raw, "/chat/completions"), p.BaseURL)
	if raw == "" {
		return "", fmt.Errorf("no base URL is set for %s", p.Title)
	}
	if p.base != nil {
		raw = p.base(raw)
	}
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

// checkExtra refuses body fields that would change what the request asks.
func checkExtra(fields map[string]any) error {
	for _, name := range []string{"model", "messages", "system", "stream"} {
		if _, ok := fields[name]; ok {
			return fmt.Errorf("the extra body of requests must not contain %q", name)
		}
	}
	return nil
}

// Name is the model's name.
func (c *Client) Name() string { return c.cfg.Name }

// Facts returns the known facts of the model.
func (c *Client) Facts() Facts { return c.facts }

// Provider is the provider of the model.
func (c *Client) Provider() Provider { return c.provider }

// Served is the name under which the endpoint serves the model.
func (c *Client) Served() string { return c.model }

// BaseURL is the endpoint without secrets: see PublicURL.
func (c *Client) BaseURL() string { return c.where }

// Local reports whether the endpoint is on this machine, like Ollama.
func (c *Client) Local() bool {
	where, err := url.Parse(c.baseURL)
	return err == nil && (where.Hostname() == "localhost" || net.ParseIP(where.Hostname()).IsLoopback())
}

// String names the model and its endpoint; it never shows the key.
func (c *Client) String() string { return fmt.Sprintf("%s at %s", c.cfg.Name, c.where) }

// GoString returns the same as String: %#v must show no more than %v.
func (c *Client) GoString() string { return c.String() }

// Close closes the idle connections. Calls in flight continue, and the client stays usable.
func (c *Client) Close() {
	if c.own {
		c.http.CloseIdleConnections()
	}
}

// partsFrom identifies this model in the parts of its replies. Only this model accepts the parts that it signed.
func (c *Client) partsFrom() string { return c.provider.Name + "/" + c.model }

// sign adds the key and the configured headers to a request's headers.
func (c *Client) sign(h http.Header) {
	h.Set("User-Agent", "rlm (+https://github.com/gorlm/rlm)")
	if !c.key.Empty() {
		put := c.provider.sign
		if put == nil {
			put = bearerKey
		}
		put(h, c.key.Reveal())
	}
	for name, values := range c.cfg.Headers {
		h[http.CanonicalHeaderKey(name)] = values
	}
}

// refuses reports settings that the model is known not to accept: the endpoint would refuse them, or silently
// ignore them.
func (c *Client) refuses(req Request) error {
	if req.Temperature != nil && c.facts.lacks(lacksTemperature) {
		return &Error{
			Kind:    ErrBadRequest,
			Message: fmt.Sprintf("model %s does not accept a temperature: leave it out", c.cfg.Name),
		}
	}
	if req.ReasoningEffort != "" && c.facts.lacks(lacksEffort) {
		return &Error{
			Kind:    ErrBadRequest,
			Message: fmt.Sprintf("model %s does not accept a reasoning effort: leave it out", c.cfg.Name),
		}
	}
	return nil
}

// Generate calls the endpoint. Failures that may pass (408, 409, 429, 5xx, a broken connection, a stream that ends
// before the reply is complete) are retried until Tries are used up or Timeout is over; all others are returned
// immediately.
func (c *Client) Generate(ctx context.Context, req Request, on func(Delta)) (resp Response, err error) {
	if err := c.refuses(req); err != nil {
		return Response{}, err
	}
	start := time.Now()
	if err := c.limit.enter(ctx); err != nil {
		return Response{}, cancelled(err)
	}
	defer c.limit.leave()
	within, cancel := context.WithTimeout(ctx, c.cfg.Timeout)
	defer cancel()

	out := newPump(on)
	defer func() {
		if unread := out.close(); unread != nil && err == nil {
			err = unread
		}
	}()
	a := &call{c: c, ctx: within, req: req, reckoned: req.tokens() + int64(req.MaxTokens), out: out}
	resp, f := a.ask()
	if f == nil {
		resp.Duration = time.Since(start)
		c.limit.settle(a.reckoned, resp.Usage.Prompt+resp.Usage.Completion)
		return resp, nil
	}
	return Response{}, a.failed(ctx, *f)
}

// failed returns the error of a call, with its usage.
func (a *call) failed(ctx context.Context, f failure) *Error {
	var e *Error
	if err := ctx.Err(); err != nil {
		e = cancelled(err)
	} else if a.ctx.Err() != nil {
		e = &Error{
			Kind: ErrUnavailable, Err: context.DeadlineExceeded,
			Message: fmt.Sprintf("the model endpoint %s gave no complete reply within %v (%s)", a.c.where,
				a.c.cfg.Timeout, units.About(int64(a.tries), "try")),
		}
	} else {
		f.request = a.request
		e = a.c.failed(f, a.tries)
	}
	e.Waste = a.wasted
	e.Attempts = a.tries
	return e
}
