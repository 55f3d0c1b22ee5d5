package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/gorlm/rlm/internal/exitcode"
	"github.com/gorlm/rlm/internal/front/terminal/screen"
	"github.com/gorlm/rlm/internal/kit/units"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/sandbox"
	"github.com/spf13/cobra"
)

func (std streams) doctorCommand(ms *modelSet) *cobra.Command {
	var asJSON, verbose bool
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Test the sandbox here and check the model endpoint",
		Long: `Run the attacks that a cell could attempt, and worse ones in native code, from inside sandboxed throw-away
workers. Print the level that this machine reaches, what is missing and what would raise it; then which model
would answer a run, and whether its endpoint can be reached with the available key. No model is called. -v
lists every attack and facts about the machine. The exit code is 1 if an attack that the level promises to
stop succeeded.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := ms.set.ready(); err != nil {
				return err
			}
			return std.doctor(cmd, ms, asJSON, verbose)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	cmd.Flags().BoolVarP(&verbose, "verbose", "v", false, "list every attack and facts about the machine")
	cmd.Flags().StringVar(&ms.set.Sandbox, "sandbox", ms.set.Sandbox, "level to try: strict, standard or best")
	return cmd
}

func (std streams) doctor(cmd *cobra.Command, ms *modelSet, asJSON, verbose bool) error {
	std.err.Status("trying to break out of the sandbox …")
	defer std.err.Status("")
	report, err := sandbox.Probe(cmd.Context(), sandbox.Level(ms.set.Sandbox))
	if err != nil {
		return err
	}
	if !asJSON { // show it now, because the endpoint may take seconds
		std.err.Status("")
		if err := std.printVerdict(report); err != nil {
			return err
		}
	}
	std.err.Status("asking the model's endpoint …")
	facts := ms.modelFacts(cmd.Context())
	std.err.Status("")
	if asJSON {
		err = std.out.JSON(struct {
			OK bool `json:"ok"`
			sandbox.Report
			Model []sandbox.Fact `json:"model"`
		}{report.OK(), report, facts})
	} else if err = std.printFacts(facts); err == nil && verbose {
		err = std.printReport(report)
	}
	if err != nil {
		return err
	}
	if !report.OK() {
		return &exit{
			Code: exitcode.Failed,
			Err:  fmt.Errorf("the sandbox does not keep what level %s promises", report.Level),
		}
	}
	return nil
}

func (std streams) printFacts(facts []sandbox.Fact) error {
	return std.out.Table(func(w io.Writer) {
		fmt.Fprintln(w)
		for _, f := range facts {
			fmt.Fprintf(w, "%s\t%s\n", f.Name, screen.Line(f.Value))
		}
	})
}

// printVerdict prints how many attacks were stopped, which probes failed, and what would raise the level.
func (std streams) printVerdict(r sandbox.Report) error {
	attacks, stopped := 0, 0
	var failed []string
	for _, p := range r.Probes {
		if p.Expected == "stopped" {
			attacks++
			if p.OK {
				stopped++
			}
		}
		if !p.OK {
			failed = append(failed, fmt.Sprintf(
				"FAILED: %s (%s): %s, should be %s", p.Tried, p.Name, p.Outcome, p.Expected))
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "sandbox level %s: %d of %s that it promises to stop were stopped\n", r.Level, stopped,
		units.Of(attacks, "attack"))
	if r.Wanted != "" && r.Wanted != sandbox.Best && r.Wanted != r.Level {
		fmt.Fprintf(&b, "asked for: %s\n", r.Wanted)
	}
	for _, text := range failed {
		fmt.Fprintln(&b, screen.Line(text))
	}
	for _, m := range r.Layers.Missing {
		fmt.Fprintf(&b, "missing: %s\n", m)
	}
	for _, hint := range r.Raise {
		fmt.Fprintf(&b, "to raise it: %s\n", strings.TrimSpace(hint))
	}
	return std.out.Styled(std.out.Fit(b.String()))
}

func (std streams) printReport(r sandbox.Report) error {
	if err := std.printFacts(r.Facts); err != nil {
		return err
	}
	return std.out.Table(func(w io.Writer) {
		fmt.Fprintln(w, "\n \tPROBE\tTRIED\tOUTCOME\tEXPECTED")
		for _, p := range r.Probes {
			mark := "ok"
			if !p.OK {
				mark = "FAILED"
			}
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", mark, p.Name, p.Tried, p.Outcome, p.Expected)
		}
	})
}

// endpointPatience is how long the doctor waits for the model's endpoint.
const endpointPatience = 10 * time.Second

// modelFacts reports which model would answer a run, and whether its endpoint is reachable with the configured key.
// It calls no model.
func (ms *modelSet) modelFacts(ctx context.Context) []sandbox.Fact {
	facts := []sandbox.Fact{{Name: "configuration", Value: configState()}}
	add := func(name, format string, args ...any) {
		facts = append(facts, sandbox.Fact{Name: name, Value: fmt.Sprintf(format, args...)})
	}
	if runs, err := runsDir(); err == nil {
		add("runs", "%s", runs)
	}
	m, err := ms.models(ctx)
	if err != nil {
		add("model", "none: no run can be started ('rlm run --help' says how to name one); 'rlm exec' and 'rlm demo' need none")
		return facts
	}
	add("model", "%s", m.root.Name())
	if m.sub != m.root {
		add("sub-model", "%s", m.sub.Name())
	}
	seen := map[string]bool{}
	for i, model := range clients(m.root, m.sub) {
		if seen[model.BaseURL()] {
			continue
		}
		seen[model.BaseURL()] = true
		of := ""
		if i > 0 {
			of = " of " + model.Name()
		}
		add("endpoint"+of, "%s", model.BaseURL())
		add("key"+of, "%s", ms.set.keyInWords(ctx, model.Name()))
		add("answers"+of, "%s", reached(ctx, model))
	}
	for _, model := range []llm.Model{m.root, m.sub} {
		if _, known := llm.KnownPrices().With(ms.set.prices()).Lookup(model.Name()); !known &&
			llm.FactsOf(model).Price == nil {
			add("price", "of %s unknown: its calls do not count towards cost budgets ('rlm config --help' shows how to set it)", model.Name())
			break
		}
	}
	return facts
}

// clients returns the clients of models and of their fallbacks.
func clients(models ...llm.Model) (list []*llm.Client) {
	for _, m := range models {
		switch m := m.(type) {
		case *llm.Client:
			list = append(list, m)
		case *llm.Fallback:
			list = append(list, clients(m.Models()...)...)
		}
	}
	return list
}

// keyInWords describes whether there is a key for a model, and where the key comes from.
func (s *settings) keyInWords(ctx context.Context, name string) string {
	t, err := s.resolver().Resolve(ctx, name)
	switch {
	case err != nil:
		return err.Error()
	case t.Key.Empty():
		return "none"
	}
	return "set (" + t.KeyFrom + ")"
}

// configState returns the path of the configuration file, with a note if the file does not exist.
func configState() string {
	path, err := configFile()
	if err != nil {
		return err.Error()
	}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return path + " (does not exist)"
	}
	return path
}

// reached asks the endpoint for its list of models, and describes the result.
func reached(ctx context.Context, client *llm.Client) string {
	ctx, cancel := context.WithTimeout(ctx, endpointPatience)
	defer cancel()
	names, err := client.Models(ctx)
	var failed *llm.Error
	switch {
	case errors.As(err, &failed) && failed.Kind == llm.ErrBadRequest:
		return "yes, without a list of models"
	case err != nil:
		return "no: " + err.Error()
	case len(names) == 0 || slices.Contains(names, client.Served()):
		return fmt.Sprintf("yes, with %s", units.Of(len(names), "model"))
	}
	return fmt.Sprintf("yes, but its %s do not include %s", units.Of(len(names), "model"), client.Served())
}
