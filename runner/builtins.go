package runner

import (
	"errors"
	"fmt"
	"slices"

	"github.com/gorlm/rlm/internal/answer"
	"github.com/gorlm/rlm/internal/builtins"
	"github.com/gorlm/rlm/internal/observation"
	"github.com/gorlm/rlm/internal/reply"
	"github.com/gorlm/rlm/prompts"
	"github.com/gorlm/rlm/termination"
)

// specs lists the builtins of a run at a depth, under their configured names, and the run's tools.
func (c config) specs(mode termination.Mode, depth int) []builtins.Spec {
	var out []builtins.Spec
	for _, s := range builtins.Standard(mode, c.Budgets.filled().Depth-depth) {
		if name, ok := c.Rename[s.Name]; ok {
			s.Name = name
		}
		if s.Name != "" {
			out = append(out, s)
		}
	}
	if c.answerForm != nil && depth == 0 {
		typeAnswer(c.answerForm, out)
	}
	for _, t := range c.tools {
		if t.At(depth) {
			out = append(out, t.Spec)
		}
	}
	if depth == 0 {
		for _, t := range c.Tools {
			out = append(out, t.Spec)
		}
	}
	if !slices.ContainsFunc(out, func(s builtins.Spec) bool { return s.Name == recordedCalls }) {
		out = append(out, recordedCallsSpec())
	}
	return out
}

// checkSignals refuses a configuration that leaves a model no way to end a run, or whose names collide or do not
// exist.
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
			return fmt.Errorf("two functions of the notebook are named %s", s.Name)
		}
		seen[s.Name] = true
		signal = signal || s.Signal
	}
	if !signal {
		return errors.New("no completion signal is available, so no run could end: keep one of the builtins that end a run, or register a tool that does")
	}
	policy := c.policy(specs, c.Mode, false)
	var tools []string
	for _, s := range specs {
		tools = append(tools, s.Name)
	}
	for _, s := range policy.Sequences {
		if err := s.Check(tools); err != nil {
			return err
		}
	}
	_, err := policy.Begin("")
	return err
}

// policy returns the configured policy, completed for a run with these builtins.
func (c config) policy(specs []builtins.Spec, mode termination.Mode, interactive bool) termination.Policy {
	p := c.Policy
	p.Mode, p.Interactive = mode, interactive
	p.MaxTurns = c.Budgets.filled().Iterations
	if c.Budgets.Errors != 0 {
		p.MaxErrors = c.Budgets.filled().Errors
	}
	p.ObservationMarks = []string{observation.Mark, observation.MarkLeft}
	p.Names = reply.Names{}
	for _, s := range specs {
		switch {
		case s.Impl == answer.NameFinal:
			p.Names.Final = s.Name
		case s.Impl == answer.NameFinalVar:
			p.Names.FinalVar = s.Name
		case s.Impl == answer.NameResponse:
			p.Names.FinishResponse = s.Name
		case s.Impl == answer.NameTask, s.Impl == answer.NameTaskAlias:
			p.Names.FinishTask = append(p.Names.FinishTask, s.Name)
		case s.Impl == builtins.ImplTool && s.Signal:
			p.Names.Signals = append(p.Names.Signals, s.Name)
		}
	}
	return p
}

// names returns the names of the functions that prompts mention.
func names(specs []builtins.Spec, mode termination.Mode) prompts.Names {
	by := map[string]string{}
	for _, s := range specs {
		if s.Impl != builtins.ImplTool {
			by[s.Impl] = s.Name
		}
	}
	n := prompts.Names{
		Query: by[builtins.ImplQuery], QueryBatched: by[builtins.ImplQueryBatched],
		QueryJSON: by[builtins.ImplQueryJSON],
		Judge:     by[builtins.ImplJudge], ChildQuery: by[builtins.ImplChild],
		Final: by[answer.NameFinal], FinalVar: by[answer.NameFinalVar], Finish: by[answer.NameResponse],
		Vars: by[builtins.ImplVars], Grep: by[builtins.ImplGrep], Chunks: by[builtins.ImplChunks],
		Cite: by[builtins.ImplCite],
	}
	if mode == termination.Task {
		n.Finish = by[answer.NameTask]
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

// recordedCallsSpec declares the builtin recorded_calls.
func recordedCallsSpec() builtins.Spec {
	return builtins.Spec{
		Name: recordedCalls, Impl: builtins.ImplTool, Params: []string{"cell int"}, Results: []string{"[]RecordedCall"},
		Types: "type RecordedCall struct {\nPrompt string\nReply string\nError string\n}",
		Doc:   recordedCalls + "(cell int) []RecordedCall // {Prompt, Reply, Error}\nthe sub-calls of an earlier cell with their replies, in order",
	}
}

// builtinOf returns the name of a builtin in a run, "" if the run does not have it.
func builtinOf(specs []builtins.Spec, impl string) string {
	for _, s := range specs {
		if s.Impl == impl {
			return s.Name
		}
	}
	return ""
}
