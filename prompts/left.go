package prompts

import (
	"fmt"
	"strings"
	"time"

	"github.com/gorlm/rlm/internal/kit/units"
)

// RemainingBudget is what remains of the budgets. A bound of 0 means that there is none, and it is not shown.
type RemainingBudget struct {
	Turns, MaxTurns       int
	SubCalls, MaxSubCalls int64
	Tokens, MaxTokens     int64
	Cost, MaxCost         float64
	CostKnown             bool
	Time, MaxTime         time.Duration
}

// String renders the budgets on one line, empty when there are none.
func (l RemainingBudget) String() string {
	var parts []string
	if l.MaxTurns > 0 {
		parts = append(parts, fmt.Sprintf("turns %d of %d", l.Turns, l.MaxTurns))
	}
	if l.MaxSubCalls > 0 {
		parts = append(parts, fmt.Sprintf("sub-calls %d of %d", l.SubCalls, l.MaxSubCalls))
	}
	if l.MaxTokens > 0 {
		parts = append(parts, fmt.Sprintf("tokens %s of %s", units.Count(l.Tokens), units.Count(l.MaxTokens)))
	}
	if l.MaxCost > 0 && l.CostKnown {
		parts = append(parts, fmt.Sprintf("cost %s of %s", units.Dollars(l.Cost), units.Dollars(l.MaxCost)))
	}
	if l.MaxTime > 0 {
		parts = append(parts, fmt.Sprintf("time %s of %s", round(l.Time), round(l.MaxTime)))
	}
	return strings.Join(parts, ", ")
}

func round(d time.Duration) string {
	if d > 2*time.Minute {
		return strings.TrimSuffix(d.Round(time.Minute).String(), "0s")
	}
	return d.Round(time.Second).String()
}
