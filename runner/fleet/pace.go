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

// usageOf is what a call used, if the event is the end of one.
func usageOf(ev trajectory.Event) (u trajectory.Usage, ended bool) {
	switch d := ev.Data.(type) {
	case trajectory.ReplyReceived:
		return d.Usage, true
	case trajectory.SubCallEnded:
		return d.Usage, true
	}
	return u, false
}

func tokensIn(u trajectory.Usage) int64 { return int64(u.Prompt) + int64(u.Completion) }

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
