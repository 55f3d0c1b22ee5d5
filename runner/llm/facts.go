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

// Facts are the known properties of a model. A zero field means not known.
type Facts struct {
	// Maker is the provider that offers the model without a prefix in its name.
	Maker  string `toml:"maker,omitempty"`
	Window int64  `toml:"window,omitempty"` // tokens of prompt and reply together
	Output int64  `toml:"output,omitempty"` // the most tokens of a reply
	Price  *Price `toml:"price,omitempty"`
	// CacheLeast is the least length in tokens of a prompt that can be cached by a mark.
	CacheLeast int64 `toml:"cache_least,omitempty"`
	// Thinking is how an Anthropic model thinks: with a budget of tokens, adaptively if asked to, or adaptively
	// even if not asked.
	Thinking string `toml:"thinking,omitempty"`
	// Missing lists what the model does not accept: temperature, system, schema, effort.
	Missing []string `toml:"missing,omitempty"`
	// TokenLimit is the field that limits a reply, if the model refuses the endpoint's usual one: max_tokens or
	// max_completion_tokens.
	TokenLimit string `toml:"token_limit,omitempty"`
}

// The values of Facts.Missing.
const (
	lacksTemperature = "temperature"
	lacksSystem      = "system"
	lacksSchema      = "schema"
	lacksEffort      = "effort"
)

func (f Facts) lacks(what string) bool { return slices.Contains(f.Missing, what) }

// With returns the facts overridden by those of more, field by field.
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

// factsTable is the built-in table. It is read on first use and never changed.
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

// FactsDate is the day on which the built-in table of models was last checked, in the form 2026-01-31.
func FactsDate() string { return factsTable().Date }

// FactsOf returns the known facts of a model: from its method Facts if it has one, else from the built-in table.
func FactsOf(m Model) Facts {
	if known, ok := m.(interface{ Facts() Facts }); ok {
		return known.Facts()
	}
	return Known(m.Name())
}

// Known returns the facts of a model in the built-in table: under its full name, then without its release date,
// then without its provider. They override those of its family. Prices are never taken from similar names: another
// model may cost a hundred times as much.
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

// KnownPrices is the built-in table of prices by model: list prices as published by their makers, see FactsDate. It
// lacks newer prices and models; prices that the endpoint reports and a user's own table override it.
func KnownPrices() Prices {
	prices := Prices{}
	for name, f := range factsTable().Models {
		if f.Price != nil {
			prices[name] = *f.Price
		}
	}
	return prices
}
