package budget

import (
	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/runner/trajectory"
)

// record sums up the calls of a model for which usage and cost were reported, to estimate the others.
type record struct {
	calls, replies     float64 // number of calls, and tokens of their replies
	pp, pc, cc, pd, cd float64 // sums of products of prompt tokens, reply tokens and dollars
	dollars, tokens    float64
}

// learn adds a call. The caller holds mu.
func (l *Lease) learn(model string, u trajectory.Usage) {
	if u.Estimated || u.Wasted > 0 {
		return
	}
	r := l.records[model]
	if r == nil {
		r = &record{}
		l.records[model] = r
	}
	r.calls++
	r.replies += float64(u.Completion)
	if u.Cost != nil {
		p, c, d := float64(u.Prompt), float64(u.Completion), *u.Cost
		r.pp, r.pc, r.cc, r.pd, r.cd = r.pp+p*p, r.pc+p*c, r.cc+c*c, r.pd+p*d, r.cd+c*d
		r.dollars, r.tokens = r.dollars+d, r.tokens+p+c
	}
}

// Average is the average number of tokens in a model's replies so far.
func (l *Lease) Average(model string) int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	r := l.records[model]
	if r == nil {
		return 0
	}
	return int64(r.replies / r.calls)
}

// Prices returns the table of prices. If it lacks a model whose endpoint reports costs, a price estimated from
// these costs is added.
func (l *Lease) Prices(model string) llm.Prices {
	l.mu.Lock()
	defer l.mu.Unlock()
	r := l.records[model]
	if _, known := l.prices.Lookup(model); known || r == nil || r.tokens == 0 {
		return l.prices
	}
	return l.prices.With(llm.Prices{model: r.price()})
}

// price returns the price that best explains the reported costs: by least squares or, if the result makes no sense,
// one price for all tokens.
func (r *record) price() llm.Price {
	if det := r.pp*r.cc - r.pc*r.pc; det > 1e-9*r.pp*r.cc {
		input, output := (r.pd*r.cc-r.cd*r.pc)/det, (r.cd*r.pp-r.pd*r.pc)/det
		if input >= 0 && output >= 0 {
			return llm.Price{Input: 1e6 * input, Output: 1e6 * output}
		}
	}
	each := 1e6 * r.dollars / r.tokens
	return llm.Price{Input: each, Output: each}
}
