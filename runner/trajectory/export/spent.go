package export

import (
	"maps"
	"slices"

	"github.com/gorlm/rlm/runner/trajectory"
)

// spent is what calls used, by model.
type spent map[string]*modelSpent

type modelSpent struct {
	calls int
	trajectory.Usage
	unpriced bool
}

// add takes in the usage of one call.
func (s spent) add(model string, u trajectory.Usage) {
	m := s[model]
	if m == nil {
		m = &modelSpent{}
		s[model] = m
	}
	m.calls++
	m.Prompt += u.Prompt
	m.Completion += u.Completion
	m.Cached += u.Cached
	if u.Cost == nil {
		m.unpriced = true
		return
	}
	sum := *u.Cost
	if m.Cost != nil {
		sum += *m.Cost
	}
	m.Cost = &sum
}

// spent is what a sub-call used, with all that was used below it.
func (c *call) spent() spent {
	s := spent{}
	c.addTo(s)
	return s
}

func (c *call) addTo(s spent) {
	if c.ended != nil && c.ended.Usage != (trajectory.Usage{}) {
		s.add(c.ended.Model, c.ended.Usage)
		return
	}
	for _, t := range c.child { // the usage of a child run stands in its own events
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

func (s spent) tokens() (prompt, completion int64) {
	for _, m := range s {
		prompt += m.Prompt
		completion += m.Completion
	}
	return prompt, completion
}

// summary is the usage in the other format. A cost that is not known in full is left out of the total only
// where nothing is known.
func (s spent) summary() *vizUsage {
	u := &vizUsage{Models: map[string]vizModelUsage{}}
	var total float64
	for _, model := range slices.Sorted(maps.Keys(s)) {
		m := s[model]
		u.Models[model] = vizModelUsage{Calls: m.calls, Input: m.Prompt, Output: m.Completion, Cost: m.Cost, Cached: m.Cached}
		if m.Cost != nil {
			total += *m.Cost
			u.TotalCost = &total
		}
	}
	return u
}
