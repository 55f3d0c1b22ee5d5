package main

import (
	"maps"
	"os"
	"slices"

	"github.com/gorlm/rlm/runner/llm"
	"github.com/spf13/cobra"
)

// completeValues offers the shell the values of flags that take one of a few.
func (a *app) completeValues(c *cobra.Command) {
	for flag, values := range map[string][]string{
		"mode":             {"response\tan answer ends the run", "task\ta person reviews the work"},
		"sandbox":          {"best\twhat the machine offers", "standard", "strict", "basic\tno security boundary"},
		"engine":           {"auto\tyaegi, until a cell needs more", "yaegi", "exact"},
		"reasoning-effort": {"minimal", "low", "medium", "high"},
		"format":           exportFormats(),
		"status":           statuses(),
		"kind":             kinds(),
	} {
		if c.Flags().Lookup(flag) != nil {
			// An error means that the flag has completions already.
			_ = c.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
		}
	}
	for _, flag := range []string{"model", "sub-model"} {
		if c.Flags().Lookup(flag) != nil {
			_ = c.RegisterFlagCompletionFunc(flag, a.completeModels)
		}
	}
	for _, sub := range c.Commands() {
		a.completeValues(sub)
	}
}

// completeModels offers the models that are configured, those of a local Ollama and those whose prices are known.
func (a *app) completeModels(c *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	var names []string
	for _, name := range []string{a.set.Model, a.set.SubModel} {
		if name != "" {
			names = append(names, name)
		}
	}
	names = append(names, slices.Sorted(maps.Keys(a.set.Models))...)
	names = append(names, slices.Sorted(maps.Keys(a.set.Prices))...)
	if a.set.BaseURL == "" && a.set.APIKey.Empty() {
		if found, err := llm.FindOllama(c.Context(), os.Getenv("OLLAMA_HOST")); err == nil {
			names = append(names, found.Models...)
		}
	} else {
		names = append(names, slices.Sorted(maps.Keys(llm.KnownPrices()))...)
	}
	seen := map[string]bool{}
	return slices.DeleteFunc(names, func(n string) bool {
		again := seen[n]
		seen[n] = true
		return again
	}), cobra.ShellCompDirectiveNoFileComp
}
