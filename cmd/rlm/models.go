package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/gorlm/rlm/cmd/rlm/internal/screen"
	"github.com/gorlm/rlm/internal/quantity"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/runner/llm/names"
	"github.com/gorlm/rlm/termination"
	"github.com/spf13/cobra"
)

func (a *app) modelsCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "models",
		Short: "List the models of the configured providers, with windows and prices",
		Long: `List your profiles and what the providers offer for which there is a key, with window, price in USD per million tokens (input,
output, cached input) and what is known to be missing. No model is called. What is not known is said to be unknown; the configuration
can say it (see 'rlm config --help').`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := a.ready(cmd); err != nil {
				return err
			}
			return a.listModels(cmd.Context(), asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object a line")
	test := &cobra.Command{
		Use:   "test NAME",
		Short: "Make three tiny calls of a model: in one piece, streamed, with a schema",
		Long: `Make one tiny call of a model, one streamed and one with a schema, and say what works. The calls cost a fraction of a cent. The
exit code is 1 if one of them failed.`,
		Example: "  rlm models test anthropic/claude-haiku-4-5",
		Args:    exactly(1), ValidArgsFunction: a.completeModels,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := a.ready(cmd); err != nil {
				return err
			}
			return a.testModel(cmd.Context(), args[0])
		},
	}
	cmd.AddCommand(test)
	return cmd
}

// offer is a model that can be named here.
type offer struct {
	Name     string     `json:"name"`
	Provider string     `json:"provider"`
	Window   int64      `json:"window,omitempty"`
	Price    *llm.Price `json:"price,omitempty"`
	Missing  []string   `json:"missing,omitempty"`
}

func (a *app) listModels(ctx context.Context, asJSON bool) error {
	offers, failed, err := a.offers(ctx)
	if err != nil {
		return &exit{termination.ExitUsage, err}
	}
	for _, text := range failed {
		fmt.Fprintln(a.err, screen.Line(text))
	}
	if len(offers) == 0 && a.set.unconfigured() {
		return &exit{termination.ExitUsage, a.set.noModel(nil)}
	}
	if len(offers) == 0 { // the reasons are told
		return &exit{code: termination.ExitFailed}
	}
	if asJSON {
		enc := json.NewEncoder(a.out)
		for _, o := range offers {
			if err := enc.Encode(o); err != nil {
				return fmt.Errorf("writing the list: %w", err)
			}
		}
		return nil
	}
	err = a.printTable(func(w io.Writer) {
		fmt.Fprintln(w, "MODEL\tWINDOW\tUSD PER MILLION TOKENS\tMISSING")
		for _, o := range offers {
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", screen.Line(o.Name), windowText(o.Window), priceText(o.Price), strings.Join(o.Missing, ", "))
		}
	})
	if err != nil {
		return err
	}
	return a.out.Styled(a.out.Fit(fmt.Sprintf("\nwindows and prices as of %s, with yours laid over them\n", llm.FactsDate())))
}

// offers are the profiles, then what each configured provider lists. A provider that cannot be asked is named with the reason.
func (a *app) offers(ctx context.Context) (offers []offer, failed []string, err error) {
	ctx, cancel := context.WithTimeout(ctx, endpointPatience)
	defer cancel()
	r := a.set.resolver()
	for _, name := range r.Profiles() {
		c, err := r.Client(ctx, name)
		if err != nil {
			failed = append(failed, err.Error())
			continue
		}
		offers = append(offers, a.offerOf(name, c.Provider().Name, c.Facts()))
	}
	providers, err := r.Configured()
	if err != nil {
		return nil, nil, err
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
		for _, m := range list.Models {
			offers = append(offers, a.offerOf(m.Name, list.Provider.Name, llm.Known(m.Name).With(m.Facts)))
		}
	}
	return offers, failed, nil
}

func (a *app) offerOf(name, provider string, f llm.Facts) offer {
	o := offer{Name: name, Provider: provider, Window: f.Window, Price: f.Price, Missing: f.Missing}
	if set, ok := a.set.Prices.Lookup(name); ok {
		o.Price = &set
	}
	return o
}

func windowText(tokens int64) string {
	if tokens == 0 {
		return "unknown"
	}
	return quantity.Count(tokens)
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

// testModel calls a model in each of the ways that a run does.
func (a *app) testModel(ctx context.Context, name string) error {
	model, err := a.set.resolver().Client(ctx, name)
	if err != nil {
		return &exit{termination.ExitUsage, err}
	}
	defer model.Close()
	a.out.Wrap()
	fmt.Fprintf(a.out, "%s, %s at %s, key %s\n", name, model.Served(), model.BaseURL(), a.keyInWords(ctx, name))
	say := llm.Request{Messages: []llm.Message{{Role: llm.User, Content: "Reply with the word ok."}}, Once: true}
	whole, schema := say, say
	whole.NoStream = true
	schema.Messages = []llm.Message{{Role: llm.User, Content: "Give the number of days of a week as days."}}
	schema.Format = &llm.Format{Name: "answer", Schema: []byte(`{"type":"object","properties":{"days":{"type":"integer"}},"required":["days"],"additionalProperties":false}`)}
	works := true
	for _, try := range []struct {
		what string
		req  llm.Request
		good func(string) bool
	}{
		{"in one piece", whole, func(text string) bool { return strings.TrimSpace(text) != "" }},
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
			return &exit{code: termination.ExitInterrupted}
		case err != nil:
			works = false
			fmt.Fprintf(a.out, "failed  %s: %s\n", try.what, screen.Line(err.Error()))
		case !try.good(resp.Content):
			works = false
			fmt.Fprintf(a.out, "failed  %s: the reply is not what was asked for: %s\n", try.what, screen.Line(resp.Content))
		default:
			fmt.Fprintf(a.out, "ok      %s: %s in %s%s\n", try.what, quantity.About(resp.Usage.Prompt+resp.Usage.Completion, "token"), resp.Duration.Round(time.Millisecond), a.costOf(model, resp))
		}
	}
	if !works {
		return &exit{code: termination.ExitFailed}
	}
	return nil
}

func daysOfAWeek(text string) bool {
	var got struct {
		Days int `json:"days"`
	}
	return decode([]byte(text), &got) == nil && got.Days == 7
}

// costOf is what a call cost, in words.
func (a *app) costOf(m *llm.Client, resp llm.Response) string {
	prices := llm.Prices{m.Name(): {}}
	known := resp.Cost != nil
	if f := m.Facts().Price; f != nil {
		prices[m.Name()], known = *f, true
	}
	if set, ok := a.set.Prices.Lookup(m.Name()); ok {
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
