// Package names finds models by their names, as people write them on a command line and in a configuration:
//
//	anthropic/claude-sonnet-4-5     a provider and its name for the model
//	vllm@gpu7:8000/Qwen/Qwen3-32B   a self-hosted provider at an address
//	fast                            a profile of the configuration
//	gpt-5, meta-llama/llama-3.3-70b a bare name: of the only configured provider, or of the one that has it
//
// It knows the sources of keys (the environment, a file that only its owner may read, a command) and never shows a
// key.
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

// Config is the configuration in which names are looked up.
type Config struct {
	// Profiles are the models that the configuration names.
	Profiles map[string]Profile
	// Fallback names the models that answer, in this order, if a model that is not a profile has no quota left or
	// cannot be reached.
	Fallback []string
	// BaseURL is an endpoint with OpenAI's interface. It replaces OpenAI's own, and serves all bare names.
	BaseURL string
	// APIKey is the key of that endpoint, or of OpenAI's.
	APIKey llm.Secret
	// Getenv reads the environment; nil: there is none.
	Getenv func(string) string
	// Keys are stored keys; nil: there are none.
	Keys *KeyFile

	// Settings for all models: see llm.Config. Profiles may set other rates.
	Tries                                           int
	Timeout                                         time.Duration
	Concurrency, RequestsPerMinute, TokensPerMinute int
	// Pace, if set, returns the shared limiter for the rates of a model that has any.
	Pace func(model string, requestsPerMinute, tokensPerMinute int) llm.RateLimiter
}

// String describes the configuration without its secrets.
func (c Config) String() string {
	return fmt.Sprintf("endpoint %s, profiles %v", llm.PublicURL(c.BaseURL), slices.Sorted(maps.Keys(c.Profiles)))
}

// GoString is String, because %#v must not show more than %v.
func (c Config) GoString() string { return c.String() }

// Resolver returns models by name. The same name returns the same model, so that an endpoint's limits apply to all
// its users together. It is safe for concurrent use.
type Resolver struct {
	cfg Config

	mu     sync.Mutex
	models map[string]llm.Model
}

// New returns a resolver. It looks up neither keys nor endpoints yet.
func New(cfg Config) *Resolver {
	if cfg.Getenv == nil {
		cfg.Getenv = func(string) string { return "" }
	}
	return &Resolver{cfg: cfg, models: map[string]llm.Model{}}
}

// UnconfiguredError means that there is no model to ask: no key, no endpoint, no profile.
type UnconfiguredError struct{ Name string }

func (e *UnconfiguredError) Error() string {
	return fmt.Sprintf("model %s is named, but no key or endpoint is set", e.Name)
}

// Model returns a model with its fallbacks. It asks endpoints for their lists of models only for a bare name that
// several configured providers could have.
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

// Address returns the base URL of a model that Model has returned; "" for any other. For a model with fallbacks
// it is the URL of the first model.
func (r *Resolver) Address(name string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	m := r.models[name]
	if all, ok := m.(*llm.Fallback); ok {
		m = all.Models()[0]
	}
	if c, ok := m.(*llm.Client); ok {
		return c.BaseURL()
	}
	return ""
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

// Client returns a model without its fallbacks.
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

// Target is what a name refers to.
type Target struct {
	Name     string // the name as it was written
	Profile  string // name of the profile that Name refers to, if any
	Provider llm.Provider
	Served   string // the provider's name for the model
	BaseURL  string // address; "" means the provider's own
	Key      llm.Secret
	KeyFrom  string // source of the key in words: a variable, the key file, …; "" if there is no key

	profile Profile
}

// String describes the target without its secrets.
func (t Target) String() string {
	return fmt.Sprintf("%s: %s of %s at %s, key from %q", t.Name, t.Served, t.Provider.Name, llm.PublicURL(t.BaseURL),
		t.KeyFrom)
}

// GoString is String, because %#v must not show more than %v.
func (t Target) GoString() string { return t.String() }

// Resolve determines what a name refers to, and reads the key, for which it may run a command.
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

// misspelt rejects a name whose first part resembles a provider's. A custom endpoint may have such names.
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

// ofProvider parses provider/NAME and provider@URL/NAME. If the first part is not a provider, it belongs to the
// name. So does the name of a provider without a key if all names are served by one endpoint, because gateways
// have such names.
func (r *Resolver) ofProvider(name string) (t Target, ok bool, err error) {
	first, served, ok := strings.Cut(name, "/")
	if at, url, found := strings.Cut(first, "@"); found {
		p, known := llm.ProviderNamed(at)
		if !known {
			return Target{}, false, nil
		}
		if !p.Anywhere {
			return Target{}, false, fmt.Errorf(
				"the endpoint of %s is %s: to use another one, make a profile with a key of its own", p.Title, p.BaseURL)
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
	return Target{}, false, fmt.Errorf("model %s needs a key: set %s, or store one with 'rlm keys set %s'", name,
		strings.Join(p.KeyEnv, " or "), p.Name)
}

// splitURL splits a URL from the model's name after it: after /v1 if there is one, else after the host. Without a
// scheme it is http for self-hosted servers.
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

// gateway reports whether the endpoint for bare names is a service whose model names contain their makers.
func (r *Resolver) gateway() bool {
	for _, p := range llm.Providers() {
		if p.Name != "openai" && r.cfg.BaseURL != "" && p.At(r.cfg.BaseURL) {
			return true
		}
	}
	return false
}

// openAI returns a model of OpenAI, or of the endpoint that replaces it.
func (r *Resolver) openAI(name, served string) Target {
	p, _ := llm.ProviderNamed("openai")
	t := Target{
		Name: name, Provider: p, Served: served, BaseURL: r.cfg.BaseURL, Key: r.cfg.APIKey,
		KeyFrom: "the configuration",
	}
	if r.cfg.APIKey.Empty() {
		t.Key, t.KeyFrom, _ = r.providerKey(p)
	} else if r.cfg.Getenv("OPENAI_API_KEY") != "" {
		t.KeyFrom = "OPENAI_API_KEY"
	}
	return t
}

// at returns a model of a provider, configured by the environment and the stored keys.
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

// bare finds the provider of a name that does not mention it.
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

// of returns a model of a configured provider.
func (r *Resolver) of(p llm.Provider, name string) (Target, error) {
	if p.Name == "openai" {
		return r.openAI(name, name), nil
	}
	return r.at(p, name, name)
}

// Configured returns the providers with a key, or with an address if they need no key.
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

// client creates the client of a target.
func (r *Resolver) client(t Target) (*llm.Client, error) {
	p := t.profile
	cfg := llm.Config{
		Model: t.Served, Name: t.Name, Provider: t.Provider.Name, BaseURL: t.BaseURL, APIKey: t.Key,
		APIVersion: r.first(t.Provider.VersionEnv), Facts: p.facts(), ExtraBody: p.ExtraBody, CacheTTL: p.CacheTTL,
		Headers: p.headers(),
		Tries:   r.cfg.Tries, Timeout: r.cfg.Timeout, Concurrency: r.cfg.Concurrency,
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
