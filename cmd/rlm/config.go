package main

import (
	"fmt"

	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/runner/llm/names"
	"github.com/gorlm/rlm/termination"
	"github.com/pelletier/go-toml/v2"
	"github.com/spf13/cobra"
)

func (a *app) configCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "config",
		Short: "Print the settings in force and where the configuration file is",
		Long: `Print the settings in force, as a configuration file would hold them: the file laid over the defaults, the
environment laid over the file. Flags win over both. A key is never printed.

The configuration file is TOML. Prices of models that the built-in table does not know are given in USD per million tokens:

  model = "my-model"
  base_url = "http://localhost:8000/v1"
  [prices."my-model"]
  input = 0.2
  output = 0.6
  cached_input = 0.05

A profile is a model under a name of your own, for --model and --sub-model:

  [models.fast]
  model = "anthropic/claude-haiku-4-5"     # or a NAME with base_url
  key_env = "WORK_KEY"                     # or key_command = ["pass", "show", "work"], or 'rlm keys set fast'
  fallback = ["gpt-5-mini"]                # who answers when the quota is used up or nobody is there
  window = 100_000                         # over what is known; like = "gpt-4o" takes all of another model's
  requests_per_minute = 50
  headers = { X-Team = "research" }
  extra_body = { top_k = 20 }`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error { return a.printConfig() },
	}
}

func (a *app) printConfig() error {
	if a.setErr != nil {
		return &exit{termination.ExitUsage, a.setErr}
	}
	shown := a.set
	if shown.BaseURL != "" {
		shown.BaseURL = llm.PublicURL(shown.BaseURL)
	}
	shown.Models = make(map[string]names.Profile, len(a.set.Models))
	for name, p := range a.set.Models {
		shown.Models[name] = p.Public()
	}
	text, err := toml.Marshal(shown)
	if err != nil {
		return fmt.Errorf("writing the settings: %w", err)
	}
	fmt.Fprintf(a.out, "# %s\n%s", configState(), text)
	return nil
}
