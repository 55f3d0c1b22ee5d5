package fleet

import "time"

// nodeProgress is what a node has done for a batch since the node started it.
type nodeProgress struct {
	For     time.Duration `json:"for"`
	Tokens  int64         `json:"tokens,omitempty"`
	Results int           `json:"results,omitempty"`
}

// throughput is the speed of all nodes together, per second.
type throughput struct{ tokens, results float64 }

// paceAfter is how long a node must have worked before its speed counts.
const paceAfter = 2 * time.Second

func (p *throughput) add(w nodeProgress) {
	if w.For >= paceAfter {
		p.tokens += float64(w.Tokens) / w.For.Seconds()
		p.results += float64(w.Results) / w.For.Seconds()
	}
}

// left returns how long the given number of jobs takes at this speed; 0 if the speed is unknown.
func (p *throughput) left(jobs int) time.Duration {
	if p.results == 0 {
		return 0
	}
	return time.Duration(float64(jobs) / p.results * float64(time.Second))
}
