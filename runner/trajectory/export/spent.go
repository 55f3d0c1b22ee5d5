package export

import (
	"maps"
	"slices"

	"github.com/gorlm/rlm/runner/trajectory"
)

// usageByModel is the usage of calls, by model.
type usageByModel map[string]*modelSpent

type modelSpent struct {
	calls                      int
	prompt, completion, cached int64
	cost                       trajectory.Cost
}

// add adds the usage of one call.
func (s usageByModel) add(model string, u trajectory.Usage) {
	m := s[model]
	if m == nil {
		m = &modelSpent{}
		s[model] = m
	}
	m.calls++
	m.prompt += u.Prompt
	m.completion += u.Completion
	m.cached += u.Cached
	m.cost.Add(u)
}

// spent is the usage of a sub-call, including everything below it.
func (c *call) spent() usageByModel {
	s := usageByModel{}
	c.addTo(s)
	return s
}

func (c *call) addTo(s usageByModel) {
	if c.ended != nil && c.ended.Usage != (trajectory.Usage{}) {
		s.add(c.ended.Model, c.ended.Usage)
		return
	}
	for _, t := range c.child { // a child run's usage is in its own events
		if t.reply != nil {
			s.add(t.reply.Model, t.reply.Usage)
		}
		for _, cell := range t.cells {
			for _, below := range cell.calls {
				below.addTo(s)
			}
		}
	}
}

func (s usageByModel) tokens() (prompt, completion int64) {
	for _, m := range s {
		prompt += m.prompt
		completion += m.completion
	}
	return prompt, completion
}

// summary converts the usage to the visualizer's format. The total is the known part of the cost, or null if no
// part is known.
func (s usageByModel) summary() *vizUsage {
	u := &vizUsage{Models: map[string]vizModelUsage{}}
	var total trajectory.Cost
	for _, model := range slices.Sorted(maps.Keys(s)) {
		m := s[model]
		u.Models[model] = vizModelUsage{
			Calls: m.calls, Input: m.prompt, Output: m.completion, Cost: m.cost.Part(), Cached: m.cached,
		}
		total.Add(trajectory.Usage{Cost: m.cost.Part()})
	}
	u.TotalCost = total.Part()
	return u
}
