package llm

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"path"
	"strings"
)

// Price is the price of a model, in USD per million tokens.
type Price struct {
	Input  float64 `json:"input" toml:"input"`
	Output float64 `json:"output" toml:"output"`
	// CachedInput is the price of prompt tokens read from the cache, CacheWrite of those written to it; nil: the
	// same as Input. CacheWriteHour is the price of tokens cached for an hour; nil: the same as CacheWrite.
	CachedInput    *float64 `json:"cached_input,omitempty" toml:"cached_input,omitempty"`
	CacheWrite     *float64 `json:"cache_write,omitempty" toml:"cache_write,omitempty"`
	CacheWriteHour *float64 `json:"cache_write_hour,omitempty" toml:"cache_write_hour,omitempty"`
	// Long is the price of an entire call with a long prompt; nil: the same as for other calls.
	Long *LongPrice `json:"long,omitempty" toml:"long,omitempty"`
}

// LongPrice is the price of calls whose prompts have more than Above tokens.
type LongPrice struct {
	Above int64 `json:"above" toml:"above"`
	Price
}

// Of is the price of a usage in USD. Wasted tokens are charged at the input price, the lower one, since the charge
// for a broken reply is not known.
func (p Price) Of(u Usage) float64 {
	if l := p.Long; l != nil && u.Prompt > l.Above {
		p = l.Price
	}
	write := cmp.Or(p.CacheWrite, &p.Input)
	cached := min(u.Cached, u.Prompt)
	written := min(u.CacheWritten, u.Prompt-cached)
	hour := min(u.CacheWrittenHour, written)
	return (float64(u.Prompt-cached-written+u.Wasted)*p.Input + float64(cached)**cmp.Or(p.CachedInput, &p.Input) +
		float64(written-hour)**write + float64(hour)**cmp.Or(p.CacheWriteHour, write) +
		float64(u.Completion)*p.Output) / 1e6
}

// Check reports an invalid price: a rate that is negative or not a number, or a rate for input without one for
// output, or the reverse.
func (p Price) Check() error {
	for name, rate := range map[string]*float64{
		"input": &p.Input, "output": &p.Output, "cached_input": p.CachedInput, "cache_write": p.CacheWrite,
		"cache_write_hour": p.CacheWriteHour,
	} {
		if rate != nil && (!(*rate >= 0) || math.IsInf(*rate, 0)) {
			return fmt.Errorf("%s is %v: it must be USD per million tokens, 0 or more", name, *rate)
		}
	}
	if (p.Input == 0) != (p.Output == 0) {
		return errors.New("input and output must both have a price, or neither")
	}
	if p.Long != nil {
		return p.Long.Price.Check()
	}
	return nil
}

// Prices maps a model's name to its price.
type Prices map[string]Price

// With returns the table with more entries added or replaced.
func (p Prices) With(more Prices) Prices {
	sum := Prices{}
	maps.Copy(sum, p)
	maps.Copy(sum, more)
	return sum
}

// Lookup finds the price of a model by its full name, then without its release date, then without its provider
// ("openai/gpt-4o-2024-08-06" → "gpt-4o"). It does not guess by similarity: another model may cost a hundred
// times as much.
func (p Prices) Lookup(model string) (Price, bool) {
	for _, name := range spellings(model) {
		if price, ok := p[name]; ok {
			return price, true
		}
	}
	return Price{}, false
}

// Cost is the price of a usage in USD, nil if the model has no known price.
func (p Prices) Cost(model string, u Usage) *float64 {
	price, ok := p.Lookup(model)
	if !ok {
		return nil
	}
	usd := price.Of(u)
	return &usd
}

// spellings lists the possible names of a model, the most exact first.
func spellings(model string) [5]string {
	name := strings.ToLower(strings.TrimSpace(model))
	bare := strings.TrimSuffix(undated(name), "-latest")
	return [...]string{model, name, bare, path.Base(name), path.Base(bare)}
}

// undated removes the release date after a dash or an at sign.
func undated(name string) string {
	for _, form := range []string{"0000-00-00", "00000000"} {
		at := len(name) - len(form)
		if at > 0 && strings.IndexByte("-@", name[at-1]) >= 0 && strings.Map(toZero, name[at:]) == form {
			return name[:at-1]
		}
	}
	return name
}

func toZero(digit rune) rune {
	if digit >= '0' && digit <= '9' {
		return '0'
	}
	return digit
}
