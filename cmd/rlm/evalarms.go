package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/gorlm/rlm/internal/eval"
	"github.com/gorlm/rlm/internal/kit/scratch"
	"github.com/gorlm/rlm/internal/kit/text"
	"github.com/gorlm/rlm/prompts"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/spf13/pflag"
)

// unknownWindow is assumed to be the window of a model, in tokens, if that is unknown. It matters only to arms
// without a notebook, which fill the window.
const unknownWindow = 128_000

// armFlags are the flags that affect the answers of arms. Each arm can override them.
func (s *settings) armFlags(f *pflag.FlagSet) {
	s.modelFlags(f)
	inGroup(f, groupStop, func() { s.stopFlags(f) })
	inGroup(f, groupModel, func() {
		f.StringVar(&s.System, "system", s.System, "text added to the system prompt of rlm arms")
	})
	s.budgetFlags(f)
	s.cellFlags(f)
}

// armSpec describes an arm: "rlm:depth=2,prompt=short" has the way "rlm" and two settings.
type armSpec struct {
	way      string
	settings []string
}

// sets reports whether the arm has the named setting.
func (s armSpec) sets(name string) bool {
	return slices.ContainsFunc(s.settings, func(one string) bool { return strings.HasPrefix(one, name+"=") })
}

func (s armSpec) name() string {
	if len(s.settings) == 0 {
		return s.way
	}
	return s.way + ":" + strings.Join(s.settings, ",")
}

// alone reports whether an arm answers without sub-calls. The setting max-sub-calls=0 removes the functions for
// sub-calls, instead of limiting their number.
func (s armSpec) alone() bool { return slices.ContainsFunc(s.settings, withoutCalls) }

func withoutCalls(setting string) bool {
	return setting == "max-sub-calls=0" || setting == "sub-calls=0"
}

// armSpecs parses --arms, in which commas separate arms as well as their settings, and --prompt, which adds a
// variant of each rlm arm for each prompt.
func armSpecs(arms, prompts []string) ([]armSpec, error) {
	var specs []armSpec
	for _, text := range arms {
		key, _, isSetting := strings.Cut(text, "=")
		way, first, hasSettings := strings.Cut(text, ":")
		switch {
		case isSetting && !strings.Contains(key, ":"):
			if len(specs) == 0 {
				return nil, wrongUsage("--arms begins with the setting %s: put an arm in front of it, as in rlm:%s", text,
					text)
			}
			last := &specs[len(specs)-1]
			last.settings = append(last.settings, text)
			continue
		case hasSettings && !isSetting:
			return nil, wrongUsage("--arms %s: settings are written NAME=VALUE, as in rlm:depth=2", text)
		case hasSettings:
			specs = append(specs, armSpec{way, []string{first}})
		default:
			specs = append(specs, armSpec{way: text})
		}
	}
	var out []armSpec
	for _, s := range specs {
		if !slices.Contains(ways, s.way) {
			return nil, wrongUsage("unknown arm %q: use %s", s.way, strings.Join(ways, ", "))
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
		return nil, wrongUsage("--arms names no arms")
	case len(prompts) > 0 && !slices.ContainsFunc(
		out, func(s armSpec) bool { return slices.ContainsFunc(s.settings, isPrompt) }):
		return nil, wrongUsage("--prompt is for rlm arms, but --arms has none")
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

// plainSettings are the settings in which arms without a notebook can differ.
var plainSettings = []string{
	"model", "base-url", "window", "temperature", "max-output-tokens", "reasoning-effort",
	"call-timeout", "tries", "requests-per-minute", "tokens-per-minute",
}

// arms makes the requested arms. If there is a fleet, rlm arms run on its nodes.
func (l *launcher) arms(ctx context.Context, ev evalFlags, nodes *evalFleet) ([]eval.Arm, error) {
	specs, err := armSpecs(ev.arms, ev.prompts)
	if err != nil {
		return nil, err
	}
	var apart []*launcher
	for _, s := range specs { // check all arms before looking for models
		b, err := l.forArm(s)
		if err != nil {
			return nil, err
		}
		apart = append(apart, b)
	}
	var arms []eval.Arm
	var told []string
	for i, s := range specs {
		b := apart[i]
		b.names, b.namesOf = l.names, l.namesOf // one client per model, so that its limits are common to all arms
		if s.way == "rlm" && nodes != nil {
			arm, err := nodes.arm(b.set, s)
			if err != nil {
				return nil, err
			}
			arms = append(arms, arm)
			continue
		}
		m, err := b.models(ctx)
		if ev.dryRun && err != nil { // no model will be called
			m, err = b.set.unasked(), nil
		}
		if err != nil {
			return nil, err
		}
		l.names, l.namesOf = b.names, b.namesOf
		arm, note, err := b.arm(s, m)
		if err != nil {
			return nil, err
		}
		for _, text := range []string{m.note, note} {
			if text != "" && !ev.quiet && !slices.Contains(told, text) {
				told = append(told, text)
				fmt.Fprintln(l.err, text)
			}
		}
		arms = append(arms, arm)
	}
	return arms, nil
}

// unasked returns models that have names but cannot be called.
func (s *settings) unasked() models {
	one := func(name string) llm.Model {
		return llm.ScriptedFunc(name, func(context.Context, llm.Request, int) (llm.Response, error) {
			return llm.Response{}, errors.ErrUnsupported
		})
	}
	root := cmp.Or(s.Model, "model")
	s.Model = root
	return models{root: one(root), sub: one(cmp.Or(s.SubModel, root))}
}

// forArm returns a launcher with the settings of one arm.
func (l *launcher) forArm(s armSpec) (*launcher, error) {
	set := *l.set
	b := &launcher{
		streams: l.streams, modelSet: &modelSet{set: &set, names: l.names, namesOf: l.namesOf},
		starter: l.starter,
	}
	f := pflag.NewFlagSet("arm", pflag.ContinueOnError)
	set.armFlags(f)
	set.promptFlag(f)
	for _, setting := range s.settings {
		if s.way == "rlm" && withoutCalls(setting) {
			b.set.MaxDepth, b.set.MaxSubCalls = 0, -1 // sub-calls that do not exist need no budget
			continue
		}
		name, value, _ := strings.Cut(setting, "=")
		if f.Lookup(name) == nil && f.Lookup("max-"+name) != nil {
			name = "max-" + name
		}
		switch {
		case f.Lookup(name) == nil:
			var known []string
			f.VisitAll(func(one *pflag.Flag) { known = append(known, one.Name, strings.TrimPrefix(one.Name, "max-")) })
			hint := ""
			if near := text.Closest(name, known); near != "" {
				hint = fmt.Sprintf("; did you mean %s?", near)
			}
			return nil, wrongUsage("--arms %s: there is no setting %q; settings are flags without dashes, such as model, sub-model, depth, prompt, cost%s", s.name(), name, hint)
		case s.way != "rlm" && !slices.Contains(plainSettings, name):
			return nil, wrongUsage("--arms %s: %s has no notebook; it can differ in %s", s.name(), s.way,
				strings.Join(plainSettings, ", "))
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

// arm makes an arm. The note describes assumptions.
func (l *launcher) arm(s armSpec, m models) (arm eval.Arm, note string, err error) {
	if s.way == "rlm" {
		ending, err := l.set.ending()
		if err != nil {
			return arm, "", err
		}
		settings, err := l.set.armSettings(m)
		if err != nil {
			return arm, "", err
		}
		if s.alone() {
			settings += ", without sub-calls"
			ending = append(ending, runner.WithRename(withoutModels()))
		}
		r, err := l.newRunner(m, ending...)
		if err != nil {
			return arm, "", err
		}
		return eval.RLM(s.name(), settings, r, func(int) (float64, bool) {
			usd, unknown := l.set.mostCost()
			return usd, len(unknown) == 0
		}), "", nil
	}
	plain := l.set.plain(m.root)
	if plain.Window == 0 {
		plain.Window = unknownWindow
		note = fmt.Sprintf("the window of %s is unknown: assuming %d tokens (--window sets it)", m.root.Name(),
			unknownWindow)
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

// withoutModels returns renames that remove the notebook functions for calling models, so that the prompt does not
// mention them.
func withoutModels() map[string]string {
	gone := map[string]string{}
	for _, name := range []string{
		"llm_query", "llm_query_batched", "llm_query_json", "llm_query_json_batched", "judge", "rlm_query",
		"rlm_query_batched",
		"Model", "System", "Temperature", "MaxTokens", "Source", "Memo",
	} {
		gone[name] = ""
	}
	return gone
}

// plain returns a model for arms without a notebook, with its settings.
func (s *settings) plain(m llm.Model) eval.PlainModel {
	prices := llm.KnownPrices().With(s.prices())
	if own := llm.FactsOf(m).Price; own != nil {
		if _, known := s.prices().Lookup(m.Name()); !known {
			prices = prices.With(llm.Prices{m.Name(): *own})
		}
	}
	return eval.PlainModel{
		Model: m, Prices: prices, Window: int(cmp.Or(s.Window, llm.FactsOf(m).Window)),
		Call: eval.CallSettings{
			Temperature: s.Temperature, MaxTokens: s.MaxOutputTokens,
			ReasoningEffort: s.ReasoningEffort,
		},
	}
}

// armSettings describes all settings that affect the answers of an rlm arm: those that people compare in words, the
// rest as a digest.
func (s *settings) armSettings(m models) (string, error) {
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
		m.root.Name(), m.sub.Name(), cmp.Or(s.Prompt, prompts.Shipped), told, b.Iterations, b.SubCalls, b.Tokens,
		b.Cost, b.Time, max(b.Depth, 0), b.Errors, s.Engine, temperature,
		s.MaxOutputTokens, s.ReasoningEffort, rest)
	if s.System != "" {
		text += fmt.Sprintf(", system %q", s.System)
	}
	return text, nil
}

// digest returns a short hash of settings that are too long to read.
func digest(of ...any) (string, error) {
	data, err := json.Marshal(of)
	if err != nil {
		return "", fmt.Errorf("writing settings as JSON: %w", err)
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:4]), nil
}

// scorers returns the scorers that need more than the text of an answer, and a function that cleans up after them.
func (l *launcher) scorers(ctx context.Context, ev evalFlags) (map[string]eval.Scorer, func() error, error) {
	scorers := map[string]eval.Scorer{}
	cleanUp := func() error { return nil }
	judged, own := ev.choice.names(eval.JudgeName), ev.choice.names(eval.OwnName)
	switch {
	case judged && ev.judge == "":
		return nil, nil, wrongUsage("some items are scored by a judge: name its model with --judge")
	case !judged && ev.judge != "":
		return nil, nil, wrongUsage(
			"--judge scores items of --data whose scorer is judge, but there are none (--scorer judge sets it for items that name none)")
	case own && ev.choice.code == "":
		return nil, nil, wrongUsage("some items have a scorer of their own: give its file with --scorer FILE.go")
	}
	if judged {
		m, err := l.namedModel(ctx, ev.judge)
		if ev.dryRun && err != nil {
			m, err = (&settings{Model: ev.judge}).unasked().root, nil
		}
		if err != nil {
			return nil, nil, wrongUsage("--judge: %w", err)
		}
		scorers[eval.JudgeName] = eval.Judge(m, eval.CallSettings{}, l.set.plain(m).Prices)
	}
	if own {
		source, err := l.readText(ctx, ev.choice.code)
		if err != nil {
			return nil, nil, fmt.Errorf("--scorer: %w", err)
		}
		dir, remove, err := scratch.Folder()
		if err != nil {
			return nil, nil, err
		}
		cleanUp = remove
		r, err := runner.New(noModel("a scorer"), append(l.options(), runner.WithDataDir(dir))...)
		if err != nil {
			return nil, nil, errors.Join(err, remove())
		}
		if scorers[eval.OwnName], err = eval.Own(ctx, source, r); err != nil {
			return nil, nil, errors.Join(wrongUsage("--scorer %s: %w", ev.choice.code, err), remove())
		}
	}
	return scorers, cleanUp, nil
}
