package runner

import (
	"maps"

	"github.com/gorlm/rlm/runner/trajectory"
)

// Totals are what a session has used, over all its questions.
type Totals struct {
	Usage     map[string]trajectory.Usage
	Cost      float64
	CostKnown bool
}

// plus adds what one more question used.
func (t Totals) plus(usage map[string]trajectory.Usage) Totals {
	sum := Totals{Usage: maps.Clone(t.Usage)}
	for model, u := range usage {
		sum.Usage[model] = addUsage(sum.Usage[model], u)
	}
	sum.Cost, sum.CostKnown = knownCost(sum.Usage)
	return sum
}

// Totals are what all questions so far have used, without the one that is under way.
func (s *Session) Totals() Totals {
	s.info.Lock()
	defer s.info.Unlock()
	return s.total
}

func (s *Session) setTotal(t Totals) {
	s.info.Lock()
	defer s.info.Unlock()
	s.total = t
}
