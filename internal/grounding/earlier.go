package grounding

import "slices"

// Repeating returns the report on a run without the blame for values that repeat an earlier question of its session:
// they are the user's own words, as those of the run's question are.
func (r Report) Repeating(run Run, earlier string) Report {
	lost := func(v Value) bool { return !v.Grounded }
	if earlier == "" || !slices.ContainsFunc(r.Values, lost) {
		return r
	}
	run.Question = earlier
	repeated := map[string]bool{}
	for _, v := range Trace(run).Values {
		if v.Neutral {
			repeated[v.Value] = true
		}
	}
	for i, v := range r.Values {
		if lost(v) && repeated[v.Value] {
			r.Values[i].Grounded, r.Values[i].Neutral, r.Values[i].Why = true, true, "stands in an earlier question"
		}
	}
	r.summarise()
	return r
}
