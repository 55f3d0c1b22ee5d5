package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/termination"
)

// models are who answers: the run's own turns, and the sub-calls. They are the same client when they are the same model, so that
// the endpoint's limits hold for both together.
type models struct {
	root, sub llm.Model
	// note tells a person about a choice that was made for them.
	note string
}

// models makes the clients that the settings name, or finds a local Ollama.
func (a *app) models(ctx context.Context) (models, error) {
	s := &a.set
	var m models
	if s.BaseURL == "" && s.APIKey.Empty() {
		found, err := llm.FindOllama(ctx, os.Getenv("OLLAMA_HOST"))
		if err != nil {
			return m, &exit{termination.ExitUsage, s.noModel(err)}
		}
		s.BaseURL = found.BaseURL
		if s.Model == "" {
			s.Model = found.Models[0]
		} else if !hasModel(found.Models, s.Model) {
			return m, &exit{termination.ExitUsage, fmt.Errorf("model %s needs a key (OPENAI_API_KEY) or an endpoint (--base-url); the local Ollama has only %s",
				s.Model, strings.Join(found.Models, ", "))}
		}
		m.note = fmt.Sprintf("using model %s of the local Ollama", s.Model)
	}
	if s.Model == "" {
		return m, &exit{termination.ExitUsage, s.noModel(nil)}
	}
	root, err := s.client(s.Model)
	if err != nil {
		return m, err
	}
	m.root, m.sub = root, root
	if s.SubModel != "" && s.SubModel != s.Model {
		if m.sub, err = s.client(s.SubModel); err != nil {
			return m, err
		}
	}
	return m, nil
}

func hasModel(models []string, name string) bool {
	return slices.Contains(models, name) || slices.Contains(models, name+":latest")
}

func (s settings) client(model string) (*llm.Client, error) {
	c, err := llm.New(llm.Config{
		Model: model, BaseURL: s.BaseURL, APIKey: s.APIKey,
		Tries: s.Tries, Timeout: time.Duration(s.CallTimeout),
		Concurrency:       max(64, s.Concurrency),
		RequestsPerMinute: s.RequestsPerMinute, TokensPerMinute: s.TokensPerMinute,
	})
	if err != nil {
		return nil, &exit{termination.ExitUsage, err}
	}
	return c, nil
}

// noModel says how to name a model. noOllama is why the local one cannot help, nil if it was not asked.
func (s settings) noModel(noOllama error) error {
	path, err := configFile()
	if err != nil {
		path = "the configuration file"
	}
	named := "no model is named"
	if s.Model != "" {
		named = fmt.Sprintf("model %s is named, but no key and no endpoint", s.Model)
	}
	text := named + `. There are three ways to name a model:
  rlm run --model NAME …                with OPENAI_API_KEY set, or --base-url URL
  RLM_MODEL=NAME in the environment     with OPENAI_API_KEY, and OPENAI_BASE_URL for an endpoint other than OpenAI's
  model = "NAME" in ` + path + `, with base_url and api_key
A local Ollama is used when it answers`
	if noOllama != nil {
		text += " (" + noOllama.Error() + ")"
	}
	return &noModelError{text + ".\nWithout any model and key: rlm demo"}
}

// noModelError says that there is nobody to ask. A session is of use all the same: cells run in it.
type noModelError struct{ text string }

func (e *noModelError) Error() string { return e.text }
