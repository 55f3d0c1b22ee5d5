package runner

import (
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"sync"

	"github.com/gorlm/rlm/prompts"
	"github.com/gorlm/rlm/repl/builtins"
	"github.com/gorlm/rlm/runner/internal/corpus"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/sandbox"
	"github.com/gorlm/rlm/termination"
	"github.com/gorlm/rlm/termination/reply"
)

// equip gives a run its builtins, their names, and the policy that ends it.
func (r *run) equip(mode termination.Mode, interactive bool) error {
	r.specs = r.cfg.specs(mode, r.depth)
	r.names = names(r.specs, mode)
	r.policy = r.cfg.policy(r.specs, mode, interactive)
	state, err := r.policy.Begin("")
	if err != nil {
		return fmt.Errorf("how this run ends: %w", err)
	}
	r.state = state
	return nil
}

// opening is how a question is put to the model.
type opening struct {
	facts *prompts.Facts
	own   []string // observations of a person's own cells
	first bool     // the first question of the conversation
	kind  string   // of the message; question where empty
	// changed says that the mode is another one than the conversation knows.
	changed bool
}

// open puts the system prompt, in a new conversation, and the question.
func (r *run) open(question string, o opening) error {
	if o.first {
		system, err := r.systems.of(r.depth, func() (string, error) { return prompts.System(r.setup()) })
		if err != nil {
			return err
		}
		m, err := note(r.journal, r.path, 0, trajectory.MessageAdded{Role: string(llm.System), Kind: "system", Content: trajectory.T(system)})
		if err != nil {
			return err
		}
		r.conv.apply(m)
	}
	var mode *prompts.Setup
	if o.changed {
		setup := r.setup()
		mode = &setup
	}
	text, err := prompts.Ask(prompts.Question{
		Mode: mode, Text: question, Facts: o.facts, Own: o.own, Left: r.lease.left(0), First: o.first, Review: o.kind == kindReview, More: o.kind == kindMore,
	})
	if err != nil {
		return err
	}
	kind := o.kind
	if kind == "" {
		kind = "question"
	}
	if err := r.say(kind, text); err != nil {
		return err
	}
	state, err := r.policy.Begin(question)
	r.state = state
	return err
}

// systems keeps the system prompts of a tree, which are the same for all runs of one depth.
type systems struct {
	mu sync.Mutex
	at map[int]string
}

func (s *systems) of(depth int, render func() (string, error)) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if text, ok := s.at[depth]; ok {
		return text, nil
	}
	text, err := render()
	if err != nil {
		return "", err
	}
	if s.at == nil {
		s.at = map[int]string{}
	}
	s.at[depth] = text
	return text, nil
}

// setup is what the system prompt says of this run.
func (r *run) setup() prompts.Setup {
	s := prompts.Setup{
		Task: r.policy.Mode == termination.Task, Interactive: r.policy.Interactive, Child: r.depth > 0, Names: r.names,
		OutputLimit: 20_000, Concurrency: r.cfg.Concurrency, Additions: r.cfg.System,
	}
	if r.cfg.Limits.Output > 0 {
		s.OutputLimit = r.cfg.Limits.Output
	}
	if w := r.cfg.window(r.cfg.sub, true); w > 0 {
		s.QueryChars = w * 7 / 2
	}
	for _, h := range builtins.Docs(r.specs) {
		s.Builtins = append(s.Builtins, prompts.Builtin{Name: h.Name, Doc: h.Text, Signal: h.Signal})
	}
	return s
}

// specs are the builtins of a run at a depth, under the names that the configuration gives them, and its tools.
func (c config) specs(mode termination.Mode, depth int) []builtins.Spec {
	var out []builtins.Spec
	for _, s := range builtins.Standard(mode, c.Budgets.bounds().Depth-depth) {
		if name, ok := c.Rename[s.Name]; ok {
			s.Name = name
		}
		if s.Name != "" {
			out = append(out, s)
		}
	}
	for _, t := range c.tools {
		if t.at(depth) {
			out = append(out, t.spec)
		}
	}
	return out
}

// checkSignals refuses a configuration in which a model could never end a run, and names that collide or do not exist.
func (c config) checkSignals() error {
	known := map[string]bool{}
	for _, s := range builtins.Standard(c.Mode) {
		known[s.Name] = true
	}
	for name := range c.Rename {
		if !known[name] {
			return fmt.Errorf("there is no builtin %q to rename", name)
		}
	}
	specs := c.specs(c.Mode, 0)
	seen := map[string]bool{}
	signal := false
	for _, s := range specs {
		if seen[s.Name] {
			return fmt.Errorf("two functions of the notebook have the name %s", s.Name)
		}
		seen[s.Name] = true
		signal = signal || s.Signal
	}
	if !signal {
		return errors.New("no completion signal is available, so no run could end: keep one of the builtins that end a run, or register a tool as one")
	}
	_, err := c.policy(specs, c.Mode, false).Begin("")
	return err
}

// policy is the configured policy for a run with these builtins.
func (c config) policy(specs []builtins.Spec, mode termination.Mode, interactive bool) termination.Policy {
	p := c.Policy
	p.Mode, p.Interactive = mode, interactive
	p.MaxTurns = c.Budgets.bounds().Iterations
	if c.Budgets.Errors != 0 {
		p.MaxErrors = c.Budgets.bounds().Errors
	}
	p.ObservationMarks = []string{prompts.Mark}
	p.Names = reply.Names{}
	for _, s := range specs {
		switch {
		case s.Impl == "FINAL":
			p.Names.Final = s.Name
		case s.Impl == "FINAL_VAR":
			p.Names.FinalVar = s.Name
		case s.Impl == "finish_response":
			p.Names.FinishResponse = s.Name
		case s.Impl == "finish_task", s.Impl == "task_completed":
			p.Names.FinishTask = append(p.Names.FinishTask, s.Name)
		case s.Impl == implTool && s.Signal:
			p.Names.Signals = append(p.Names.Signals, s.Name)
		}
	}
	return p
}

// names finds the functions that prompts speak of.
func names(specs []builtins.Spec, mode termination.Mode) prompts.Names {
	by := map[string]string{}
	for _, s := range specs {
		if s.Impl != implTool {
			by[s.Impl] = s.Name
		}
	}
	n := prompts.Names{
		Query: by["llm_query"], QueryBatched: by["llm_query_batched"], QueryJSON: by["llm_query_json"], ChildQuery: by["rlm_query"],
		Final: by["FINAL"], FinalVar: by["FINAL_VAR"], Finish: by["finish_response"],
		Vars: by["SHOW_VARS"], Grep: by["grep"], Chunks: by["chunks"],
	}
	if mode == termination.Task {
		n.Finish = by["finish_task"]
	}
	if n.Signal() == "" {
		for _, s := range specs {
			if s.Signal {
				n.Final = s.Name
				break
			}
		}
	}
	return n
}

// window is what a model takes in tokens, 0 if that is not known. sub says that it is asked as the sub-model.
func (c config) window(m llm.Model, sub bool) int64 {
	switch {
	case sub && m == c.sub && c.SubWindow > 0:
		return c.SubWindow
	case !sub && c.Window > 0:
		return c.Window
	}
	w, _ := llm.Window(m.Name())
	return w
}

// sandbox configures the notebook of a run.
func (c config) sandbox(text sandbox.Context, specs []builtins.Spec, workers *sandbox.Workers, seed int64) sandbox.Config {
	return sandbox.Config{Level: c.Level, Limits: c.Limits, Context: text, Builtins: specs, Workers: workers, Seed: seed}
}

// seedOf makes random numbers differ from run to run and repeat when a run is taken up.
func seedOf(id, path string) int64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(id + " " + path))
	return int64(h.Sum64() >> 2)
}

// whole is a text as a notebook's context.
func whole(t *corpus.Text) sandbox.Context {
	if t == nil {
		return sandbox.Context{}
	}
	c := sandbox.Context{File: t.File(), Size: t.Size()}
	for _, d := range t.Documents() {
		c.Docs = append(c.Docs, sandbox.DocRange{Name: d.Name, Offset: d.Offset, Size: d.Size})
	}
	return c
}

// listed bounds the documents and the files left out that a prompt names.
const listed = 50

// facts puts what is known of a text into the words of a prompt.
func facts(f corpus.Facts, docs []sandbox.DocRange, skipped []corpus.Skipped) *prompts.Facts {
	p := &prompts.Facts{
		Bytes: f.Bytes, Chars: f.Chars, Lines: f.Lines, Tokens: f.Tokens, Total: len(docs), Head: f.Head, Tail: f.Tail,
		Separator: "each begins after a line like `=== document 2: name ===`",
	}
	if f.Bytes <= int64(len(f.Head)) {
		p.Tail = ""
	}
	for _, d := range docs[:min(len(docs), listed)] {
		p.Documents = append(p.Documents, prompts.Document{Name: d.Name, Bytes: d.Size})
	}
	for _, e := range slices.Sorted(maps.Keys(f.Encodings)) {
		if e != "utf-8" && e != "" {
			p.Encodings = append(p.Encodings, e)
		}
	}
	for i, s := range skipped {
		if i == listed {
			p.Skipped = append(p.Skipped, fmt.Sprintf("and %d more", len(skipped)-listed))
			break
		}
		p.Skipped = append(p.Skipped, s.Name+" ("+s.Reason+")")
	}
	return p
}
