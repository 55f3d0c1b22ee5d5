package main

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	compare "github.com/gorlm/rlm/examples/compare/corpus"
	incidents "github.com/gorlm/rlm/examples/incidents/corpus"
	oolong "github.com/gorlm/rlm/examples/oolong/corpus"
	"github.com/gorlm/rlm/internal/demo"
	"github.com/gorlm/rlm/internal/front/terminal/screen"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/spf13/cobra"
)

// example is a question over documents generated from a seed, with a model's recorded replies.
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

func (l *launcher) demoCommand() *cobra.Command {
	var how displayFlags
	cmd := &cobra.Command{
		Use:   "demo [incidents|oolong|compare]",
		Short: "Answer a real question with recorded replies: no key, no network",
		Long: `Answer a real question about a corpus of several MB, with no key and no network. The replies of the model and
of its sub-calls are recorded; everything else happens now: the corpus is generated, cells run in the sandbox,
and the answer is computed from it.`,
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
				return wrongUsage("there is no demo %q%s", name,
					cmp.Or(screen.DidYouMean(name, cmd.ValidArgs), ": incidents, oolong or compare"))
			}
			return l.demo(cmd, how, ex)
		},
	}
	how.flags(cmd.Flags())
	l.set.cellFlags(cmd.Flags())
	return cmd
}

func (l *launcher) demo(cmd *cobra.Command, how displayFlags, ex example) error {
	if err := errors.Join(l.set.ready(), how.check()); err != nil {
		return err
	}
	l.tell(how, "demo: the model's replies are recorded; everything else is live: the corpus is generated, cells run, the answer is computed\nquestion: "+strings.TrimSpace(ex.question))
	r, err := l.demoRunner(ex)
	if err != nil {
		return err
	}
	if err := l.follow(cmd.Context(), how, r.Run(cmd.Context(), ex.question, ex.inputs()...)); err != nil {
		return err
	}
	if !how.quiet && !how.json && !how.events {
		fmt.Fprintln(l.err, "the whole run: rlm show last; to ask your own model about the same text: rlm open last")
	}
	return nil
}

// demoRunner makes a runner that answers an example's question from the recording.
func (l *launcher) demoRunner(ex example) (*runner.Runner, error) {
	rec, err := demo.Load(strings.NewReader(ex.replies))
	if err != nil {
		return nil, err
	}
	model := rec.Answers()
	opts := append(l.options(), runner.WithPrices(llm.Prices{model.Name(): {}}),
		runner.WithCallSettings(runner.CallSettings{}, runner.CallSettings{}))
	return runner.New(model, opts...)
}
