package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/gorlm/rlm/internal/eval"
	"github.com/gorlm/rlm/internal/spell"
	"github.com/gorlm/rlm/prompts"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/spf13/pflag"
)

// unknownWindow is how many tokens a model is taken to have room for where nobody knows. It matters to the arms without a notebook, which
// fill it.
const unknownWindow = 128_000

// armFlags are the flags that decide how an arm answers. An arm may set them for itself.
func (a *app) armFlags(f *pflag.FlagSet) {
	a.modelFlags(f)
	inGroup(f, groupStop, func() { a.set.stopFlags(f) })
	inGroup(f, groupModel, func() {
		f.StringVar(&a.set.System, "system", a.set.System, "text added to the system prompt of rlm arms")
	})
	a.budgetFlags(f)
	a.cellFlags(f)
}

// armSpec is an arm as it was asked for: "rlm:depth=2,prompt=short" has the way rlm and two settings.
type armSpec struct {
	way      string
	settings []string
}

// sets says whether the arm has a setting of its own.
func (s armSpec) sets(name string) bool {
	return slices.ContainsFunc(s.settings, func(one string) bool { return strings.HasPrefix(one, name+"=") })
}

func (s armSpec) name() string {
	if len(s.settings) == 0 {
		return s.way
	}
	return s.way + ":" + strings.Join(s.settings, ",")
}

// armSpecs reads --arms, whose commas stand between arms and between the settings of one, and --prompt, which adds to each rlm arm one with
// that prompt.
func armSpecs(arms, prompts []string) ([]armSpec, error) {
	var specs []armSpec
	for _, text := range arms {
		key, _, isSetting := strings.Cut(text, "=")
		way, first, hasSettings := strings.Cut(text, ":")
		switch {
		case isSetting && !strings.Contains(key, ":"):
			if len(specs) == 0 {
				return nil, wrongUsage("--arms begins with the setting %s: name an arm before it, as in rlm:%s", text, text)
			}
			last := &specs[len(specs)-1]
			last.settings = append(last.settings, text)
			continue
		case hasSettings && !isSetting:
			return nil, wrongUsage("--arms %s: settings have the form NAME=VALUE, as in rlm:depth=2", text)
		case hasSettings:
			specs = append(specs, armSpec{way, []string{first}})
		default:
			specs = append(specs, armSpec{way: text})
		}
	}
	var out []armSpec
	for _, s := range specs {
		if !slices.Contains(ways, s.way) {
			return nil, wrongUsage("there is no arm %q: use %s", s.way, strings.Join(ways, ", "))
		}
		out = append(out, s)
		if s.way != "rlm" || slices.ContainsFunc(s.settings, isPrompt) {
			continue
		}
		for _, p := range prompts {
			out = append(out, armSpec{s.way, append(slices.Clone(s.settings), "prompt="+p)})
		}
	}
	switch {
	case len(out) == 0:
		return nil, wrongUsage("--arms names no arm")
	case len(prompts) > 0 && !slices.ContainsFunc(out, func(s armSpec) bool { return slices.ContainsFunc(s.settings, isPrompt) }):
		return nil, wrongUsage("--prompt is for rlm arms, and --arms has none")
	}
	for i, s := range out {
		if slices.ContainsFunc(out[:i], func(o armSpec) bool { return o.name() == s.name() }) {
			return nil, wrongUsage("the arm %s is named twice", s.name())
		}
	}
	return out, nil
}

var ways = []string{"rlm", "direct", "rag", "summary"}

func isPrompt(setting string) bool { return strings.HasPrefix(setting, "prompt=") }

// plainSettings are what arms without a notebook can differ in.
var plainSettings = []string{"model", "base-url", "window", "temperature", "max-output-tokens", "reasoning-effort", "call-timeout", "tries", "requests-per-minute", "tokens-per-minute"}

// arms are the ways to answer that were asked for. Those with a notebook run on nodes, if there are some.
func (a *app) arms(ctx context.Context, ev evaluating, nodes *evalFleet) ([]eval.Arm, error) {
	specs, err := armSpecs(ev.arms, ev.prompts)
	if err != nil {
		return nil, err
	}
	var apart []*app
	for _, s := range specs { // all are read before the first model is looked for
		b, err := a.forArm(s)
		if err != nil {
			return nil, err
		}
		apart = append(apart, b)
	}
	var arms []eval.Arm
	var told []string
	for i, s := range specs {
		b := apart[i]
		b.names, b.namesOf = a.names, a.namesOf // one client for each model, so that its limits hold for all arms
		if s.way == "rlm" && nodes != nil {
			arm, err := nodes.arm(b, s)
			if err != nil {
				return nil, err
			}
			arms = append(arms, arm)
			continue
		}
		m, err := b.models(ctx)
		if ev.dryRun && err != nil { // nobody is asked, so nobody has to be there
			m, err = b.unasked(), nil
		}
		if err != nil {
			return nil, err
		}
		a.names, a.namesOf = b.names, b.namesOf
		arm, note, err := b.arm(s, m)
		if err != nil {
			return nil, err
		}
		for _, text := range []string{m.note, note} {
			if text != "" && !ev.quiet && !slices.Contains(told, text) {
				told = append(told, text)
				fmt.Fprintln(a.err, text)
			}
		}
		arms = append(arms, arm)
	}
	return arms, nil
}

// unasked are models that only have names.
func (a *app) unasked() models {
	one := func(name string) llm.Model {
		return llm.ScriptedFunc(name, func(context.Context, llm.Request, int) (llm.Response, error) {
			return llm.Response{}, errors.ErrUnsupported
		})
	}
	root := cmp.Or(a.set.Model, "model")
	a.set.Model = root
	return models{root: one(root), sub: one(cmp.Or(a.set.SubModel, root))}
}

// forArm is the program with the settings of one arm.
func (a *app) forArm(s armSpec) (*app, error) {
	b := &app{in: a.in, out: a.out, err: a.err, set: a.set, names: a.names, namesOf: a.namesOf, starter: a.starter}
	f := pflag.NewFlagSet("arm", pflag.ContinueOnError)
	b.armFlags(f)
	b.promptFlag(f)
	for _, setting := range s.settings {
		name, value, _ := strings.Cut(setting, "=")
		if f.Lookup(name) == nil && f.Lookup("max-"+name) != nil {
			name = "max-" + name
		}
		switch {
		case f.Lookup(name) == nil:
			var known []string
			f.VisitAll(func(one *pflag.Flag) { known = append(known, one.Name, strings.TrimPrefix(one.Name, "max-")) })
			hint := ""
			if near := spell.Closest(name, known); near != "" {
				hint = fmt.Sprintf("; did you mean %s?", near)
			}
			return nil, wrongUsage("--arms %s: there is no setting %q; settings are flags without dashes, such as model, sub-model, depth, prompt, cost%s", s.name(), name, hint)
		case s.way != "rlm" && !slices.Contains(plainSettings, name):
			return nil, wrongUsage("--arms %s: %s has no notebook; it can differ in %s", s.name(), s.way, strings.Join(plainSettings, ", "))
		}
		if err := f.Set(name, value); err != nil {
			return nil, wrongUsage("--arms %s: %w", s.name(), err)
		}
	}
	if err := b.set.check(); err != nil {
		return nil, wrongUsage("--arms %s: %w", s.name(), err)
	}
	if _, err := b.set.ending(); err != nil {
		return nil, err
	}
	return b, nil
}

// arm makes an arm; the note says what was assumed.
func (a *app) arm(s armSpec, m models) (arm eval.Arm, note string, err error) {
	if s.way == "rlm" {
		ending, err := a.set.ending()
		if err != nil {
			return arm, "", err
		}
		r, err := a.newRunner(m, ending...)
		if err != nil {
			return arm, "", err
		}
		settings, err := a.set.armSettings(m)
		if err != nil {
			return arm, "", err
		}
		return eval.RLM(s.name(), settings, r, func(int) (float64, bool) {
			usd, unknown := a.set.mostCost()
			return usd, len(unknown) == 0
		}), "", nil
	}
	plain := a.plain(m.root)
	if plain.Window == 0 {
		plain.Window = unknownWindow
		note = fmt.Sprintf("the window of %s is not known: %d tokens are assumed (--window)", m.root.Name(), unknownWindow)
	}
	switch s.way {
	case "direct":
		arm = eval.Direct(plain)
	case "rag":
		arm = eval.RAG(plain)
	default:
		arm = eval.Summary(plain)
	}
	arm.Name = s.name()
	return arm, note, nil
}

// plain is a model with the settings that it has in all arms.
func (a *app) plain(m llm.Model) eval.Plain {
	prices := llm.KnownPrices().With(a.set.Prices)
	if own := llm.FactsOf(m).Price; own != nil {
		if _, known := a.set.Prices.Lookup(m.Name()); !known {
			prices = prices.With(llm.Prices{m.Name(): *own})
		}
	}
	return eval.Plain{
		Model: m, Prices: prices, Window: int(cmp.Or(a.set.Window, llm.FactsOf(m).Window)),
		Call: eval.CallSettings{Temperature: a.set.Temperature, MaxTokens: a.set.MaxOutputTokens, ReasoningEffort: a.set.ReasoningEffort},
	}
}

// armSettings are all that the answers of an rlm arm depend on: what people compare in words, the rest as a digest.
func (s settings) armSettings(m models) (string, error) {
	prompt, err := s.prompt()
	if err != nil {
		return "", err
	}
	words, err := prompt.Files()
	if err != nil {
		return "", err
	}
	policy, err := s.stopPolicy()
	if err != nil {
		return "", err
	}
	told, err := digest(words)
	if err != nil {
		return "", err
	}
	rest, err := digest(policy, s.limits(), s.Window, s.SubWindow, s.Concurrency, s.Memo)
	if err != nil {
		return "", err
	}
	temperature := "default"
	if s.Temperature != nil {
		temperature = fmt.Sprint(*s.Temperature)
	}
	b := s.budgets()
	text := fmt.Sprintf("model %s, sub-model %s, prompt %s (%s), turns %d, sub-calls %d, tokens %d, cost %v, time %v, depth %d, errors %d, engine %s, temperature %s, reply %d, effort %q, rest (%s)",
		m.root.Name(), m.sub.Name(), cmp.Or(s.Prompt, prompts.Shipped), told, b.Iterations, b.SubCalls, b.Tokens, b.Cost, b.Time, max(b.Depth, 0), b.Errors, s.Engine, temperature,
		s.MaxOutputTokens, s.ReasoningEffort, rest)
	if s.System != "" {
		text += fmt.Sprintf(", system %q", s.System)
	}
	return text, nil
}

// digest stands for settings that are too long to read.
func digest(of ...any) (string, error) {
	data, err := json.Marshal(of)
	if err != nil {
		return "", fmt.Errorf("writing settings as JSON: %w", err)
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:4]), nil
}

// scorers are those that need more than the answer's text, and a function that removes what they leave behind.
func (a *app) scorers(ctx context.Context, ev evaluating) (map[string]eval.Scorer, func() error, error) {
	scorers := map[string]eval.Scorer{}
	cleanUp := func() error { return nil }
	judged, own := ev.choice.names(eval.JudgeName), ev.choice.names(eval.OwnName)
	switch {
	case judged && ev.judge == "":
		return nil, nil, wrongUsage("some items are scored by a judge: name its model with --judge")
	case !judged && ev.judge != "":
		return nil, nil, wrongUsage("--judge scores items of --data whose scorer is judge, and there are none (--scorer judge makes it the scorer of items that name none)")
	case own && ev.choice.code == "":
		return nil, nil, wrongUsage("some items have a scorer of their own: give its file with --scorer FILE.go")
	}
	if judged {
		m, err := a.namedModel(ctx, ev.judge)
		if ev.dryRun && err != nil {
			b := app{set: settings{Model: ev.judge}}
			m, err = b.unasked().root, nil
		}
		if err != nil {
			return nil, nil, wrongUsage("--judge: %w", err)
		}
		scorers[eval.JudgeName] = eval.Judge(m, eval.CallSettings{}, a.plain(m).Prices)
	}
	if own {
		source, err := os.ReadFile(ev.choice.code)
		if err != nil {
			return nil, nil, wrongUsage("--scorer: %w", err)
		}
		dir, remove, err := scratch()
		if err != nil {
			return nil, nil, err
		}
		cleanUp = remove
		r, err := runner.New(noModel("a scorer"), append(a.options(), runner.WithDataDir(dir))...)
		if err != nil {
			return nil, nil, errors.Join(err, remove())
		}
		if scorers[eval.OwnName], err = eval.Own(ctx, string(source), r); err != nil {
			return nil, nil, errors.Join(wrongUsage("--scorer %s: %w", ev.choice.code, err), remove())
		}
	}
	return scorers, cleanUp, nil
}
