package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/gorlm/rlm/internal/quantity"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/fleet"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/termination"
)

// batchModels are the models of jobs by their names.
type batchModels struct {
	app      *app
	standard models
	policy   termination.Policy
	only     []string // the models that jobs may name; nil: all that there are

	mu sync.Mutex
}

// check says whether there are the models that a job names.
func (m *batchModels) check(ctx context.Context, j fleet.Job) error {
	for _, name := range []string{j.Model, j.SubModel} {
		if name == "" {
			continue
		}
		if _, err := m.named(ctx, name); err != nil {
			return fmt.Errorf("model: %w", err)
		}
	}
	return nil
}

func (m *batchModels) named(ctx context.Context, name string) (llm.Model, error) {
	if m.only != nil && !slices.Contains(m.only, name) {
		return nil, fmt.Errorf("this node has no model called %q: its models are %s", name, strings.Join(m.only, ", "))
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.app.namedModel(ctx, name)
}

// setup is what a job is run with.
func (m *batchModels) setup(ctx context.Context, j fleet.Job) (llm.Model, []runner.Option, error) {
	root, sub := m.standard.root, m.standard.sub
	var err error
	if j.Model != "" && j.Model != m.app.set.Model {
		if root, err = m.named(ctx, j.Model); err != nil {
			return nil, nil, err
		}
		if j.SubModel == "" {
			sub = root
		}
	}
	if j.SubModel != "" && j.SubModel != m.app.set.SubModel {
		if sub, err = m.named(ctx, j.SubModel); err != nil {
			return nil, nil, err
		}
	}
	opts := append(m.app.options(), runner.WithSubModel(sub), runner.WithPolicy(m.policy), runner.WithMetadata(placeOf(root)),
		runner.WithBudgets(j.Over(m.app.set.budgets())))
	return root, opts, nil
}

// batchWorst says how many jobs there are and what they could cost at most.
func (a *app) batchWorst(b batching, jobs []fleet.Job) string {
	prices := llm.KnownPrices().With(a.set.Prices)
	worst, unknown := 0.0, ""
	n := len(jobs)
	if b.limit > 0 {
		n = min(n, b.limit)
	}
	for _, j := range jobs[:n] {
		budgets := j.Over(a.set.budgets())
		dearest := 0.0
		for _, name := range []string{cmp.Or(j.Model, a.set.Model), cmp.Or(j.SubModel, a.set.SubModel)} {
			if name == "" {
				continue
			}
			price, ok := prices.Lookup(name)
			if !ok {
				unknown = name
			}
			dearest = max(dearest, price.Input, price.Output)
		}
		cost, byTokens := budgets.Cost, float64(budgets.Tokens)*dearest/1e6
		if budgets.Tokens > 0 && (cost < 0 || byTokens < cost) {
			cost = byTokens
		}
		if cost < 0 {
			unknown = "jobs without a bound"
		}
		worst += max(0, cost)
	}
	text := quantity.Of(n, "job")
	if n < len(jobs) {
		text += fmt.Sprintf(" of %d", len(jobs))
	}
	switch {
	case a.set.Model == "" && slices.ContainsFunc(jobs, func(j fleet.Job) bool { return j.Model == "" }):
		return text + "; worst case: not known, no model is named"
	case unknown != "":
		text += "; worst case: not known, there is no price for " + unknown + " (see 'rlm config --help')"
	case b.cost > 0 && b.cost < worst:
		return text + fmt.Sprintf("; worst case: %s, the batch's budget, and what is in flight when it is reached", quantity.Dollars(b.cost))
	default:
		text += "; worst case: " + quantity.Dollars(worst)
	}
	if b.cost > 0 {
		text += fmt.Sprintf("; the batch's budget is %s", quantity.Dollars(b.cost))
	}
	return text
}
