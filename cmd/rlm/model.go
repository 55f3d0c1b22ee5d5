package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/runner/llm/names"
	"github.com/gorlm/rlm/termination"
)

// models are who answers: the run's own turns, and the sub-calls. They are the same client when they are the same model, so that
// the endpoint's limits hold for both together.
type models struct {
	root, sub llm.Model
	// note tells a person about a choice that was made for them.
	note string
}

// models makes the models that the settings name, or finds a local Ollama.
func (a *app) models(ctx context.Context) (models, error) {
	s := &a.set
	var m models
	root, err := a.namedModel(ctx, s.Model)
	if nobody := (*names.UnconfiguredError)(nil); errors.As(err, &nobody) || s.Model == "" && s.unconfigured() {
		if m.note, err = a.useOllama(ctx); err != nil {
			return m, err
		}
		root, err = a.namedModel(ctx, s.Model)
	}
	if s.Model == "" {
		return m, &exit{termination.ExitUsage, s.noModel(nil)}
	}
	if err != nil {
		return m, &exit{termination.ExitUsage, err}
	}
	m.root, m.sub = root, root
	if s.SubModel != "" && s.SubModel != s.Model {
		if m.sub, err = a.namedModel(ctx, s.SubModel); err != nil {
			return m, &exit{termination.ExitUsage, err}
		}
	}
	return m, nil
}

// useOllama makes a local Ollama the endpoint, where nothing else is configured.
func (a *app) useOllama(ctx context.Context) (note string, err error) {
	s := &a.set
	found, err := llm.FindOllama(ctx, os.Getenv("OLLAMA_HOST"))
	if err != nil {
		return "", &exit{termination.ExitUsage, s.noModel(err)}
	}
	if s.Model == "" {
		s.Model = found.Models[0]
	} else if !hasModel(found.Models, s.Model) {
		return "", &exit{termination.ExitUsage, fmt.Errorf("model %s needs a key (OPENAI_API_KEY) or an endpoint (--base-url); the local Ollama has only %s",
			s.Model, strings.Join(found.Models, ", "))}
	}
	s.BaseURL = found.BaseURL
	return fmt.Sprintf("using model %s of the local Ollama", s.Model), nil
}

// unconfigured reports whether there is nobody to ask: no key, no endpoint, no profile.
func (s settings) unconfigured() bool {
	configured, err := s.resolver().Configured()
	return err == nil && len(configured) == 0 && len(s.Models) == 0 || len(configured) == 1 && configured[0].Name == "ollama"
}

// namedModel is the model of a name. The same name gives the same model while the settings stay as they are.
func (a *app) namedModel(ctx context.Context, name string) (llm.Model, error) {
	if a.names == nil || a.namesOf != a.set.BaseURL {
		cfg := a.set.resolving()
		cfg.Pace = a.pace
		a.names, a.namesOf = names.New(cfg), a.set.BaseURL
	}
	return a.names.Model(ctx, name)
}

// resolver finds models by their names, as the settings have them.
func (s settings) resolver() *names.Resolver { return names.New(s.resolving()) }

func (s settings) resolving() names.Config {
	return names.Config{
		Profiles: s.Models, Fallback: s.Fallback, BaseURL: s.BaseURL, APIKey: s.APIKey, Getenv: os.Getenv, Keys: keyFile(),
		Tries: s.Tries, Timeout: time.Duration(s.CallTimeout), Concurrency: max(64, s.Concurrency),
		RequestsPerMinute: s.RequestsPerMinute, TokensPerMinute: s.TokensPerMinute,
	}
}

// keyFile is where 'rlm keys' keeps keys: beside the configuration file.
func keyFile() *names.KeyFile {
	path, err := configFile()
	if err != nil {
		return nil
	}
	return names.NewKeyFile(filepath.Join(filepath.Dir(path), "keys.toml"))
}

func hasModel(models []string, name string) bool {
	return slices.Contains(models, name) || slices.Contains(models, name+":latest")
}
