package budget

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/runner/trajectory"
)

// told is a usage whose cost the endpoint reported.
func told(prompt, completion int64, cost float64) trajectory.Usage {
	u := used(prompt, completion)
	u.Cost, u.CostFrom = &cost, "endpoint"
	return u
}

func TestTheAverageReply(t *testing.T) {
	l := NewLease(Bounds{}, nil, 0)
	require.Zero(t, l.Average("m"))
	spend(t, l, Call{Usage: used(1, 10)})
	spend(t, l, Call{Usage: used(1, 30)})
	require.EqualValues(t, 20, l.Average("m"))
	estimated, wasted := used(1, 1000), used(1, 1000)
	estimated.Estimated, wasted.Wasted = true, 1
	spend(t, l, Call{Usage: estimated})
	spend(t, l, Call{Usage: wasted})
	spend(t, l, Call{})
	require.EqualValues(t, 20, l.Average("m"), "what is not known teaches nothing")
	require.Zero(t, l.Average("other"))
}

// The price of a model that is not in the table follows from the costs that its endpoint reports.
func TestAPriceIsEstimatedFromCosts(t *testing.T) {
	for name, c := range map[string]struct {
		calls         []trajectory.Usage
		input, output float64 // USD per token
	}{
		"prompts and replies": {[]trajectory.Usage{told(10, 1, 25), told(3, 4, 26), told(7, 7, 49)}, 2, 5},
		"prompts are free":    {[]trajectory.Usage{told(10, 1, 2), told(3, 4, 8)}, 0, 2},
		"replies are free":    {[]trajectory.Usage{told(10, 1, 20), told(3, 4, 6)}, 2, 0},
		"one call":            {[]trajectory.Usage{told(10, 2, 24)}, 2, 2},
		"no replies":          {[]trajectory.Usage{told(10, 0, 20), told(20, 0, 70)}, 3, 3},
		"replies would earn":  {[]trajectory.Usage{told(10, 1, 20), told(10, 4, 5)}, 1, 1},
		"prompts would earn":  {[]trajectory.Usage{told(1, 10, 20), told(4, 10, 5)}, 1, 1},
		"too much alike to tell apart": {
			[]trajectory.Usage{told(100_000, 100_000, 300_000), told(1e6, 1_000_001, 3_000_002)},
			1.5, 1.5,
		},
	} {
		t.Run(name, func(t *testing.T) {
			l := NewLease(Bounds{}, dollars, 0)
			for _, u := range append(c.calls, used(1000, 1)) {
				l.Settle(Hold{}, Call{Model: "x", Usage: u})
			}
			price, ok := l.Prices("x").Lookup("x")
			require.True(t, ok)
			require.InDelta(t, 1e6*c.input, price.Input, 1)
			require.InDelta(t, 1e6*c.output, price.Output, 1)
			_, ok = l.Prices("x").Lookup("m")
			require.True(t, ok, "the table's prices stay")
		})
	}
}

func TestAPriceThatNeedsNoEstimateOrHasNone(t *testing.T) {
	l := NewLease(Bounds{}, dollars, 0)
	l.Settle(Hold{}, Call{Model: "m", Usage: told(10, 1, 1)})
	require.Equal(t, dollars, l.Prices("m"), "the table is right")
	require.Equal(t, dollars, l.Prices("x"))
	l.Settle(Hold{}, Call{Model: "x", Usage: used(10, 1)})
	require.Equal(t, dollars, l.Prices("x"), "no cost was reported")
}

func TestWasteIsPricedBesideTheReply(t *testing.T) {
	cost := 0.5
	waste := llm.Waste{Usage: llm.Usage{Prompt: 3, Completion: 1, Estimated: true}}
	for name, c := range map[string]struct {
		model string
		resp  llm.Response
		want  trajectory.Usage
	}{
		"both from the table": {
			"m",
			llm.Response{Usage: llm.Usage{Prompt: 1, Wasted: 9}, Waste: waste},
			trajectory.Usage{Prompt: 1, Wasted: 4, Estimated: true, Cost: new(6.0), CostFrom: "table"},
		},
		"a waste whose cost was reported": {
			"other",
			llm.Response{Waste: llm.Waste{Usage: waste.Usage, Cost: &cost}, Cost: &cost},
			trajectory.Usage{Wasted: 4, Estimated: true, Cost: new(1.0), CostFrom: "endpoint"},
		},
		"a waste whose cost is not known": {
			"other",
			llm.Response{Usage: llm.Usage{Prompt: 1}, Waste: waste, Cost: &cost},
			trajectory.Usage{Prompt: 1, Wasted: 4, Estimated: true, Cost: new(0.5), CostFrom: "endpoint"},
		},
		"no waste": {
			"m",
			llm.Response{Usage: llm.Usage{Prompt: 2, Wasted: 1}},
			trajectory.Usage{Prompt: 2, Wasted: 1, Cost: new(3.0), CostFrom: "table"},
		},
	} {
		got := Priced(dollars, c.model, c.resp)
		require.Equal(t, c.want, got, name)
	}
}
