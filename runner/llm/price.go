package llm

import (
	"maps"
	"strings"

	"github.com/gorlm/rlm/internal/lazy"
)

// Price is what a model costs, in USD per million tokens.
type Price struct {
	Input  float64 `json:"input" toml:"input"`
	Output float64 `json:"output" toml:"output"`
	// CachedInput is the price of prompt tokens that the endpoint had cached, CacheWrite of those that it put into
	// its cache; nil: the same as Input. CacheWriteHour is that of tokens which it keeps for an hour; nil: the same
	// as CacheWrite.
	CachedInput    *float64 `json:"cached_input,omitempty" toml:"cached_input,omitempty"`
	CacheWrite     *float64 `json:"cache_write,omitempty" toml:"cache_write,omitempty"`
	CacheWriteHour *float64 `json:"cache_write_hour,omitempty" toml:"cache_write_hour,omitempty"`
	// Long is what a call with a long prompt costs instead, all of it; nil: the same.
	Long *LongPrice `json:"long,omitempty" toml:"long,omitempty"`
}

// LongPrice is what calls cost whose prompts have more than Above tokens.
type LongPrice struct {
	Above          int64    `json:"above" toml:"above"`
	Input          float64  `json:"input" toml:"input"`
	Output         float64  `json:"output" toml:"output"`
	CachedInput    *float64 `json:"cached_input,omitempty" toml:"cached_input,omitempty"`
	CacheWrite     *float64 `json:"cache_write,omitempty" toml:"cache_write,omitempty"`
	CacheWriteHour *float64 `json:"cache_write_hour,omitempty" toml:"cache_write_hour,omitempty"`
}

// of is the price of a call.
func (p Price) of(u Usage) float64 {
	if l := p.Long; l != nil && u.Prompt > l.Above {
		p = Price{Input: l.Input, Output: l.Output, CachedInput: l.CachedInput, CacheWrite: l.CacheWrite, CacheWriteHour: l.CacheWriteHour}
	}
	write := priceOr(p.CacheWrite, p.Input)
	cached := min(u.Cached, u.Prompt)
	written := min(u.CacheWritten, u.Prompt-cached)
	hour := min(u.CacheWrittenHour, written)
	return (float64(u.Prompt-cached-written+u.Wasted)*p.Input + float64(cached)*priceOr(p.CachedInput, p.Input) +
		float64(written-hour)*write + float64(hour)*priceOr(p.CacheWriteHour, write) + float64(u.Completion)*p.Output) / 1e6
}

func priceOr(price *float64, other float64) float64 {
	if price == nil {
		return other
	}
	return *price
}

// Prices maps a model's name to its price.
type Prices map[string]Price

// With returns the table with more entries added or replaced.
func (p Prices) With(more Prices) Prices {
	sum := maps.Clone(p)
	if sum == nil {
		sum = Prices{}
	}
	maps.Copy(sum, more)
	return sum
}

// Lookup finds the price of a model by its full name, then without the date of its release, then without
// the name of who serves it ("openai/gpt-4o-2024-08-06" → "gpt-4o"). There is no guess by similarity:
// another model may cost a hundred times as much.
func (p Prices) Lookup(model string) (Price, bool) {
	if price, ok := p[model]; ok {
		return price, true
	}
	for _, name := range spellings(model) {
		if price, ok := p[name]; ok {
			return price, true
		}
	}
	return Price{}, false
}

// Cost is the price of a usage in USD, nil when the model has no known price. Wasted tokens are charged as
// input, the cheaper side, since what an endpoint charges for a broken reply is not known.
func (p Prices) Cost(model string, u Usage) *float64 {
	price, ok := p.Lookup(model)
	if !ok {
		return nil
	}
	usd := price.of(u)
	return &usd
}

var releaseDate = lazy.Regexp(`[-@](\d{4}-\d{2}-\d{2}|\d{8})$`)

// spellings lists the names under which a model may be known, the most exact first.
func spellings(model string) []string {
	name := strings.ToLower(strings.TrimSpace(model))
	bare := name
	if n := len(name); n > 0 && '0' <= name[n-1] && name[n-1] <= '9' {
		bare = releaseDate().ReplaceAllString(name, "")
	}
	bare = strings.TrimSuffix(bare, "-latest")
	out := []string{model, name, bare}
	if i := strings.LastIndexByte(bare, '/'); i >= 0 {
		out = append(out, name[strings.LastIndexByte(name, '/')+1:], bare[i+1:])
	}
	return out
}
