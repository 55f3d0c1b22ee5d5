package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"time"

	"github.com/gorlm/rlm/internal/quantity"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/sandbox"
)

// endpointPatience is how long the doctor waits for the model's endpoint.
const endpointPatience = 10 * time.Second

// modelFacts says which model would answer a run here, and whether its endpoint can be reached with the key there is. It calls no model.
func (a *app) modelFacts(ctx context.Context) []sandbox.Fact {
	facts := []sandbox.Fact{{Name: "configuration", Value: configState()}}
	add := func(name, format string, args ...any) {
		facts = append(facts, sandbox.Fact{Name: name, Value: fmt.Sprintf(format, args...)})
	}
	if runs, err := runsDir(); err == nil {
		add("runs", "%s", runs)
	}
	m, err := a.models(ctx)
	if err != nil {
		add("model", "none: no run can be started (rlm run --help says how to name one); rlm exec and rlm demo need none")
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
		add("key"+of, "%s", a.keyInWords(ctx, model.Name()))
		add("answers"+of, "%s", reached(ctx, model))
	}
	for _, model := range []llm.Model{m.root, m.sub} {
		if _, known := llm.KnownPrices().With(a.set.Prices).Lookup(model.Name()); !known && llm.FactsOf(model).Price == nil {
			add("price", "of %s not known: its calls count in no cost budget ('rlm config --help' shows how to give it)", model.Name())
			break
		}
	}
	return facts
}

// clients are the clients of models and of their fallbacks.
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

// keyInWords says whether there is a key for a model, and where it comes from.
func (a *app) keyInWords(ctx context.Context, name string) string {
	t, err := a.set.resolver().Resolve(ctx, name)
	switch {
	case err != nil:
		return err.Error()
	case t.Key.Empty():
		return "none"
	}
	return "set (" + t.KeyFrom + ")"
}

// configState is where the configuration file is looked for, and whether it is there.
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

// reached asks the endpoint for its list of models.
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
		return fmt.Sprintf("yes, with %s", quantity.Of(len(names), "model"))
	}
	return fmt.Sprintf("yes, but among its %s is no %s", quantity.Of(len(names), "model"), client.Served())
}
