package llm_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/runner/llm"
)

func TestWhatAUsageCosts(t *testing.T) {
	rate := func(f float64) *float64 { return &f }
	full := llm.Price{Input: 1, Output: 2, CachedInput: rate(4), CacheWrite: rate(8), CacheWriteHour: rate(16)}
	long := full
	long.Long = &llm.LongPrice{Above: 1000, Price: llm.Price{Input: 100, Output: 200}}
	for _, c := range []struct {
		price llm.Price
		usage llm.Usage
		want  float64 // in millionths
	}{
		{full, llm.Usage{}, 0},
		{full, llm.Usage{Prompt: 100, Completion: 10, Wasted: 1000}, 100 + 20 + 1000},
		{full, llm.Usage{Prompt: 100, Cached: 30}, 70 + 4*30},
		{full, llm.Usage{Prompt: 100, Cached: 30, CacheWritten: 20}, 50 + 4*30 + 8*20},
		{full, llm.Usage{Prompt: 100, Cached: 30, CacheWritten: 20, CacheWrittenHour: 5}, 50 + 4*30 + 8*15 + 16*5},
		{full, llm.Usage{Prompt: 100, Cached: 130, CacheWritten: 20, CacheWrittenHour: 5}, 4 * 100},
		{full, llm.Usage{Prompt: 100, Cached: 30, CacheWritten: 90, CacheWrittenHour: 80}, 4*30 + 16*70},
		{llm.Price{Input: 1}, llm.Usage{Prompt: 100, Cached: 30, CacheWritten: 20, CacheWrittenHour: 5}, 100},
		{llm.Price{Input: 1, CacheWrite: rate(8)}, llm.Usage{Prompt: 100, CacheWritten: 20, CacheWrittenHour: 5}, 240},
		{long, llm.Usage{Prompt: 1000, Completion: 1}, 1000 + 2},
		{long, llm.Usage{Prompt: 1001, Completion: 1}, 100*1001 + 200},
	} {
		require.InDelta(t, c.want, c.price.Of(c.usage)*1e6, 1e-6, "%+v", c.usage)
	}
}

func TestAPriceIsChecked(t *testing.T) {
	rate := func(f float64) *float64 { return &f }
	for says, p := range map[string]llm.Price{
		"":                       {Input: 1, Output: 2, CachedInput: rate(0), CacheWrite: rate(1)},
		"input is -1":            {Input: -1, Output: 2},
		"output is NaN":          {Input: 1, Output: math.NaN()},
		"cached_input is +Inf":   {Input: 1, Output: 2, CachedInput: rate(math.Inf(1))},
		"cache_write is -2":      {Input: 1, Output: 2, CacheWrite: rate(-2)},
		"cache_write_hour is -3": {Input: 1, Output: 2, CacheWriteHour: rate(-3)},
		"input and output must":  {Input: 1},
		"must both have a price": {Output: 1},
		"output is -4":           {Input: 1, Output: 2, Long: &llm.LongPrice{Price: llm.Price{Input: 1, Output: -4}}},
	} {
		if says == "" {
			require.NoError(t, p.Check())
			p.Long = &llm.LongPrice{Above: 1}
			require.NoError(t, p.Check())
			continue
		}
		require.ErrorContains(t, p.Check(), says)
	}
	require.NoError(t, llm.Price{}.Check(), "a free model")
}

// A name without its date and its provider has the price of the model, and none by likeness.
func TestTheNamesOfAPrice(t *testing.T) {
	prices := llm.Prices{"m-1": {Input: 1}, "m-1-2024-08-06": {Input: 2}, "p/m-1": {Input: 3}, "19990101": {Input: 4}}
	for name, want := range map[string]float64{
		"m-1": 1, "M-1 ": 1, "m-1-2024-08-06": 2, "m-1-2024-08-07": 1, "m-1-20240807": 1, "m-1@20240807": 1,
		"m-1-latest": 1, "p/m-1": 3, "q/m-1": 1, "q/m-1-20240807": 1, "p/m-1-20240807": 3, "q/m-1-2024-08-06": 2,
		"m-1.20240807": 0, "m-1-2024-0807": 0, "m-1-2024080": 0, "m-1-2024080x": 0, "m-1-9999-99-99": 1,
		"m-1-0000-00-0/": 0, "m-1-0000-00-0:": 0, "m-12": 0, "-19990101": 0, "19990101": 4,
	} {
		price, ok := prices.Lookup(name)
		require.Equal(t, want, price.Input, name)
		require.Equal(t, want != 0, ok, name)
	}
}
