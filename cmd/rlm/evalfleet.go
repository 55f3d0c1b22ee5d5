package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gorlm/rlm/internal/eval"
	"github.com/gorlm/rlm/internal/eval/suite"
	"github.com/gorlm/rlm/runner/fleet"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// evalFleet is the fleet whose nodes make the runs of an evaluation. Its nodes have models, keys and settings of their own.
type evalFleet struct {
	queue *fleet.Queue
	data  string // folder of this machine, where runs are copied to
	retry bool
	named func(flag string) bool // says whether the command line has a flag
}

// openFleet is nil where no fleet is asked for.
func (a *app) openFleet(cmd *cobra.Command, ev evaluating) (*evalFleet, error) {
	if ev.fleet.address() == "" || ev.dryRun {
		return nil, nil
	}
	specs, err := armSpecs(ev.arms, ev.prompts)
	if err != nil {
		return nil, err
	}
	for _, s := range specs {
		for _, setting := range s.settings {
			name, _, _ := strings.Cut(setting, "=")
			if s.way == "rlm" && !slices.Contains(fleetSettings, name) && !slices.Contains(fleetSettings, "max-"+name) {
				return nil, wrongUsage("%s of an rlm arm: the nodes of a fleet have settings of their own; a job can name %s", setting, strings.Join(fleetSettings, ", "))
			}
		}
	}
	var wrong error
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if a.isArmFlag(f.Name) && !slices.Contains(fleetSettings, f.Name) && !slices.Contains(localSettings, f.Name) {
			wrong = wrongUsage("--%s: the nodes of a fleet have settings of their own; a job can name %s", f.Name, strings.Join(fleetSettings, ", "))
		}
	})
	if wrong != nil {
		return nil, wrong
	}
	data, err := trajectory.DataDir()
	if err != nil {
		return nil, err
	}
	q, err := ev.fleet.open(cmd.Context())
	if err != nil {
		return nil, err
	}
	return &evalFleet{queue: q, data: data, retry: ev.retry, named: cmd.Flags().Changed}, nil
}

// fleetSettings are what a job can say to a node.
var fleetSettings = []string{"model", "sub-model", "max-cost", "max-depth", "max-errors", "max-iterations", "max-sub-calls", "max-time", "max-tokens"}

// localSettings are how the arms that run here reach their models. What a model is asked for, such as a temperature, has to be the same in all
// arms, and nodes decide on that.
var localSettings = []string{"base-url", "window", "call-timeout", "tries", "requests-per-minute", "tokens-per-minute"}

// isArmFlag says whether a flag decides how an arm answers.
func (a *app) isArmFlag(name string) bool {
	b := &app{set: a.set}
	f := pflag.NewFlagSet("arm", pflag.ContinueOnError)
	b.armFlags(f)
	return f.Lookup(name) != nil
}

// arm is an arm whose answers are jobs of the fleet, one each, so that they are made as the evaluation asks for them, within its budget.
func (e *evalFleet) arm(a *app, s armSpec) (eval.Arm, error) {
	job := fleet.Job{Budgets: a.set.budgets()}
	if e.named("model") || s.sets("model") {
		job.Model = a.set.Model
	}
	if e.named("sub-model") || s.sets("sub-model") {
		job.SubModel = a.set.SubModel
	}
	told, err := digest(job.Budgets)
	if err != nil {
		return eval.Arm{}, err
	}
	settings := fmt.Sprintf("on a fleet: model %s, sub-model %s, budgets (%s)", cmp.Or(job.Model, "of the node"), cmp.Or(job.SubModel, "of the node"), told)
	return eval.Elsewhere(s.name(), settings, func(ctx context.Context, item suite.Item, at *eval.Attempt) (string, error) {
		return e.run(ctx, job, item, at)
	}, func(int) (float64, bool) {
		usd, unknown := a.set.mostCost()
		return usd, len(unknown) == 0
	}), nil
}

// run has a node answer an item, and copies the run.
func (e *evalFleet) run(ctx context.Context, job fleet.Job, item suite.Item, at *eval.Attempt) (log string, err error) {
	job.ID, job.Question = item.ID, item.Question
	for _, d := range item.Documents {
		job.Context = append(job.Context, fleet.Source{Name: d.Name, Text: d.Text})
	}
	batch := fleet.Batch{ID: batchID("eval", at.Key), Name: "eval " + item.ID}
	release, err := e.queue.Claim(batch.ID)
	if err != nil {
		return "", err
	}
	defer release()
	if _, err = fleet.Submit(underSpan(ctx), e.queue, batch, []fleet.Job{job}, fleet.Submission{Retry: e.retry}); err != nil {
		return "", err
	}
	for r, err := range fleet.Await(ctx, e.queue, batch.ID, 0, nil) {
		switch {
		case err != nil:
			return "", err
		case r.Run == "" || r.Status == "":
			return "", errors.New(r.Reason)
		}
		if err := fleet.Fetch(ctx, e.queue, r.Run, e.data, false); err != nil {
			return "", err
		}
		return filepath.Join(e.data, "rlm", "runs", r.Run), nil
	}
	return "", cmp.Or(context.Cause(ctx), errors.New("the fleet has no result"))
}
