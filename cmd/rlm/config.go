package main

import (
	"context"
	"fmt"
	"os"
	"sync"

	"github.com/gorlm/rlm/internal/front/api"
	"github.com/gorlm/rlm/internal/front/terminal/input"
	"github.com/gorlm/rlm/internal/front/terminal/screen"
	"github.com/gorlm/rlm/internal/front/terminal/setup"
	"github.com/gorlm/rlm/internal/kit/files"
	"github.com/gorlm/rlm/internal/kit/text/decoding"
	"github.com/gorlm/rlm/internal/names"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/pelletier/go-toml/v2"
	"github.com/spf13/cobra"
)

func (std streams) configCommand(set *settings) *cobra.Command {
	return &cobra.Command{
		Use:   "config",
		Short: "Print the current settings and the path of the configuration file",
		Long: `Print the current settings in configuration-file format: the defaults, overridden by the file, overridden by
the environment. (Flags override all of these.) Keys are never printed.

The configuration file is TOML. Give prices of models that are not in the built-in table in USD per million
tokens:

  model = "my-model"
  base_url = "http://localhost:8000/v1"
  [prices."my-model"]
  input = 0.2
  output = 0.6
  cached_input = 0.05

A profile gives a model a name of your own, for --model and --sub-model:

  [models.fast]
  model = "anthropic/claude-haiku-4-5"     # or a NAME with base_url
  key_env = "WORK_KEY"                     # or key_command = ["pass", "show", "work"], or 'rlm keys set fast'
  fallback = ["gpt-5-mini"]                # used when the quota is exhausted or the endpoint is unreachable
  window = 100_000                         # overrides the known value; like = "gpt-4o" copies all of another model's values
  requests_per_minute = 50
  headers = { X-Team = "research" }
  extra_body = { top_k = 20 }`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error { return std.printConfig(set) },
	}
}

// setUp asks for a model on the terminal and stores it. done is false if the person wants no model.
func (l *launcher) setUp(ctx context.Context) (done bool, err error) {
	in := l.in.(*os.File) // setUp is called only if stdin is a terminal
	c, err := setup.Ask(ctx, setup.Options{
		Out: l.out, Names: l.set.resolving(), Model: l.set.Model,
		Line: func(ctx context.Context) (string, error) {
			return input.Read(ctx, func() (string, error) { // a terminal returns one line per read
				line := make([]byte, 4096)
				n, err := in.Read(line)
				return string(line[:n]), err
			})
		},
		Key: func(ctx context.Context, ask func()) (llm.Secret, error) { return hidden(ctx, in, ask) },
	})
	if err != nil || c.Model == "" {
		return false, err
	}
	place, err := l.keep(c)
	if err != nil {
		return false, err
	}
	fmt.Fprintf(l.out, "saved in %s: model %s\n\n", place, screen.Line(c.Model))
	return true, nil
}

// keep stores the key of a choice and applies the choice to the settings.
func (l *launcher) keep(c setup.Choice) (path string, err error) {
	if !c.Key.Empty() {
		if err := l.storeKey(c.Provider, c.Key); err != nil {
			return "", err
		}
	}
	l.names = nil
	return l.set.keep(c)
}

// settingUp returns a function that tests and stores the model that the owner chooses on a page.
func (l *launcher) settingUp(how serveFlags, named *sync.Mutex) func(context.Context, api.SetUpRequest) error {
	return func(ctx context.Context, in api.SetUpRequest) error {
		named.Lock()
		defer named.Unlock()
		c, err := setup.Try(ctx, l.set.resolving(), setup.Choice{Provider: in.Provider, Key: in.Key, Model: in.Model})
		if err != nil {
			return err
		}
		return how.setUp(c)
	}
}

// offered returns the models that can be chosen on a page.
func offered() (list []api.Offer) {
	for _, c := range setup.Usual() {
		p, _ := llm.ProviderNamed(c.Provider)
		list = append(list, api.Offer{Provider: p.Name, Title: p.Title, Model: c.Model})
	}
	return list
}

// keep applies a choice to the settings and writes it at the beginning of the configuration file, before all
// tables. The existing text of the file is preserved.
func (s *settings) keep(c setup.Choice) (path string, err error) {
	fresh := struct {
		Model   string `toml:"model,omitempty"`
		BaseURL string `toml:"base_url,omitempty"`
	}{BaseURL: c.BaseURL}
	if s.Model == "" {
		fresh.Model = c.Model
	}
	s.Model, s.BaseURL = c.Model, c.BaseURL
	if path, err = configFile(); err != nil {
		return "", err
	}
	text, err := toml.Marshal(fresh)
	if err != nil {
		return "", fmt.Errorf("writing the settings: %w", err)
	}
	before, err := readConfig(path)
	if err != nil {
		return "", err
	}
	before = decoding.Bytes(before) // to UTF-8, because an editor on Windows may use another encoding
	if err := files.Replace(path, append(text, before...)); err != nil {
		return "", fmt.Errorf("writing the configuration: %w", err)
	}
	return path, nil
}

func (std streams) printConfig(set *settings) error {
	if err := set.ready(); err != nil {
		return err
	}
	shown := *set
	if shown.BaseURL != "" {
		shown.BaseURL = llm.PublicURL(shown.BaseURL)
	}
	shown.Models = make(map[string]names.Profile, len(set.Models))
	for name, p := range set.Models {
		shown.Models[name] = p.Public()
	}
	text, err := toml.Marshal(shown)
	if err != nil {
		return fmt.Errorf("writing the settings: %w", err)
	}
	fmt.Fprintf(std.out, "# %s\n%s", configState(), text)
	return nil
}
