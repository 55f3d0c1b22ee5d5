// Package names finds models by their names, as people write them on a command line and in a configuration:
//
//	anthropic/claude-sonnet-4-5     a provider and the name that it knows the model by
//	vllm@gpu7:8000/Qwen/Qwen3-32B   a provider that is somewhere of one's own
//	fast                            a profile of the configuration
//	gpt-5, meta-llama/llama-3.3-70b a bare name: of the one provider that is configured, or that has it
//
// It knows where keys come from (the environment, a file that only its owner may read, a command) and shows none.
package names

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gorlm/rlm/internal/kit/text"
	"github.com/gorlm/rlm/runner/llm"
)

// Config is what names are looked up in.
type Config struct {
	// Profiles are the models that the configuration names.
	Profiles map[string]Profile
	// Fallback names the models that answer, in this order, where one that is no profile has no quota left or cannot be
	// reached.
	Fallback []string
	// BaseURL is an endpoint that speaks OpenAI's interface. It takes the place of OpenAI's own, and has all bare names.
	BaseURL string
	// APIKey is the key of that endpoint, or of OpenAI's.
	APIKey llm.Secret
	// Getenv reads the environment; nil: there is none.
	Getenv func(string) string
	// Keys are stored keys; nil: there are none.
	Keys *KeyFile

	// What holds for all models: see llm.Config. Profiles may set other rates.
	Tries                                           int
	Timeout                                         time.Duration
	Concurrency, RequestsPerMinute, TokensPerMinute int
	// Pace, if set, makes what holds the rates of a model, where there are any, together with others.
	Pace func(model string, requestsPerMinute, tokensPerMinute int) llm.RateLimiter
}

// String says what there is to look names up in, without what is secret.
func (c Config) String() string {
	return fmt.Sprintf("endpoint %s, profiles %v", llm.PublicURL(c.BaseURL), slices.Sorted(maps.Keys(c.Profiles)))
}

// GoString is String: %#v must not show more than %v does.
func (c Config) GoString() string { return c.String() }

// Resolver makes models from their names. The same name gives the same model, so that an endpoint's limits hold for all
// who ask for it. It is safe for concurrent use.
type Resolver struct {
	cfg Config

	mu     sync.Mutex
	models map[string]llm.Model
}

// New makes a resolver. Nothing is looked up yet: neither keys nor endpoints.
func New(cfg Config) *Resolver {
	if cfg.Getenv == nil {
		cfg.Getenv = func(string) string { return "" }
	}
	return &Resolver{cfg: cfg, models: map[string]llm.Model{}}
}

// UnconfiguredError says that there is nobody to ask: no key, no endpoint, no profile.
type UnconfiguredError struct{ Name string }

func (e *UnconfiguredError) Error() string {
	return fmt.Sprintf("model %s is named, but no key and no endpoint", e.Name)
}

// Model finds a model with its fallbacks. It asks endpoints for their lists of models only for a bare name that several
// configured providers could have.
func (r *Resolver) Model(ctx context.Context, name string) (llm.Model, error) {
	r.mu.Lock()
	m := r.models[name]
	r.mu.Unlock()
	if m != nil {
		return m, nil
	}
	m, err := r.withFallbacks(ctx, name)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if earlier := r.models[name]; earlier != nil {
		return earlier, nil
	}
	r.models[name] = m
	return m, nil
}

func (r *Resolver) withFallbacks(ctx context.Context, name string) (llm.Model, error) {
	first, err := r.Client(ctx, name)
	if err != nil {
		return nil, err
	}
	next := r.cfg.Fallback
	if p, ok := r.cfg.Profiles[name]; ok {
		next = p.Fallback
	}
	var rest []llm.Model
	for _, other := range next {
		if other == name {
			continue
		}
		m, err := r.Client(ctx, other)
		if err != nil {
			return nil, fmt.Errorf("the fallback of %s: %w", name, err)
		}
		rest = append(rest, m)
	}
	if len(rest) == 0 {
		return first, nil
	}
	return llm.NewFallback(first, rest...), nil
}

// Client finds a model without its fallbacks.
func (r *Resolver) Client(ctx context.Context, name string) (*llm.Client, error) {
	t, err := r.Resolve(ctx, name)
	if err != nil {
		return nil, err
	}
	c, err := r.client(t)
	if err != nil {
		return nil, fmt.Errorf("model %s: %w", name, err)
	}
	return c, nil
}

// Target is where a name leads.
type Target struct {
	Name     string // as it was written
	Profile  string // if it is one
	Provider llm.Provider
	Served   string // the name that the provider knows the model by
	BaseURL  string // "" for the provider's own
	Key      llm.Secret
	KeyFrom  string // in words: a variable, the key file, …; "" if there is no key

	profile Profile
}

// String is where the name leads, without what is secret.
func (t Target) String() string {
	return fmt.Sprintf("%s: %s of %s at %s, key from %q", t.Name, t.Served, t.Provider.Name, llm.PublicURL(t.BaseURL), t.KeyFrom)
}

// GoString is String: %#v must not show more than %v does.
func (t Target) GoString() string { return t.String() }

// Resolve finds out what a name means, and reads the key. A command for a key runs here.
func (r *Resolver) Resolve(ctx context.Context, name string) (Target, error) {
	name = strings.TrimSpace(name)
	if name == "" {
		return Target{}, errors.New("no model is named")
	}
	if p, ok := r.cfg.Profiles[name]; ok {
		return r.ofProfile(ctx, name, p)
	}
	t, ok, err := r.ofProvider(name)
	if err != nil || ok {
		return t, err
	}
	if err := r.misspelt(name); err != nil {
		return Target{}, err
	}
	return r.bare(ctx, name)
}

// misspelt refuses a name whose first part is almost that of a provider. An endpoint of one's own may have such names.
func (r *Resolver) misspelt(name string) error {
	first, served, ok := strings.Cut(name, "/")
	if !ok || r.cfg.BaseURL != "" {
		return nil
	}
	var known []string
	for _, p := range llm.Providers() {
		known = append(known, p.Name)
	}
	if meant := text.Closest(first, known); meant != "" {
		return fmt.Errorf("there is no provider %s: did you mean %s/%s?", first, meant, served)
	}
	return nil
}

// ofProvider reads provider/NAME and provider@URL/NAME. A first part that names no provider belongs to the name, and so
// does one of a provider without a key where all names go to one endpoint: gateways have names like that.
func (r *Resolver) ofProvider(name string) (t Target, ok bool, err error) {
	first, served, ok := strings.Cut(name, "/")
	if at, url, found := strings.Cut(first, "@"); found {
		p, known := llm.ProviderNamed(at)
		if !known {
			return Target{}, false, nil
		}
		if !p.Anywhere {
			return Target{}, false, fmt.Errorf("%s is at %s: give another place for it in a profile, with a key of its own", p.Title, p.BaseURL)
		}
		t := Target{Name: name, Provider: p}
		if t.BaseURL, t.Served = splitURL(p, url+"/"+served); t.Served == "" {
			return Target{}, false, fmt.Errorf("%s names no model: write %s@HOST/MODEL", name, at)
		}
		t.Key, t.KeyFrom, err = r.providerKey(p)
		return t, err == nil, err
	}
	p, known := llm.ProviderNamed(first)
	if !ok || !known || served == "" {
		return Target{}, false, nil
	}
	if p.Name == "openai" {
		if r.gateway() {
			return Target{}, false, nil
		}
		return r.openAI(name, served), true, nil
	}
	t, err = r.at(p, name, served)
	switch {
	case err != nil:
		return Target{}, false, err
	case !t.Key.Empty() || p.Keyless:
		return t, true, nil
	case r.cfg.BaseURL != "":
		return Target{}, false, nil
	}
	return Target{}, false, fmt.Errorf("model %s needs a key: set %s, or store one with 'rlm keys set %s'", name, strings.Join(p.KeyEnv, " or "), p.Name)
}

// splitURL cuts a URL with a model's name behind it: after /v1 if there is one, else after the host. Without a scheme it
// is http for what one runs oneself.
func splitURL(p llm.Provider, text string) (url, served string) {
	scheme := "https://"
	if p.Keyless {
		scheme = "http://"
	}
	if s, rest, ok := strings.Cut(text, "://"); ok {
		scheme, text = s+"://", rest
	}
	if before, after, ok := strings.Cut(text, "/v1/"); ok {
		return scheme + before + "/v1", after
	}
	host, served, _ := strings.Cut(text, "/")
	return scheme + host, served
}

// gateway reports whether the endpoint that has all bare names is a service whose names have makers in them.
func (r *Resolver) gateway() bool {
	for _, p := range llm.Providers() {
		if p.Name != "openai" && r.cfg.BaseURL != "" && p.At(r.cfg.BaseURL) {
			return true
		}
	}
	return false
}

// openAI is a model of OpenAI, or of the endpoint that takes its place.
func (r *Resolver) openAI(name, served string) Target {
	p, _ := llm.ProviderNamed("openai")
	t := Target{Name: name, Provider: p, Served: served, BaseURL: r.cfg.BaseURL, Key: r.cfg.APIKey, KeyFrom: "the configuration"}
	if r.cfg.APIKey.Empty() {
		t.Key, t.KeyFrom, _ = r.providerKey(p)
	} else if r.cfg.Getenv("OPENAI_API_KEY") != "" {
		t.KeyFrom = "OPENAI_API_KEY"
	}
	return t
}

// at is a model of a provider as the environment and the stored keys have it.
func (r *Resolver) at(p llm.Provider, name, served string) (t Target, err error) {
	t = Target{Name: name, Provider: p, Served: served, BaseURL: r.first(p.URLEnv)}
	t.Key, t.KeyFrom, err = r.providerKey(p)
	return t, err
}

func (r *Resolver) first(env []string) string {
	for _, name := range env {
		if v := r.cfg.Getenv(name); v != "" {
			return v
		}
	}
	return ""
}

// bare finds who has a name that says nothing of its provider.
func (r *Resolver) bare(ctx context.Context, name string) (Target, error) {
	if r.cfg.BaseURL != "" {
		return r.openAI(name, name), nil
	}
	configured, err := r.Configured()
	if err != nil {
		return Target{}, err
	}
	if len(configured) == 0 || len(configured) == 1 && configured[0].Name == "ollama" {
		return Target{}, &UnconfiguredError{name}
	}
	for _, p := range configured {
		if len(configured) == 1 || llm.Known(name).Maker == p.Name {
			return r.of(p, name)
		}
	}
	return r.listed(ctx, name, configured)
}

// of is a model of a configured provider.
func (r *Resolver) of(p llm.Provider, name string) (Target, error) {
	if p.Name == "openai" {
		return r.openAI(name, name), nil
	}
	return r.at(p, name, name)
}

// Configured are the providers for which there is a key, or an address where none is needed.
func (r *Resolver) Configured() ([]llm.Provider, error) {
	var list []llm.Provider
	for _, p := range llm.Providers() {
		key, _, err := r.providerKey(p)
		if err != nil {
			return nil, err
		}
		openAI := p.Name == "openai" && (!r.cfg.APIKey.Empty() || r.cfg.BaseURL != "")
		if !key.Empty() || p.Keyless && r.first(p.URLEnv) != "" || openAI {
			list = append(list, p)
		}
	}
	return list, nil
}

// Profiles lists the names of the profiles.
func (r *Resolver) Profiles() []string { return slices.Sorted(maps.Keys(r.cfg.Profiles)) }

// client makes the client of a target.
func (r *Resolver) client(t Target) (*llm.Client, error) {
	p := t.profile
	cfg := llm.Config{
		Model: t.Served, Name: t.Name, Provider: t.Provider.Name, BaseURL: t.BaseURL, APIKey: t.Key,
		APIVersion: r.first(t.Provider.VersionEnv), Facts: p.facts(), ExtraBody: p.ExtraBody, CacheTTL: p.CacheTTL, Headers: p.headers(),
		Tries: r.cfg.Tries, Timeout: r.cfg.Timeout, Concurrency: r.cfg.Concurrency,
		RequestsPerMinute: r.cfg.RequestsPerMinute, TokensPerMinute: r.cfg.TokensPerMinute,
	}
	if p.APIVersion != "" {
		cfg.APIVersion = p.APIVersion
	}
	if p.RequestsPerMinute > 0 {
		cfg.RequestsPerMinute = p.RequestsPerMinute
	}
	if p.TokensPerMinute > 0 {
		cfg.TokensPerMinute = p.TokensPerMinute
	}
	if p.CallsAtOnce > 0 {
		cfg.Concurrency = p.CallsAtOnce
	}
	if r.cfg.Pace != nil && cfg.RequestsPerMinute+cfg.TokensPerMinute > 0 {
		cfg.Pace = r.cfg.Pace(t.Name, cfg.RequestsPerMinute, cfg.TokensPerMinute)
	}
	return llm.New(cfg)
}
