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

// models are the models of a run's turns and of its sub-calls. They share a client if they are the same model,
// so that the endpoint's limits hold for both together.
type models struct {
	root, sub llm.Model
	// note informs a person of a choice that was made for them.
	note string
}

// modelSet finds models by name according to the settings.
type modelSet struct {
	set     *settings
	mu      sync.Mutex // for names and namesOf
	names   *names.Resolver
	namesOf string // the base URL that names was made with
	// pace, set on nodes, applies the rate limits of a model across nodes.
	pace func(model string, requestsPerMinute, tokensPerMinute int) llm.RateLimiter
}

// models makes the models of the settings, or finds a local Ollama.
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

// prices returns the prices of the settings, also under the names of profiles.
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

// unbounded returns a warning, before the first call, that a cost budget cannot be enforced; "" if it can, or
// if the endpoint is this machine.
func (s *settings) unbounded(list ...llm.Model) string {
	if s.MaxCost < 0 || s.MaxCost == defaultSettings().MaxCost {
		return ""
	}
	for _, m := range list {
		here, ok := m.(interface{ Local() bool })
		_, priced := llm.KnownPrices().With(s.prices()).Lookup(m.Name())
		if !priced && llm.FactsOf(m).Price == nil && !(ok && here.Local()) {
			return fmt.Sprintf("no price is known for %s: the budget of %s cannot hold (see 'rlm config --help')",
				m.Name(), units.Dollars(s.MaxCost))
		}
	}
	return ""
}

// useOllama makes a local Ollama the endpoint, if nothing else is configured.
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

// unconfigured reports whether there is no model to ask: no key, no endpoint, no profile.
func (s *settings) unconfigured() bool {
	configured, err := s.resolver().Configured()
	return err == nil && len(configured) == 0 && len(s.Models) == 0 ||
		len(configured) == 1 && configured[0].Name == "ollama"
}

// namedModel returns the model with a name, and the same one again as long as the settings do not change.
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

// addressOf returns the base URL of a model that is in use; "" for any other.
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

// modelMeant returns the end of an error about an unknown model: the well-known model that was probably meant,
// if any.
func modelMeant(name string) string {
	bare := name[strings.Index(name, "/")+1:]
	if llm.Known(name).Price != nil {
		return ""
	}
	return screen.DidYouMean(bare, slices.Collect(maps.Keys(llm.KnownPrices())))
}

// servedMeant is modelMeant, and else the model of the endpoint's own list that was probably meant.
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

// noModelError means that there is no model to ask, and lists ways to configure one. A session is useful
// without a model: it can run cells.
type noModelError struct {
	missing string // what is missing
	ways    string // how to fix that, one way per line
	rest    string
}

func (e *noModelError) Error() string {
	return e.missing + "\n  rlm                                   alone, on a terminal, asks for one and keeps it" +
		e.ways + e.rest
}

// inSession returns the error for a session, where a command names the model.
func (e *noModelError) inSession() error {
	const command = "\n  /model NAME                           here in the session; /model ollama/NAME needs no key"
	return errors.New(e.missing + command + e.ways + ".\nWithout any model cells run: > CODE")
}

// noModel returns an error with the ways to name a model, or to configure a provider of the named one. noOllama
// is why the local Ollama cannot help, nil if it was not asked.
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
		e.missing = fmt.Sprintf("model %s is named, but no key and no endpoint%s\nWays to say who serves it:", s.Model,
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
	e.rest = ".\nWithout any model and key: rlm demo"
	return e
}
