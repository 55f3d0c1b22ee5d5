package termination

import (
	"fmt"
	"strings"
)

// Limit is a budget that is used up.
type Limit struct {
	Status Status `json:"status"` // TokenLimit, CostLimit, …
	Used   string `json:"used"`   // the amount with its unit, for people
	Bound  string `json:"bound"`
}

// reached describes the limit in a sentence for people.
func (l Limit) reached() string {
	name := strings.ReplaceAll(string(l.Status), "_", " ")
	if l.Status == MaxIterations || l.Status == IterationsExceeded {
		name = "turn limit"
	}
	return fmt.Sprintf("the %s was reached: %s of %s", name, l.Used, l.Bound)
}

// limit returns the limit that the turn reached, or nil: the limits of the caller come first, then the error limit,
// then the turn limit.
func (p Policy) limit(s State, t Turn) *Limit {
	count := func(status Status, n, of int, what string) *Limit {
		return &Limit{Status: status, Used: fmt.Sprintf("%d %s", n, what), Bound: fmt.Sprint(of)}
	}
	if len(t.Limits) > 0 {
		l := t.Limits[0]
		return &l
	}
	if p.MaxErrors > 0 && s.Errors >= p.MaxErrors {
		return count(ErrorLimit, s.Errors, p.MaxErrors, "failing turns in a row")
	}
	if p.MaxTurns > 0 && s.Turns >= p.MaxTurns {
		return count(p.turnLimit(), s.Turns, p.MaxTurns, "turns")
	}
	return nil
}
