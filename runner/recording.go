package runner

import (
	"iter"

	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/runner/trajectory"
)

// Recording returns a model that answers from the events of a run, so that the run can be repeated without a
// model: for demos, examples and tests. A call is found by its place (the run's path and turn, or the cell, the
// prompt's hash and its count), so the order of concurrent calls does not matter. live, which may be nil, answers
// calls that are not recorded.
func Recording(name string, events iter.Seq2[trajectory.Event, error], live llm.Model) (llm.Model, error) {
	replies := map[llm.Key]llm.Response{}
	turns := map[string]int{}
	for ev, err := range events {
		if err != nil {
			return nil, err
		}
		switch d := ev.Data.(type) {
		case trajectory.TurnStarted:
			turns[ev.Path] = d.N
		case trajectory.ReplyReceived:
			replies[turnKey(ev.Path, turns[ev.Path])] = response(d.Content, d.Model, d.Usage, d.FinishReason)
		case trajectory.SubCallEnded:
			if d.Error == "" && d.Model != "" && d.Usage != (trajectory.Usage{}) {
				replies[llm.Key{Path: ev.Path, Cell: d.Cell, Hash: d.Hash, N: d.N}] = response(
					d.Reply, d.Model, d.Usage, "")
			}
		}
	}
	return llm.NewRecorded(name, replies, live), nil
}

func response(content trajectory.Text, model string, u trajectory.Usage, finish string) llm.Response {
	r := llm.Response{Content: content.String(), Model: model, FinishReason: finish, Usage: llm.Usage{
		Prompt: u.Prompt, Completion: u.Completion, Reasoning: u.Reasoning, Cached: u.Cached,
		CacheWritten: u.CacheWritten, CacheWrittenHour: u.CacheWrittenHour, Wasted: u.Wasted,
		Estimated: u.Estimated,
	}}
	if u.CostFrom == "endpoint" {
		r.Cost = u.Cost
	}
	return r
}
