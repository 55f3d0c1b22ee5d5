package llm

import "sync"

// Waste is what tries used that brought no reply.
type Waste struct {
	Usage Usage    `json:"usage,omitzero"` // of all of them
	Cost  *float64 `json:"cost,omitempty"` // US dollars as the endpoint reports it; nil: it did not, of one at least
}

// tokens is what was sent and received.
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

// more adds what other tries used.
func (w *Waste) more(other Waste) {
	if other.Usage != (Usage{}) {
		w.add(other.Usage, other.Cost)
	}
}

// rateBook learns from the replies of an endpoint how its numbers relate to the estimates here, so that
// what it does not report can be estimated: of a stream that broke off nothing is reported, and all the
// same it is paid. The zero value is usable, and it is safe for concurrent use.
type rateBook struct {
	mu             sync.Mutex
	sent, received ratio
}

// ratio is a relation of two sums.
type ratio struct{ told, guessed float64 }

func (r ratio) of(n int64) int64 {
	if r.guessed < 1 {
		return n
	}
	const most = 8 // beyond which something else is wrong
	return int64(float64(n)*min(max(r.told/r.guessed, 1.0/most), most) + 0.5)
}

// learn takes in a complete reply whose usage was reported.
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

// estimate is the usage of a reply for which none was reported.
func (b *rateBook) estimate(sent, received int64) Usage {
	b.mu.Lock()
	defer b.mu.Unlock()
	return Usage{Prompt: b.sent.of(sent), Completion: b.received.of(received), Estimated: true}
}
