package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/gorlm/rlm/internal/exitcode"
	"github.com/gorlm/rlm/internal/front/terminal/screen"
	"github.com/gorlm/rlm/internal/kit/units"
	"github.com/gorlm/rlm/internal/names"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/spf13/cobra"
)

func (std streams) modelsCommand(set *settings) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "models",
		Short: "List the models of the configured providers, with windows and prices",
		Long: `List your profiles and the models of all providers that have a key, with window, price in USD per million
tokens (input, output, cached input) and features known to be missing. No model is called. Unknown values are
shown as unknown; the configuration can supply them (see 'rlm config --help').`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := set.ready(); err != nil {
				return err
			}
			return std.listModels(cmd.Context(), set, asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object per line")
	test := &cobra.Command{
		Use:   "test NAME",
		Short: "Make three tiny calls to a model: unstreamed, streamed, with a schema",
		Long: `Make three tiny calls to a model: unstreamed, streamed and with a schema, and report what works. They cost a
fraction of a cent. The exit code is 1 if any of them fails.`,
		Example: "  rlm models test anthropic/claude-haiku-4-5",
		Args:    exactly(1), ValidArgsFunction: set.completeModels,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := set.ready(); err != nil {
				return err
			}
			return std.testModel(cmd.Context(), set, args[0])
		},
	}
	cmd.AddCommand(test)
	return cmd
}

// offer is a model that users can name.
type offer struct {
	Name     string     `json:"name"`
	Provider string     `json:"provider"`
	Window   int64      `json:"window,omitempty"`
	Price    *llm.Price `json:"price,omitempty"`
	Missing  []string   `json:"missing,omitempty"`
}

func (std streams) listModels(ctx context.Context, set *settings, asJSON bool) error {
	offers, failed, err := set.offers(ctx)
	if err != nil {
		return asUsage(err)
	}
	for _, text := range failed {
		fmt.Fprintln(std.err, screen.Line(text))
	}
	if len(offers) == 0 && set.unconfigured() {
		return asUsage(set.noModel(nil))
	}
	if len(offers) == 0 { // the reasons have been printed
		return &exit{Code: exitcode.Failed}
	}
	if asJSON {
		for _, o := range offers {
			if err := std.out.JSONLine(o); err != nil {
				return fmt.Errorf("writing the list: %w", err)
			}
		}
		return nil
	}
	err = std.out.Table(func(w io.Writer) {
		fmt.Fprintln(w, "MODEL\tWINDOW\tUSD PER MILLION TOKENS\tMISSING")
		for _, o := range offers {
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", screen.Line(o.Name), windowText(o.Window), priceText(o.Price),
				strings.Join(o.Missing, ", "))
		}
	})
	if err != nil {
		return err
	}
	return std.out.Styled(std.out.Fit(
		fmt.Sprintf("\nwindows and prices as of %s, overridden by yours\n", llm.FactsDate())))
}

// offers returns the profiles, and then the models that the configured providers list. failed describes the
// profiles and providers without a result.
func (s *settings) offers(ctx context.Context) (offers []offer, failed []string, err error) {
	ctx, cancel := context.WithTimeout(ctx, endpointPatience)
	defer cancel()
	r := s.resolver()
	for _, name := range r.Profiles() {
		c, err := r.Client(ctx, name)
		if err != nil {
			failed = append(failed, err.Error())
			continue
		}
		offers = append(offers, s.offerOf(name, c.Provider().Name, c.Facts()))
	}
	providers, err := r.Configured()
	if err != nil {
		return nil, nil, err
	}
	if len(providers)+len(offers)+len(failed) == 0 { // a run would use a local Ollama
		if _, err := llm.FindOllama(ctx, ""); err == nil {
			providers = slices.DeleteFunc(llm.Providers(), func(p llm.Provider) bool { return p.Name != "ollama" })
		}
	}
	lists, errs := make([]names.Offer, len(providers)), make([]error, len(providers))
	var wg sync.WaitGroup
	for i, p := range providers {
		wg.Go(func() { lists[i], errs[i] = r.Offered(ctx, p) })
	}
	wg.Wait()
	for i, list := range lists {
		if errs[i] != nil {
			failed = append(failed, fmt.Sprintf("%s: %v", list.Title, errs[i]))
			continue
		}
		for _, text := range list.Provider.Missing {
			failed = append(failed, list.Title+": "+text)
		}
		if len(list.Models) == 0 && len(list.Provider.Missing) == 0 {
			failed = append(failed, list.Title+": it lists no models; name one with --model")
		}
		for _, m := range list.Models {
			offers = append(offers, s.offerOf(m.Name, list.Provider.Name, llm.Known(m.Name).With(m.Facts)))
		}
	}
	return offers, failed, nil
}

func (s *settings) offerOf(name, provider string, f llm.Facts) offer {
	o := offer{Name: name, Provider: provider, Window: f.Window, Price: f.Price, Missing: f.Missing}
	if set, ok := s.prices().Lookup(name); ok {
		o.Price = &set
	}
	return o
}

func windowText(tokens int64) string {
	if tokens == 0 {
		return "unknown"
	}
	return units.Count(tokens)
}

func priceText(p *llm.Price) string {
	if p == nil {
		return "unknown"
	}
	usd := func(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
	text := usd(p.Input) + " in, " + usd(p.Output) + " out"
	if p.CachedInput != nil {
		text += ", " + usd(*p.CachedInput) + " cached"
	}
	return text
}

// testModel calls a model in each way in which a run does.
func (std streams) testModel(ctx context.Context, set *settings, name string) error {
	model, err := set.resolver().Client(ctx, name)
	if err != nil {
		return asUsage(err)
	}
	defer model.Close()
	std.out.Wrap()
	fmt.Fprintf(std.out, "%s, %s at %s, key %s\n", name, model.Served(), model.BaseURL(), set.keyInWords(ctx, name))
	say := llm.Request{Messages: []llm.Message{{Role: llm.User, Content: "Reply with the word ok."}}, Once: true}
	whole, schema := say, say
	whole.NoStream = true
	schema.Messages = []llm.Message{{Role: llm.User, Content: "Give the number of days of a week as days."}}
	schema.Format = &llm.Format{Name: "answer", Schema: []byte(
		`{"type":"object","properties":{"days":{"type":"integer"}},"required":["days"],"additionalProperties":false}`)}
	works := true
	for _, try := range []struct {
		what string
		req  llm.Request
		good func(string) bool
	}{
		{"unstreamed", whole, func(text string) bool { return strings.TrimSpace(text) != "" }},
		{"streamed", say, func(text string) bool { return strings.TrimSpace(text) != "" }},
		{"with a schema", schema, daysOfAWeek},
	} {
		pieces := 0
		resp, err := model.Generate(ctx, try.req, func(d llm.Delta) {
			if d.Content != "" {
				pieces++
			}
		})
		switch {
		case ctx.Err() != nil:
			return &exit{Code: exitcode.Interrupted}
		case err != nil:
			works = false
			fmt.Fprintf(std.out, "failed  %s: %s\n", try.what, screen.Line(err.Error()))
		case !try.good(resp.Content):
			works = false
			fmt.Fprintf(std.out, "failed  %s: unexpected reply: %s\n", try.what,
				screen.Line(resp.Content))
		default:
			fmt.Fprintf(std.out, "ok      %s: %s in %s%s\n", try.what, units.About(resp.Usage.Prompt+
				resp.Usage.Completion, "token"), resp.Duration.Round(time.Millisecond), set.costOf(model, resp))
		}
	}
	if !works {
		return &exit{Code: exitcode.Failed}
	}
	return nil
}

func daysOfAWeek(text string) bool {
	var got struct {
		Days int `json:"days"`
	}
	return json.Unmarshal([]byte(text), &got) == nil && got.Days == 7
}

// costOf describes the cost of a call.
func (s *settings) costOf(m *llm.Client, resp llm.Response) string {
	prices := llm.Prices{m.Name(): {}}
	known := resp.Cost != nil
	if f := m.Facts().Price; f != nil {
		prices[m.Name()], known = *f, true
	}
	if set, ok := s.prices().Lookup(m.Name()); ok {
		prices[m.Name()], known = set, true
	}
	if !known {
		return ", price unknown"
	}
	usd := resp.Cost
	if usd == nil {
		usd = prices.Cost(m.Name(), resp.Usage)
	}
	return fmt.Sprintf(", $%.6f", *usd)
}
