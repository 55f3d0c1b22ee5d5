package budget

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/runner/trajectory"
)

// Call is a finished call of a model.
type Call struct {
	Path  string // path of the run that made it
	Turn  bool   // a turn of that run, not a sub-call
	Lost  bool   // no reply came: only the usage counts, not the call
	Model string
	Usage trajectory.Usage
	Took  time.Duration
}

// runUsage is the usage of one run, without child runs below it.
type runUsage struct {
	turns, calls int64
	usage        map[string]trajectory.Usage
	unpriced     map[string]bool
	modelTime    time.Duration // waiting for replies to turns
}

// Tally is the usage of a run with everything below it.
type Tally struct {
	SubCalls  int64 // model calls below the run: its sub-calls, and turns and sub-calls of child runs
	Usage     map[string]trajectory.Usage
	Unpriced  []string      // models whose price is not known
	Cost      *float64      // USD; nil if no price is known
	ModelTime time.Duration // waiting for replies to its own turns
}

// Tally adds up the usage of the run at a path.
func (l *Lease) Tally(path string) Tally {
	l.mu.Lock()
	defer l.mu.Unlock()
	t := Tally{Usage: map[string]trajectory.Usage{}}
	unpriced := map[string]bool{}
	for at, s := range l.spent {
		if at == path {
			t.SubCalls += s.calls
			t.ModelTime = s.modelTime
		} else if path == "" || strings.HasPrefix(at, path+".") {
			t.SubCalls += s.calls + s.turns
		} else {
			continue
		}
		for model, u := range s.usage {
			t.Usage[model] = t.Usage[model].Plus(u)
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
		s = &runUsage{usage: map[string]trajectory.Usage{}, unpriced: map[string]bool{}}
		l.spent[c.Path] = s
	}
	switch {
	case c.Lost:
	case c.Turn:
		s.turns++
		s.modelTime += c.Took
	default:
		s.calls++
	}
	u := c.Usage
	if u == (trajectory.Usage{}) {
		return false
	}
	l.learn(c.Model, u)
	l.tokens += u.Prompt + u.Completion + u.Wasted
	l.replies += u.Completion
	if u.Cost != nil {
		l.cost += *u.Cost
	} else {
		unpriced = !l.unpriced(c.Model)
		s.unpriced[c.Model] = true
	}
	s.usage[c.Model] = s.usage[c.Model].Plus(u)
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

// known reports whether all calls so far had a price, and whether there were any. The caller holds mu.
func (l *Lease) known() (priced, used bool) {
	priced = true
	for _, s := range l.spent {
		priced = priced && len(s.unpriced) == 0
		used = used || len(s.usage) > 0
	}
	return priced, used
}

// recorded returns the model calls in events.
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
		case trajectory.CallLost:
			calls = append(calls, Call{Path: ev.Path, Lost: true, Model: d.Model, Usage: d.Usage, Took: d.Duration})
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

// texts is the size of the texts of calls and child runs in events, in bytes.
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

// Totals adds up the usage of all calls in events, by model.
func Totals(events []trajectory.Event) map[string]trajectory.Usage {
	usage := map[string]trajectory.Usage{}
	for _, c := range recorded(events) {
		usage[c.Model] = usage[c.Model].Plus(c.Usage)
	}
	return usage
}

// Cost sums the known costs; known is false if no model has a price.
func Cost(usage map[string]trajectory.Usage) (sum float64, known bool) {
	for _, u := range usage {
		if u.Cost != nil {
			sum += *u.Cost
			known = true
		}
	}
	return sum, known || len(usage) == 0
}

// Priced converts a model's usage to the log's form: the cost is the endpoint's own, else from the table, else not
// known.
func Priced(prices llm.Prices, model string, resp llm.Response) trajectory.Usage {
	model = cmp.Or(resp.By, model)
	own := resp.Usage
	if resp.Waste.Usage != (llm.Usage{}) {
		own.Wasted = 0 // the waste is priced separately
	}
	u := trajectory.Usage{
		Prompt: own.Prompt, Completion: own.Completion, Reasoning: own.Reasoning,
		Cached: own.Cached, CacheWritten: own.CacheWritten, CacheWrittenHour: own.CacheWrittenHour, Wasted: own.Wasted,
		Estimated: own.Estimated,
	}
	u.Cost, u.CostFrom = costOf(prices, model, own, resp.Cost)
	lost := Wasted(prices, model, resp.Waste)
	if lost.Cost == nil { // keep the known cost of the rest
		lost.Cost, lost.CostFrom = new(float64), u.CostFrom
	}
	return lost.Plus(u)
}

// Wasted is the usage of tries without a reply.
func Wasted(prices llm.Prices, model string, w llm.Waste) trajectory.Usage {
	w = believed(w)
	if w.Usage == (llm.Usage{}) {
		return trajectory.Usage{}
	}
	u := trajectory.Usage{Wasted: w.Usage.Prompt + w.Usage.Completion, Estimated: w.Usage.Estimated}
	u.Cost, u.CostFrom = costOf(prices, model, w.Usage, w.Cost)
	return u
}

func costOf(prices llm.Prices, model string, u llm.Usage, told *float64) (cost *float64, from string) {
	if told != nil {
		return told, "endpoint"
	}
	if cost = prices.Cost(model, u); cost != nil {
		return cost, "table"
	}
	return nil, ""
}

// mostTokens bounds the plausible usage of one call: ten times what any model accepts.
const mostTokens = 100_000_000

// Plausible returns a response with plausible numbers. A model of the embedding program may report negative or huge
// numbers: such token counts become an estimate, and such a cost becomes unknown.
func Plausible(resp llm.Response, req llm.Request) llm.Response {
	if !credible(resp.Usage) {
		resp.Usage = llm.Usage{
			Prompt:     llm.EstimateMessages(req.Messages),
			Completion: llm.EstimateTokens(resp.Content) + llm.EstimateTokens(resp.Reasoning), Estimated: true,
		}
	}
	resp.Cost, resp.Waste = payable(resp.Cost), believed(resp.Waste)
	resp.Attempts, resp.Duration = max(resp.Attempts, 0), max(resp.Duration, 0)
	return resp
}

// believed returns the plausible part of a waste.
func believed(w llm.Waste) llm.Waste {
	if !credible(w.Usage) {
		return llm.Waste{}
	}
	return llm.Waste{Usage: w.Usage, Cost: payable(w.Cost)}
}

func credible(u llm.Usage) bool {
	for _, n := range []int64{
		u.Prompt, u.Completion, u.Reasoning, u.Cached, u.CacheWritten, u.CacheWrittenHour, u.Wasted,
	} {
		if n < 0 || n > mostTokens {
			return false
		}
	}
	return true
}

// payable returns a cost that can be added up; nil for any other.
func payable(cost *float64) *float64 {
	if cost == nil || !(*cost >= 0 && *cost <= math.MaxFloat32) {
		return nil
	}
	return cost
}
