// Package recorded lists the questions that the demonstration answers from a recording.
package recorded

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	compare "github.com/gorlm/rlm/examples/compare/corpus"
	incidents "github.com/gorlm/rlm/examples/incidents/corpus"
	oolong "github.com/gorlm/rlm/examples/oolong/corpus"
	"github.com/gorlm/rlm/internal/demo"
	"github.com/gorlm/rlm/internal/kit/text"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/llm"
)

// Example is a question over documents generated from a seed, with a model's recorded replies.
type Example struct {
	Question, Replies string
	Inputs            func() []runner.Input
}

// Examples returns all examples by name.
func Examples() map[string]Example {
	return map[string]Example{
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

// Names returns the examples' names.
func Names() []string { return slices.Sorted(maps.Keys(Examples())) }

// Named returns the example that a command's arguments name. The default is incidents.
func Named(args []string) (Example, error) {
	name := "incidents"
	switch {
	case len(args) > 1:
		return Example{}, fmt.Errorf("the demo takes one name: %s", choice)
	case len(args) == 1:
		name = args[0]
	}
	if ex, ok := Examples()[name]; ok {
		return ex, nil
	}
	if meant := text.Closest(name, Names()); meant != "" {
		return Example{}, fmt.Errorf("there is no demo %q: did you mean %s?", name, meant)
	}
	return Example{}, fmt.Errorf("there is no demo %q: %s", name, choice)
}

const choice = "incidents, oolong or compare"

// Before returns what people read before the run.
func (e Example) Before() string {
	return "demo: the model's replies are recorded; everything else is live: the corpus is generated, cells run, " +
		"the answer is computed\nquestion: " + strings.TrimSpace(e.Question)
}

// After is what people read after the run.
const After = "the whole run: rlm show last; to ask your own model about the same text: rlm open last"

// Runner makes a runner that answers from the recording.
func (e Example) Runner(opts ...runner.Option) (*runner.Runner, error) {
	rec, err := demo.Load(strings.NewReader(e.Replies))
	if err != nil {
		return nil, err
	}
	model := rec.Answers()
	return runner.New(model, append(opts, runner.WithPrices(llm.Prices{model.Name(): {}}),
		runner.WithCallSettings(runner.CallSettings{}, runner.CallSettings{}))...)
}
