package fleet

import "time"

// nodeProgress is what a node did of a batch since it began with it.
type nodeProgress struct {
	For     time.Duration `json:"for"`
	Tokens  int64         `json:"tokens,omitempty"`
	Results int           `json:"results,omitempty"`
}

// throughput is how fast nodes go together, a second.
type throughput struct{ tokens, results float64 }

// paceAfter is how long a node works before its pace says something.
const paceAfter = 2 * time.Second

func (p *throughput) add(w nodeProgress) {
	if w.For >= paceAfter {
		p.tokens += float64(w.Tokens) / w.For.Seconds()
		p.results += float64(w.Results) / w.For.Seconds()
	}
}

// left is how long jobs take at this pace; 0: it is not known.
func (p *throughput) left(jobs int) time.Duration {
	if p.results == 0 {
		return 0
	}
	return time.Duration(float64(jobs) / p.results * float64(time.Second))
}
