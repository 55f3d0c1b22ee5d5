package main

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	compare "github.com/gorlm/rlm/examples/compare/corpus"
	incidents "github.com/gorlm/rlm/examples/incidents/corpus"
	oolong "github.com/gorlm/rlm/examples/oolong/corpus"
	"github.com/gorlm/rlm/internal/demo"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/spf13/cobra"
)

// example is a question over a corpus that is made from a seed, with the recorded replies of a model.
type example struct {
	question, replies string
	inputs            func() []runner.Input
}

func examples() map[string]example {
	return map[string]example{
		"incidents": {incidents.Question, incidents.Replies, func() []runner.Input {
			return []runner.Input{runner.Text("shop.log", incidents.Log(incidents.Seed))}
		}},
		"oolong": {oolong.Question, oolong.Replies, func() []runner.Input {
			return []runner.Input{runner.Text("records.txt", oolong.Text(oolong.Seed))}
		}},
		"compare": {compare.Question, compare.Replies, func() []runner.Input {
			var all []runner.Input
			for _, d := range compare.Documents(compare.Seed) {
				all = append(all, runner.Text(d.Name, d.Text))
			}
			return all
		}},
	}
}

func (a *app) demoCommand() *cobra.Command {
	var how showing
	cmd := &cobra.Command{
		Use:   "demo [incidents|oolong|compare]",
		Short: "Answer a real question with recorded replies: no key, no network",
		Long: `Answer a real question over a corpus of some MB, with no key and no network. The replies of the model and of its sub-calls
are recorded; everything else happens now: the corpus is made, cells run in the sandbox, and the answer is computed from it.`,
		ValidArgs: slices.Sorted(maps.Keys(examples())),
		RunE: func(cmd *cobra.Command, args []string) error {
			name := "incidents"
			switch {
			case len(args) > 1:
				return wrongUsage("rlm demo takes one name: incidents, oolong or compare")
			case len(args) == 1:
				name = args[0]
			}
			ex, ok := examples()[name]
			if !ok {
				return wrongUsage("there is no demo %q: incidents, oolong or compare", name)
			}
			return a.demo(cmd, how, ex)
		},
	}
	how.flags(cmd.Flags())
	a.cellFlags(cmd.Flags())
	return cmd
}

func (a *app) demo(cmd *cobra.Command, how showing, ex example) error {
	if err := errors.Join(a.ready(cmd), how.check()); err != nil {
		return err
	}
	a.tell(how, "demo: the model's replies are recorded; all else is live: the corpus is made, cells run, the answer is computed\nquestion: "+strings.TrimSpace(ex.question))
	r, err := a.demoRunner(ex)
	if err != nil {
		return err
	}
	if err := a.follow(cmd.Context(), how, r.Run(cmd.Context(), ex.question, ex.inputs()...)); err != nil {
		return err
	}
	if !how.quiet && !how.json && !how.events {
		fmt.Fprintln(a.err, "what happened in full: rlm show last")
	}
	return nil
}

// demoRunner answers an example from its recording.
func (a *app) demoRunner(ex example) (*runner.Runner, error) {
	rec, err := demo.Load(strings.NewReader(ex.replies))
	if err != nil {
		return nil, err
	}
	model := rec.Answers()
	opts := append(a.options(), runner.WithPrices(llm.Prices{model.Name(): {}}), runner.WithCallSettings(runner.CallSettings{}, runner.CallSettings{}))
	return runner.New(model, opts...)
}
