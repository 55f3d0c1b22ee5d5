package budget

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/runner/trajectory"
)

// Call is a call of a model that was made.
type Call struct {
	Path  string // of the run that made it
	Turn  bool   // a turn of that run itself, not a sub-call
	Model string
	Usage trajectory.Usage
	Took  time.Duration
}

// spent is what one run used, without the child runs below it.
type spent struct {
	turns, calls int64
	usage        map[string]trajectory.Usage
	unpriced     map[string]bool
	modelTime    time.Duration // of turns
}

// Tally is what a run used with everything below it.
type Tally struct {
	SubCalls  int64 // calls of models below the run: its sub-calls, and turns and sub-calls of child runs
	Usage     map[string]trajectory.Usage
	Unpriced  []string      // models whose price is not known
	Cost      *float64      // USD; nil where no price is known
	ModelTime time.Duration // spent waiting for the replies of its own turns
}

// Tally adds up what the run at a path used.
func (l *Lease) Tally(path string) Tally {
	l.mu.Lock()
	defer l.mu.Unlock()
	t := Tally{Usage: map[string]trajectory.Usage{}}
	unpriced := map[string]bool{}
	for at, s := range l.spent {
		switch {
		case at == path:
			t.SubCalls += s.calls
			t.ModelTime = s.modelTime
		case path == "" || strings.HasPrefix(at, path+"."):
			t.SubCalls += s.calls + s.turns
		default:
			continue
		}
		for model, u := range s.usage {
			t.Usage[model] = Sum(t.Usage[model], u)
		}
		maps.Copy(unpriced, s.unpriced)
	}
	t.Unpriced = slices.Sorted(maps.Keys(unpriced))
	if cost, known := Cost(t.Usage); known {
		t.Cost = &cost
	}
	return t
}

// add counts a call. It reports whether it is the first of a model whose price is not known. The caller holds mu.
func (l *Lease) add(c Call) (unpriced bool) {
	s := l.spent[c.Path]
	if s == nil {
		s = &spent{usage: map[string]trajectory.Usage{}, unpriced: map[string]bool{}}
		l.spent[c.Path] = s
	}
	if c.Turn {
		s.turns++
		s.modelTime += c.Took
	} else {
		s.calls++
	}
	u := c.Usage
	if u == (trajectory.Usage{}) {
		return false
	}
	l.tokens += u.Prompt + u.Completion + u.Wasted
	l.replies += u.Completion
	if u.Cost != nil {
		l.cost += *u.Cost
	} else {
		unpriced = !l.unpriced(c.Model)
		s.unpriced[c.Model] = true
	}
	s.usage[c.Model] = Sum(s.usage[c.Model], u)
	return unpriced
}

func (l *Lease) unpriced(model string) bool {
	for _, s := range l.spent {
		if s.unpriced[model] {
			return true
		}
	}
	return false
}

// known reports whether every call so far had a price, and whether there was any. The caller holds mu.
func (l *Lease) known() (priced, used bool) {
	priced = true
	for _, s := range l.spent {
		priced = priced && len(s.unpriced) == 0
		used = used || len(s.usage) > 0
	}
	return priced, used
}

// recorded are the calls of models that events tell of.
func recorded(events []trajectory.Event) []Call {
	type key struct {
		path, hash string
		cell, n    int
	}
	var calls []Call
	started := map[key]trajectory.SubCallStarted{}
	for _, ev := range events {
		switch d := ev.Data.(type) {
		case trajectory.ReplyReceived:
			calls = append(calls, Call{Path: ev.Path, Turn: true, Model: d.Model, Usage: d.Usage, Took: d.Duration})
		case trajectory.SubCallStarted:
			started[key{ev.Path, d.Hash, d.Cell, d.N}] = d
		case trajectory.SubCallEnded:
			s := started[key{ev.Path, d.Hash, d.Cell, d.N}]
			if s.Child == "" && s.Tool == "" && d.Model != "" && !d.Unwind && !d.Cached {
				calls = append(calls, Call{Path: ev.Path, Model: d.Model, Usage: d.Usage, Took: d.Duration})
			}
		}
	}
	return calls
}

// texts are the bytes of the texts of calls and child runs in events.
func texts(events []trajectory.Event) (bytes int64) {
	for _, ev := range events {
		switch d := ev.Data.(type) {
		case trajectory.SubCallStarted:
			bytes += d.Prompt.Size()
		case trajectory.SubCallEnded:
			bytes += d.Reply.Size()
		case trajectory.ContextAdded:
			bytes += d.Text.Size()
		}
	}
	return bytes
}

// Totals adds up by model what all calls in events used.
func Totals(events []trajectory.Event) map[string]trajectory.Usage {
	usage := map[string]trajectory.Usage{}
	for _, c := range recorded(events) {
		usage[c.Model] = Sum(usage[c.Model], c.Usage)
	}
	return usage
}

// Cost sums what is known; it is not known at all if no model has a price.
func Cost(usage map[string]trajectory.Usage) (sum float64, known bool) {
	for _, u := range usage {
		if u.Cost != nil {
			sum += *u.Cost
			known = true
		}
	}
	return sum, known || len(usage) == 0
}

// Priced turns what a model reports into what the log holds: the cost is the endpoint's own, else from the table, else not known.
func Priced(prices llm.Prices, model string, resp llm.Response) trajectory.Usage {
	u := trajectory.Usage{
		Prompt: resp.Usage.Prompt, Completion: resp.Usage.Completion, Reasoning: resp.Usage.Reasoning,
		Cached: resp.Usage.Cached, CacheWritten: resp.Usage.CacheWritten, CacheWrittenHour: resp.Usage.CacheWrittenHour, Wasted: resp.Usage.Wasted, Estimated: resp.Usage.Estimated,
	}
	switch {
	case resp.Cost != nil:
		u.Cost, u.CostFrom = resp.Cost, "endpoint"
	default:
		if c := prices.Cost(cmp.Or(resp.By, model), resp.Usage); c != nil {
			u.Cost, u.CostFrom = c, "table"
		}
	}
	return u
}

// Sum adds two usages. The cost of the sum is known only if both are.
func Sum(a, b trajectory.Usage) trajectory.Usage {
	if a == (trajectory.Usage{}) {
		return b
	}
	a.Prompt += b.Prompt
	a.Completion += b.Completion
	a.Reasoning += b.Reasoning
	a.Cached += b.Cached
	a.CacheWritten += b.CacheWritten
	a.CacheWrittenHour += b.CacheWrittenHour
	a.Wasted += b.Wasted
	a.Estimated = a.Estimated || b.Estimated
	if a.Cost == nil || b.Cost == nil {
		a.Cost, a.CostFrom = nil, ""
		return a
	}
	sum := *a.Cost + *b.Cost
	a.Cost = &sum
	if a.CostFrom != b.CostFrom {
		a.CostFrom = "endpoint and table"
	}
	return a
}
