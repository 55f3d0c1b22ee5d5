package fleet

import (
	"time"

	"github.com/gorlm/rlm/runner/trajectory"
)

// worked is what a node did of a batch since it began with it.
type worked struct {
	For     time.Duration `json:"for"`
	Tokens  int64         `json:"tokens,omitempty"`
	Results int           `json:"results,omitempty"`
}

// tokensOf are the tokens of a call that ended.
func tokensOf(ev trajectory.Event) int64 {
	switch d := ev.Data.(type) {
	case trajectory.ReplyReceived:
		return int64(d.Usage.Prompt) + int64(d.Usage.Completion)
	case trajectory.SubCallEnded:
		return int64(d.Usage.Prompt) + int64(d.Usage.Completion)
	}
	return 0
}

// pace is how fast nodes go together, a second.
type pace struct{ tokens, results float64 }

// paceAfter is how long a node works before its pace says something.
const paceAfter = 2 * time.Second

func (p *pace) add(w worked) {
	if w.For >= paceAfter {
		p.tokens += float64(w.Tokens) / w.For.Seconds()
		p.results += float64(w.Results) / w.For.Seconds()
	}
}

// left is how long jobs take at this pace; 0: it is not known.
func (p *pace) left(jobs int) time.Duration {
	if p.results == 0 {
		return 0
	}
	return time.Duration(float64(jobs) / p.results * float64(time.Second))
}
