package llm

import "sync"

// Waste is the usage of tries without a reply.
type Waste struct {
	Usage Usage    `json:"usage,omitzero"` // of all such tries
	Cost  *float64 `json:"cost,omitempty"` // US dollars as reported; nil: not reported for at least one try
}

// tokens is the number of tokens sent and received.
func (w Waste) tokens() int64 { return w.Usage.Prompt + w.Usage.Completion }

// add counts a try.
func (w *Waste) add(u Usage, cost *float64) {
	first := w.Usage == (Usage{})
	w.Usage.Prompt += u.Prompt
	w.Usage.Completion += u.Completion
	w.Usage.Estimated = w.Usage.Estimated || u.Estimated
	switch {
	case first:
		w.Cost = cost
	case w.Cost != nil && cost != nil:
		both := *w.Cost + *cost
		w.Cost = &both
	default:
		w.Cost = nil
	}
}

// more adds the usage of another Waste.
func (w *Waste) more(other Waste) {
	if other.Usage != (Usage{}) {
		w.add(other.Usage, other.Cost)
	}
}

// rateBook learns from an endpoint's replies how its numbers relate to our estimates. With it, usage that the
// endpoint does not report is estimated: a broken stream reports none but is charged. The zero value is usable, and
// it is safe for concurrent use.
type rateBook struct {
	mu             sync.Mutex
	sent, received ratio
}

// ratio relates a sum of reported tokens to a sum of estimated ones.
type ratio struct{ told, guessed float64 }

func (r ratio) of(n int64) int64 {
	if r.guessed < 1 {
		return n
	}
	const most = 8 // a larger ratio has another cause
	return int64(float64(n)*min(max(r.told/r.guessed, 1.0/most), most) + 0.5)
}

// learn adds a complete reply with a reported usage.
func (b *rateBook) learn(sent, received int64, resp Response) {
	u := resp.Usage
	if u.Estimated {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.sent.told, b.sent.guessed = b.sent.told+float64(u.Prompt), b.sent.guessed+float64(sent)
	b.received.told, b.received.guessed = b.received.told+float64(u.Completion), b.received.guessed+float64(received)
}

// estimate is the usage of a reply that reported none.
func (b *rateBook) estimate(sent, received int64) Usage {
	b.mu.Lock()
	defer b.mu.Unlock()
	return Usage{Prompt: b.sent.of(sent), Completion: b.received.of(received), Estimated: true}
}
