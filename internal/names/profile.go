package names

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/gorlm/rlm/runner/llm"
)

// Profile is a named model of the configuration.
type Profile struct {
	// Model is the model's own name: provider/NAME, or NAME with a BaseURL.
	Model string `toml:"model"`
	// BaseURL is the model's address, if it is not the provider's usual one. Such an endpoint only gets a key that
	// is named here or stored under the profile's name, never the provider's.
	BaseURL    string `toml:"base_url,omitempty"`
	APIVersion string `toml:"api_version,omitempty"` // version of the provider's interface, if it has versions

	KeyEnv     string   `toml:"key_env,omitempty"`     // the environment variable with the key
	KeyCommand []string `toml:"key_command,omitempty"` // a program with its arguments that prints the key

	// CacheTTL is how long Anthropic's models cache a prompt: 5m or 1h.
	CacheTTL string `toml:"cache_ttl,omitempty"`

	Headers   map[string]llm.Secret `toml:"headers,omitempty"`    // sent with each request; never shown
	ExtraBody map[string]any        `toml:"extra_body,omitempty"` // fields added to the body of each request

	RequestsPerMinute int `toml:"requests_per_minute,omitempty"`
	TokensPerMinute   int `toml:"tokens_per_minute,omitempty"`
	CallsAtOnce       int `toml:"calls_at_once,omitempty"`

	// Fallback names models that answer, in this order, if this one has no quota left or cannot be reached.
	Fallback []string `toml:"fallback,omitempty"`

	// Like names a well-known model with the same window, price and quirks: for deployments and self-hosted
	// servers.
	Like string `toml:"like,omitempty"`
	// Facts override what is known otherwise.
	llm.Facts
}

// Public returns the profile in a form that may be shown: without anything like a key in its address, its command
// and its body.
func (p Profile) Public() Profile {
	p.BaseURL = llm.PublicURL(p.BaseURL)
	p.KeyCommand = slices.Clone(p.KeyCommand)
	for i, arg := range p.KeyCommand {
		p.KeyCommand[i] = llm.PublicURL(arg)
	}
	if body, ok := publicValue(p.ExtraBody).(map[string]any); ok {
		p.ExtraBody = body
	}
	return p
}

// publicValue returns a configuration value without texts that look like a key.
func publicValue(v any) any {
	switch v := v.(type) {
	case string:
		return llm.PublicURL(v)
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = publicValue(e)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, e := range v {
			out[name] = publicValue(e)
		}
		return out
	}
	return v
}

// facts returns what the configuration says about the model.
func (p Profile) facts() llm.Facts {
	if p.Like == "" {
		return p.Facts
	}
	return llm.Known(p.Like).With(p.Facts)
}

func (p Profile) headers() http.Header {
	h := http.Header{}
	for name, value := range p.Headers {
		h.Set(name, value.Reveal())
	}
	return h
}

// ofProfile returns the model of a profile.
func (r *Resolver) ofProfile(ctx context.Context, name string, p Profile) (Target, error) {
	if p.Model == "" {
		return Target{}, fmt.Errorf("profile %s names no model: add model = \"provider/NAME\"", name)
	}
	if _, again := r.cfg.Profiles[p.Model]; again && p.Model != name {
		return Target{}, fmt.Errorf("profile %s refers to profile %s: name the model itself", name, p.Model)
	}
	t, err := r.profileTarget(ctx, p)
	if err != nil {
		return Target{}, fmt.Errorf("profile %s: %w", name, err)
	}
	t.Name, t.Profile, t.profile = name, name, p
	key, from, err := r.profileKey(ctx, name, p)
	switch {
	case err != nil:
		return Target{}, fmt.Errorf("profile %s: %w", name, err)
	case !key.Empty():
		t.Key, t.KeyFrom = key, from
	case p.BaseURL != "" && !t.Provider.At(p.BaseURL) && !t.Provider.Anywhere:
		t.Key, t.KeyFrom = llm.Secret{}, ""
	case t.Key.Empty() && !t.Provider.Keyless && p.BaseURL == "":
		return Target{}, fmt.Errorf(
			"profile %s needs a key: set %s, give it a key_env, or store one with 'rlm keys set %s'", name,
			strings.Join(t.Provider.KeyEnv, " or "), name)
	}
	return t, nil
}

// profileTarget returns the address of a profile's model, with its provider's key.
func (r *Resolver) profileTarget(ctx context.Context, p Profile) (t Target, err error) {
	first, served, _ := strings.Cut(p.Model, "/")
	provider, known := llm.ProviderNamed(first)
	switch {
	case known && provider.Name == "openai" && p.BaseURL == "":
		return r.openAI(p.Model, served), nil
	case known:
		t, err = r.at(provider, p.Model, served)
	case p.BaseURL != "":
		t.Provider, _ = llm.ProviderNamed("openai")
		t.Served = p.Model
	default:
		return r.Resolve(ctx, p.Model)
	}
	if p.BaseURL != "" {
		t.BaseURL = p.BaseURL
	}
	return t, err
}
