package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gorlm/rlm/internal/front/terminal/screen"
	"github.com/gorlm/rlm/internal/kit/units"
	"github.com/gorlm/rlm/internal/names"
	"github.com/gorlm/rlm/runner/llm"
)

// models are the models for a run's turns and for its sub-calls. If they are the same model, they share a client,
// so that the endpoint's limits apply to both together.
type models struct {
	root, sub llm.Model
	// note describes a choice that was made without asking the person.
	note string
}

// modelSet finds models by name, using the settings.
type modelSet struct {
	set     *settings
	mu      sync.Mutex // guards names and namesOf
	names   *names.Resolver
	namesOf string // the base URL with which names was made
	// pace, if set, enforces a model's rate limits across all nodes.
	pace func(model string, requestsPerMinute, tokensPerMinute int) llm.RateLimiter
}

// models makes the models of the settings, or uses a local Ollama if none is configured.
func (ms *modelSet) models(ctx context.Context) (models, error) {
	s := ms.set
	var m models
	root, err := ms.namedModel(ctx, s.Model)
	if nobody := (*names.UnconfiguredError)(nil); errors.As(err, &nobody) || s.Model == "" && s.unconfigured() {
		if m.note, err = ms.set.useOllama(ctx); err != nil {
			return m, err
		}
		root, err = ms.namedModel(ctx, s.Model)
	}
	if s.Model == "" {
		return m, asUsage(s.noModel(nil))
	}
	if err != nil {
		return m, asUsage(err)
	}
	m.root, m.sub = root, root
	if s.SubModel != "" && s.SubModel != s.Model {
		if m.sub, err = ms.namedModel(ctx, s.SubModel); err != nil {
			return m, asUsage(err)
		}
	}
	return m, nil
}

// prices returns the prices in the settings, by model and by profile.
func (s *settings) prices() llm.Prices {
	own := llm.Prices{}
	for name, p := range s.Models {
		if price, ok := s.Prices.Lookup(p.Model); ok {
			own[name] = price
		}
		if p.Price != nil {
			own[name] = *p.Price
		}
	}
	return own.With(s.Prices)
}

// unbounded returns a warning that the given cost budget cannot be enforced, because the price of a model that does
// not run on this machine is unknown. It returns "" if no budget was given or if it can be enforced.
func (s *settings) unbounded(list ...llm.Model) string {
	if s.MaxCost < 0 || s.MaxCost == defaultSettings().MaxCost {
		return ""
	}
	for _, m := range list {
		here, ok := m.(interface{ Local() bool })
		_, priced := llm.KnownPrices().With(s.prices()).Lookup(m.Name())
		if !priced && llm.FactsOf(m).Price == nil && !(ok && here.Local()) {
			return fmt.Sprintf("the price of %s is unknown, so the budget of %s cannot be enforced (see 'rlm config --help')",
				m.Name(), units.Dollars(s.MaxCost))
		}
	}
	return ""
}

// useOllama makes a local Ollama the endpoint.
func (s *settings) useOllama(ctx context.Context) (note string, err error) {
	found, err := llm.FindOllama(ctx, os.Getenv("OLLAMA_HOST"))
	if err != nil {
		return "", asUsage(s.noModel(err))
	}
	if s.Model == "" {
		s.Model = found.Models[0]
	} else if !hasModel(found.Models, s.Model) {
		return "", asUsage(fmt.Errorf(
			"model %s needs a key (OPENAI_API_KEY) or an endpoint (--base-url); the local Ollama has only %s",
			s.Model, strings.Join(found.Models, ", ")))
	}
	s.BaseURL = found.BaseURL
	return fmt.Sprintf("using model %s of the local Ollama", s.Model), nil
}

// unconfigured reports whether no model is configured: there is no key, no endpoint and no profile.
func (s *settings) unconfigured() bool {
	configured, err := s.resolver().Configured()
	return err == nil && len(configured) == 0 && len(s.Models) == 0 ||
		len(configured) == 1 && configured[0].Name == "ollama"
}

// namedModel returns the model with a name. As long as the settings do not change, a name has only one model.
func (ms *modelSet) namedModel(ctx context.Context, name string) (llm.Model, error) {
	ms.mu.Lock()
	if ms.names == nil || ms.namesOf != ms.set.BaseURL {
		cfg := ms.set.resolving()
		cfg.Pace = ms.pace
		ms.names, ms.namesOf = names.New(cfg), ms.set.BaseURL
	}
	named := ms.names
	ms.mu.Unlock()
	return named.Model(ctx, name)
}

// addressOf returns the base URL of a model in use; "" for other models.
func (ms *modelSet) addressOf(name string) string {
	ms.mu.Lock()
	named := ms.names
	ms.mu.Unlock()
	if named == nil {
		return ""
	}
	return named.Address(name)
}

// resolver returns a resolver of model names for the settings.
func (s *settings) resolver() *names.Resolver { return names.New(s.resolving()) }

func (s *settings) resolving() names.Config {
	return names.Config{
		Profiles: s.Models, Fallback: s.Fallback, BaseURL: s.BaseURL, APIKey: s.APIKey, Getenv: os.Getenv,
		Keys:  keyFile(),
		Tries: s.Tries, Timeout: time.Duration(s.CallTimeout), Concurrency: max(64, s.Concurrency),
		RequestsPerMinute: s.RequestsPerMinute, TokensPerMinute: s.TokensPerMinute,
	}
}

// keyFile returns the key file of 'rlm keys', next to the configuration file.
func keyFile() *names.KeyFile {
	path, err := configFile()
	if err != nil {
		return nil
	}
	return names.NewKeyFile(filepath.Join(filepath.Dir(path), "keys.toml"))
}

// modelMeant returns the end of an error about an unknown model: a suggestion of the well-known model that was
// probably meant, or "".
func modelMeant(name string) string {
	bare := name[strings.Index(name, "/")+1:]
	if llm.Known(name).Price != nil {
		return ""
	}
	return screen.DidYouMean(bare, slices.Collect(maps.Keys(llm.KnownPrices())))
}

// servedMeant is modelMeant, but also suggests models that the endpoint lists.
func (s *settings) servedMeant(name string) string {
	if meant := modelMeant(name); meant != "" {
		return meant
	}
	ctx, cancel := context.WithTimeout(context.Background(), endpointPatience)
	defer cancel()
	client, err := s.resolver().Client(ctx, name)
	if err != nil {
		return ""
	}
	defer client.Close()
	served, err := client.Models(ctx)
	if err != nil || slices.Contains(served, client.Served()) {
		return ""
	}
	return screen.DidYouMean(client.Served(), served)
}

func hasModel(models []string, name string) bool {
	return slices.Contains(models, name) || slices.Contains(models, name+":latest")
}

// noModelError means that there is no model, and lists ways to configure one. Sessions can run cells without a
// model.
type noModelError struct {
	missing string // describes what is missing
	ways    string // how to add it, one way per line
	rest    string
}

func (e *noModelError) Error() string {
	return e.missing + "\n  rlm                                   alone, on a terminal, asks for one and saves it" +
		e.ways + e.rest
}

// inSession returns the error for a session, in which /model can name the model.
func (e *noModelError) inSession() error {
	const command = "\n  /model NAME                           here in the session; /model ollama/NAME needs no key"
	return errors.New(e.missing + command + e.ways + ".\nWithout a model, cells still run: > CODE")
}

// noModel returns an error with the ways to name a model, or to configure a provider for the named one. noOllama is
// why a local Ollama cannot be used; nil if that was not tried.
func (s *settings) noModel(noOllama error) *noModelError {
	path, err := configFile()
	if err != nil {
		path = "the configuration file"
	}
	e := &noModelError{missing: "no model is named. Ways to name a model:", ways: `
  rlm run --model NAME …                with a key (OPENAI_API_KEY, ANTHROPIC_API_KEY, …), or --base-url URL
  RLM_MODEL=NAME in the environment     with a key, and OPENAI_BASE_URL for an endpoint other than OpenAI's
  model = "NAME" in ` + path + `, with a key there or stored with 'rlm keys set'
A local Ollama is used when it answers`}
	if s.Model != "" {
		e.missing = fmt.Sprintf("model %s is named, but no key or endpoint is set%s\nWays to set one:", s.Model,
			cmp.Or(modelMeant(s.Model), "."))
		e.ways = `
  OPENAI_API_KEY=… in the environment   or kept for later with 'rlm keys set openai'
  PROVIDER/NAME as its name             with the provider's key: anthropic, gemini, openrouter, azure; ollama needs none
  --base-url URL, or OPENAI_BASE_URL    an OpenAI-compatible endpoint, such as http://localhost:8000/v1
A local Ollama is used when it answers and has the model`
	}
	if noOllama != nil {
		e.ways += " (" + noOllama.Error() + ")"
	}
	e.rest = ".\nWithout a model or key: rlm demo"
	return e
}
