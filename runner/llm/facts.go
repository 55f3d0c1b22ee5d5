package llm

import (
	"cmp"
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/pelletier/go-toml/v2"
)

// Facts are what is known of a model. The zero value of a field means that it is not known.
type Facts struct {
	// Maker is the provider that offers the model under its plain name.
	Maker  string `toml:"maker,omitempty"`
	Window int64  `toml:"window,omitempty"` // tokens of prompt and reply together
	Output int64  `toml:"output,omitempty"` // the most tokens of a reply
	Price  *Price `toml:"price,omitempty"`
	// CacheLeast is the length in tokens from which a prompt can be cached by marking it.
	CacheLeast int64 `toml:"cache_least,omitempty"`
	// Thinking is how a model of Anthropic thinks: by a budget of tokens, adaptive where it is asked to, or adaptive
	// unasked.
	Thinking string `toml:"thinking,omitempty"`
	// Missing lists what the model does not take: temperature, system, schema, effort.
	Missing []string `toml:"missing,omitempty"`
	// TokenLimit is the name of the field that limits a reply, where the endpoint's usual one is refused:
	// max_tokens or max_completion_tokens.
	TokenLimit string `toml:"token_limit,omitempty"`
}

// What models are known to lack.
const (
	lacksTemperature = "temperature"
	lacksSystem      = "system"
	lacksSchema      = "schema"
	lacksEffort      = "effort"
)

func (f Facts) lacks(what string) bool { return slices.Contains(f.Missing, what) }

// With returns the facts with those of more laid over them, field by field.
func (f Facts) With(more Facts) Facts {
	f.Maker = cmp.Or(more.Maker, f.Maker)
	f.Window = cmp.Or(more.Window, f.Window)
	f.Output = cmp.Or(more.Output, f.Output)
	f.Price = cmp.Or(more.Price, f.Price)
	f.CacheLeast = cmp.Or(more.CacheLeast, f.CacheLeast)
	f.Thinking = cmp.Or(more.Thinking, f.Thinking)
	f.TokenLimit = cmp.Or(more.TokenLimit, f.TokenLimit)
	if more.Missing != nil {
		f.Missing = more.Missing
	}
	return f
}

//go:embed models.toml
var modelsTOML []byte

// factsTable is the built-in table. It is read at its first use and never changed.
var factsTable = sync.OnceValue(func() (t struct {
	Date     string           `toml:"date"`
	Models   map[string]Facts `toml:"models"`
	Families map[string]Facts `toml:"families"`
},
) {
	if err := toml.Unmarshal(modelsTOML, &t); err != nil {
		panic(fmt.Errorf("read the built-in table of models: %w", err))
	}
	return t
})

// FactsDate is the day on which the built-in table of models was last looked over, as 2026-01-31.
func FactsDate() string { return factsTable().Date }

// FactsOf is what is known of a model: what it says of itself, if it has a method Facts, else what the
// built-in table holds under its name.
func FactsOf(m Model) Facts {
	if known, ok := m.(interface{ Facts() Facts }); ok {
		return known.Facts()
	}
	return Known(m.Name())
}

// Known is what the built-in table holds of a model: under its full name, then without the date of its
// release, then without who serves it, laid over what its family has in common. There is no price by
// similarity: another model may cost a hundred times as much.
func Known(model string) Facts {
	t := factsTable()
	names := spellings(model)
	family := ""
	for _, name := range names {
		for prefix := range t.Families {
			if len(prefix) > len(family) && strings.HasPrefix(strings.ToLower(name), prefix) {
				family = prefix
			}
		}
		if family != "" {
			break
		}
	}
	facts := t.Families[family]
	for _, name := range names {
		if exact, ok := t.Models[name]; ok {
			return facts.With(exact)
		}
	}
	return facts
}

// Window is the context window of a well-known model in tokens (prompt and reply together); false when the
// model is not known.
func Window(model string) (int64, bool) {
	w := Known(model).Window
	return w, w > 0
}

// KnownPrices is the built-in table of prices by model: list prices as published by their makers, see
// FactsDate. Prices change and newer models are missing; what the endpoint reports wins, and a user's own
// table is laid over this one.
func KnownPrices() Prices {
	prices := Prices{}
	for name, f := range factsTable().Models {
		if f.Price != nil {
			prices[name] = *f.Price
		}
	}
	return prices
}
