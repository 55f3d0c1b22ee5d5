package main

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/gorlm/rlm/repl"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/sandbox"
	"github.com/spf13/cobra"
)

// lastStart is how the last run of a session was begun.
func lastStart(id string) (trajectory.RunStarted, error) {
	var start trajectory.RunStarted
	dir, err := findRun(id)
	if err != nil {
		return start, err
	}
	var events []trajectory.Event
	for ev, err := range trajectory.Skim(dir) {
		if err != nil {
			return start, err
		}
		events = append(events, ev)
	}
	for _, ev := range trajectory.Kept(events) {
		if d, ok := ev.Data.(trajectory.RunStarted); ok && ev.Path == "" {
			start = d
		}
	}
	if start.Model == "" {
		return start, fmt.Errorf("run %s stopped before its question was put: ask it again with rlm run", id)
	}
	return start, nil
}

// runMetadata is what the command keeps with a run besides the runner's own settings.
type runMetadata struct {
	BaseURL string `json:"base_url,omitempty"`
}

// placeOf is the metadata of a new run: where its model is, if only the settings tell. User, password and keys in a URL are not kept.
func placeOf(m llm.Model) json.RawMessage {
	if all, ok := m.(*llm.Fallback); ok {
		m = all.Models()[0]
	}
	c, ok := m.(*llm.Client)
	if !ok || c.Provider().Name != "openai" {
		return nil
	}
	text, err := json.Marshal(runMetadata{BaseURL: c.BaseURL()})
	if err != nil {
		return nil
	}
	return text
}

// keepModel sets model and endpoint as the run had them, where no flag says otherwise.
func (a *app) keepModel(cmd *cobra.Command, start trajectory.RunStarted) {
	flags := cmd.Flags()
	var meta runMetadata
	if len(start.Metadata) > 0 && decode(start.Metadata, &meta) == nil && meta.BaseURL != "" && !flags.Changed("base-url") && !flags.Changed("model") &&
		llm.PublicURL(a.set.BaseURL) != meta.BaseURL { // the same endpoint, perhaps with a password that is not recorded
		a.set.BaseURL = meta.BaseURL
	}
	if !flags.Changed("model") {
		a.set.Model = start.Model
	}
	if !flags.Changed("sub-model") {
		a.set.SubModel = start.SubModel
	}
}

// changedOptions are the options for what flags change of a run that is recorded.
func (a *app) changedOptions(cmd *cobra.Command, start trajectory.RunStarted) []runner.Option {
	flags := cmd.Flags()
	var was struct {
		Budgets runner.Budgets `json:"budgets"`
		Level   sandbox.Level  `json:"sandbox"`
		Limits  sandbox.Limits `json:"limits"`
	}
	if decode(start.Config, &was) != nil {
		return a.options()
	}
	opts := a.observing()
	any := func(names ...string) bool {
		for _, n := range names {
			if flags.Changed(n) {
				return true
			}
		}
		return false
	}
	budgets, now := was.Budgets, a.set.budgets()
	for name, take := range map[string]func(){
		"max-iterations": func() { budgets.Iterations = now.Iterations },
		"max-sub-calls":  func() { budgets.SubCalls = now.SubCalls },
		"max-tokens":     func() { budgets.Tokens = now.Tokens },
		"max-cost":       func() { budgets.Cost = now.Cost },
		"max-time":       func() { budgets.Time = time.Duration(a.set.MaxTime) },
		"max-depth":      func() { budgets.Depth = now.Depth },
		"max-errors":     func() { budgets.Errors = now.Errors },
	} {
		if flags.Changed(name) {
			take()
		}
	}
	if budgets != was.Budgets {
		opts = append(opts, runner.WithBudgets(budgets))
	}
	if any("engine") {
		opts = append(opts, runner.WithEngine(repl.Engine(a.set.Engine)))
	}
	if any("concurrency") {
		opts = append(opts, runner.WithConcurrency(a.set.Concurrency))
	}
	if any("memo") {
		opts = append(opts, runner.WithMemo(a.set.Memo))
	}
	if any("temperature", "max-output-tokens", "reasoning-effort") {
		opts = append(opts, runner.WithCallSettings(a.set.callSettings()))
	}
	if any("window", "sub-window") {
		opts = append(opts, runner.WithWindows(a.set.Window, a.set.SubWindow))
	}
	if any("sandbox") {
		opts = append(opts, runner.WithSandbox(sandbox.Level(a.set.Sandbox), was.Limits))
	}
	if any("convert-memory", "convert-timeout", "convert-cache") {
		opts = append(opts, runner.WithConversion(a.set.conversion()))
	}
	if any("cell-timeout", "cell-cpu", "cell-memory", "cell-output", "cell-source", "cell-calls", "prompt-size", "answer-size") {
		opts = append(opts, runner.WithSandbox(sandbox.Level(a.set.Sandbox), a.set.limits()))
	}
	return opts
}
