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
	// CachedInput is the price of prompt tokens that the endpoint had cached; nil: the same as Input.
	CachedInput *float64 `json:"cached_input,omitempty" toml:"cached_input,omitempty"`
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
	cachedPrice := price.Input
	if price.CachedInput != nil {
		cachedPrice = *price.CachedInput
	}
	cached := min(u.Cached, u.Prompt)
	usd := (float64(u.Prompt-cached+u.Wasted)*price.Input + float64(cached)*cachedPrice + float64(u.Completion)*price.Output) / 1e6
	return &usd
}

var (
	releaseDate = lazy.Regexp(`[-@](\d{4}-\d{2}-\d{2}|\d{8})$`)
	latest      = lazy.Regexp(`-latest$`)
)

// spellings lists the names under which a model may be known, the most exact first.
func spellings(model string) []string {
	name := strings.ToLower(strings.TrimSpace(model))
	bare := latest().ReplaceAllString(releaseDate().ReplaceAllString(name, ""), "")
	out := []string{model, name, bare}
	if i := strings.LastIndexByte(bare, '/'); i >= 0 {
		out = append(out, name[strings.LastIndexByte(name, '/')+1:], bare[i+1:])
	}
	return out
}

// KnownPrices is the built-in table: list prices as published by their makers in late 2025. Prices change
// and newer models are missing; what the endpoint reports wins, and a user's own table is laid over this
// one.
func KnownPrices() Prices {
	price := func(in, cached, out float64) Price { return Price{Input: in, Output: out, CachedInput: &cached} }
	return Prices{
		"gpt-4o":                price(2.50, 1.25, 10),
		"gpt-4o-mini":           price(0.15, 0.075, 0.60),
		"gpt-4.1":               price(2, 0.50, 8),
		"gpt-4.1-mini":          price(0.40, 0.10, 1.60),
		"gpt-4.1-nano":          price(0.10, 0.025, 0.40),
		"gpt-5":                 price(1.25, 0.125, 10),
		"gpt-5-mini":            price(0.25, 0.025, 2),
		"gpt-5-nano":            price(0.05, 0.005, 0.40),
		"gpt-5.1":               price(1.25, 0.125, 10),
		"o1":                    price(15, 7.50, 60),
		"o3":                    price(2, 0.50, 8),
		"o3-mini":               price(1.10, 0.55, 4.40),
		"o4-mini":               price(1.10, 0.275, 4.40),
		"claude-3-5-haiku":      price(0.80, 0.08, 4),
		"claude-3-7-sonnet":     price(3, 0.30, 15),
		"claude-haiku-4-5":      price(1, 0.10, 5),
		"claude-sonnet-4":       price(3, 0.30, 15),
		"claude-sonnet-4-5":     price(3, 0.30, 15),
		"claude-opus-4-1":       price(15, 1.50, 75),
		"claude-opus-4-5":       price(5, 0.50, 25),
		"gemini-2.0-flash":      price(0.10, 0.025, 0.40),
		"gemini-2.5-flash":      price(0.30, 0.03, 2.50),
		"gemini-2.5-flash-lite": price(0.10, 0.01, 0.40),
		"gemini-2.5-pro":        price(1.25, 0.125, 10),
		"deepseek-chat":         price(0.28, 0.028, 0.42),
		"deepseek-reasoner":     price(0.28, 0.028, 0.42),
	}
}
