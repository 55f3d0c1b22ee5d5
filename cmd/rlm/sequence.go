package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/gorlm/rlm/repl"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/termination"
)

// stopFlags are the flags of what else ends a run.
func (s *settings) stopFlags(f *pflag.FlagSet) {
	f.StringArrayVar(&s.Done, "done", s.Done, "end the run when this sequence of events has happened, such as 'T[llm_query_batched], A' (repeatable)")
	f.BoolVar(&s.RequireEvidence, "require-evidence", s.RequireEvidence, "send an answer back, once, that no mark of evidence supports or that quotes what is not in the documents")
	f.BoolVar(&s.SingleRound, "single-round", s.SingleRound, "end the run after the first turn")
	f.BoolVar(&s.DoneIfTool, "done-if-tool", s.DoneIfTool, "end the run after a turn whose cells called a function of the notebook or a tool")
	f.StringSliceVar(&s.DoneIfResponse, "done-if-response", s.DoneIfResponse, "end the run when the llm (its reply) or the agent (the notebook) responds")
	f.StringSliceVar(&s.DoneIfNoResponse, "done-if-no-response", s.DoneIfNoResponse, "end the run when the llm or the agent brings nothing")
	f.StringArrayVar(&s.StringSignals, "string-signal", s.StringSignals, "end the run when a line of the reply begins or ends with this word, such as DONE (repeatable)")
}

// stopPolicy is the default policy with the sequences, switches and words of the settings.
func (s settings) stopPolicy() (termination.Policy, error) {
	p := termination.DefaultPolicy(termination.Mode(s.Mode))
	p.RequireEvidence = s.RequireEvidence
	p.SingleRound, p.DoneIfTool, p.StringSignals = s.SingleRound, s.DoneIfTool, s.StringSignals
	for _, text := range s.Done {
		seq, err := termination.ParseSequence(text)
		if err != nil {
			return p, wrongUsage("--done: %v", err)
		}
		p.Sequences = append(p.Sequences, seq)
	}
	var err error
	if p.DoneIfResponse, err = entities("--done-if-response", s.DoneIfResponse); err != nil {
		return p, err
	}
	p.DoneIfNoResponse, err = entities("--done-if-no-response", s.DoneIfNoResponse)
	return p, err
}

// entities reads who is to respond. The user is not among them: a user's message begins a run and never comes within it.
func entities(flag string, names []string) ([]termination.Entity, error) {
	var out []termination.Entity
	for _, name := range names {
		switch e := termination.Entity(strings.ToLower(strings.TrimSpace(name))); e {
		case termination.LLM, termination.Agent:
			out = append(out, e)
		default:
			return nil, wrongUsage("%s: it is llm (the replies of the model) or agent (the notebook), not %q", flag, name)
		}
	}
	return out, nil
}

// showSequence prints the last run of a log as done sequences see it.
func (a *app) showSequence(dir string, done []string) error {
	var seqs []termination.Sequence
	for _, text := range done {
		seq, err := termination.ParseSequence(text)
		if err != nil {
			return wrongUsage("--done: %v", err)
		}
		seqs = append(seqs, seq)
	}
	events, begun, err := sequenceEvents(dir)
	if err != nil {
		return err
	}
	m, err := termination.NewMatcher(append(begun, seqs...))
	if err != nil {
		return err
	}
	var letters []string
	for _, ev := range events {
		text := ev.Letter()
		if len(ev.Tools) > 0 {
			text += "[" + strings.Join(ev.Tools, "|") + "]"
		}
		letters = append(letters, text)
		m.Observe(ev)
	}
	fmt.Fprintln(a.out, strings.Join(letters, ", "))
	for _, p := range m.Progress() {
		state := fmt.Sprintf("%d of %d", p.Best, p.Of)
		if p.Best == p.Of {
			state += ", complete"
		}
		fmt.Fprintf(a.out, "%s: %s\n", p.Name, state)
	}
	return nil
}

// sequenceEvents are the messages of the last run of a log, and the sequences that it was begun with.
func sequenceEvents(dir string) (events []termination.Event, begun []termination.Sequence, err error) {
	for ev, err := range trajectory.Read(dir) {
		if err != nil {
			return nil, nil, err
		}
		if ev.Path != "" {
			continue
		}
		switch d := ev.Data.(type) {
		case trajectory.RunStarted:
			var config struct {
				Policy termination.Policy `json:"policy"`
			}
			if len(d.Config) > 0 {
				if err := decode(d.Config, &config); err != nil {
					return nil, nil, fmt.Errorf("reading how the run was begun: %w", err)
				}
			}
			events, begun = nil, config.Policy.Sequences
		case trajectory.MessageAdded:
			switch d.Kind {
			case "question", "review":
				events = append(events, termination.Event{Type: termination.UserEvent, Content: d.Content.String()})
			case "observation":
				events = append(events, termination.Event{Type: termination.AgentEvent, Content: d.Content.String()})
			}
		case trajectory.ReplyReceived:
			reply := termination.Event{Type: termination.LLMEvent, Content: d.Content.String()}
			if strings.TrimSpace(reply.Content) == "" {
				reply.Type = termination.NoResponse
			}
			events = append(events, reply)
		case trajectory.CellEnded:
			if ev.Turn > 0 {
				called(events, d)
			}
		}
	}
	return events, begun, nil
}

// called adds what a cell called to the reply that the cell stands in.
func called(events []termination.Event, d trajectory.CellEnded) {
	var res repl.Result
	if len(events) == 0 || decode(d.Result, &res) != nil || len(res.Called) == 0 {
		return
	}
	last := &events[len(events)-1]
	if last.Type != termination.LLMEvent && last.Type != termination.ToolEvent {
		return
	}
	last.Type = termination.ToolEvent
	for _, name := range res.Called {
		if !slices.Contains(last.Tools, name) {
			last.Tools = append(last.Tools, name)
		}
	}
}
