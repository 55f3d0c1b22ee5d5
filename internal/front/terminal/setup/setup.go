// Package setup asks a person for the first model: its provider, the key and its name. It tries the model before
// its caller saves the answers.
package setup

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gorlm/rlm/internal/front/terminal/screen"
	"github.com/gorlm/rlm/internal/kit/units"
	"github.com/gorlm/rlm/internal/names"
	"github.com/gorlm/rlm/runner/llm"
)

// Options say where to ask, and what is already known.
type Options struct {
	Out *screen.Output
	// Line reads a line. Key reads one without echo, and calls ask to print its prompt.
	Line func(ctx context.Context) (string, error)
	Key  func(ctx context.Context, ask func()) (llm.Secret, error)
	// Names is the configuration for looking up models. What the person enters replaces its keys and endpoint, and
	// the key in its environment.
	Names names.Config
	// Model is the configured model; "" for none.
	Model string
}

// Choice is a model that answered. The zero value means that the person wants no model.
type Choice struct {
	Provider string // the provider that the key belongs to
	Key      llm.Secret
	BaseURL  string // address of the endpoint; empty for a known provider
	Model    string // its name in the form of the --model flag
}

// usual lists the model to suggest for each provider: one that is good at writing code, but not the most expensive.
var usual = []struct{ provider, model string }{
	{"openai", "openai/gpt-6-sol"},
	{"anthropic", "anthropic/claude-sonnet-5-5"},
	{"gemini", "gemini/gemini-3.8-flash"},
	{"openrouter", "openrouter/openrouter/auto"},
}

// Ask asks until a model answers, the person wants no model, or ctx is done.
func Ask(ctx context.Context, o Options) (Choice, error) {
	for {
		o.menu()
		c, err := o.provider(ctx)
		if err != nil || c.Provider == "" {
			return Choice{}, err
		}
		chosen, err := o.model(ctx, c)
		if err != nil || chosen.Model != "" {
			return chosen, err
		}
	}
}

func (o Options) menu() {
	fmt.Fprint(o.Out, "\nNo model is set up yet. Which one should answer questions?\n\n")
	for i, u := range usual {
		p, _ := llm.ProviderNamed(u.provider)
		fmt.Fprintf(o.Out, "  %d  %s\n", i+1, p.Title)
	}
	fmt.Fprintf(o.Out, "  %d  Ollama on this machine\n  %d  another OpenAI-compatible endpoint\n", len(usual)+1,
		len(usual)+2)
	fmt.Fprint(o.Out, "\nPress Enter to start without a model:\ncells run, questions wait.\n")
}

// provider asks for the provider of the model, and its key.
func (o Options) provider(ctx context.Context) (Choice, error) {
	for {
		line, err := o.ask(ctx, fmt.Sprintf("1–%d: ", len(usual)+2))
		n, _ := strconv.Atoi(line)
		switch {
		case err != nil || line == "":
			return Choice{}, err
		case n >= 1 && n <= len(usual):
			c := Choice{Provider: usual[n-1].provider}
			p, _ := llm.ProviderNamed(c.Provider)
			c.Key, err = o.key(ctx, "key of "+p.Title+" (it is not shown): ")
			if err != nil || !c.Key.Empty() {
				return c, err
			}
		case n == len(usual)+1:
			return Choice{Provider: "ollama"}, nil
		case n == len(usual)+2:
			if c, err := o.endpoint(ctx); err != nil || c.BaseURL != "" {
				return c, err
			}
		}
	}
}

// endpoint asks for the URL of an endpoint and for its key, which may be empty. It suggests the configured URL.
func (o Options) endpoint(ctx context.Context) (c Choice, err error) {
	c.Provider = "openai"
	prompt := "its URL, such as http://localhost:8000/v1: "
	if o.Names.BaseURL != "" {
		prompt = "its URL (Enter: " + llm.PublicURL(o.Names.BaseURL) + "): "
	}
	if c.BaseURL, err = o.ask(ctx, prompt); err != nil {
		return c, err
	}
	if c.BaseURL = cmp.Or(c.BaseURL, o.Names.BaseURL); c.BaseURL == "" {
		return c, nil
	}
	c.Key, err = o.key(ctx, "its key (not shown; Enter for none): ")
	return c, err
}

// model asks for the model's name and tries the model. It returns a Choice without a model if the endpoint cannot
// be used.
func (o Options) model(ctx context.Context, c Choice) (Choice, error) {
	r := names.New(with(o.Names, c))
	p, _ := llm.ProviderNamed(c.Provider)
	offer, err := r.Offered(ctx, p)
	var failed *llm.Error
	if errors.As(err, &failed) && failed.Kind != llm.ErrBadRequest { // a bad request means: no list
		return o.reject(ctx, err)
	}
	known := make([]string, len(offer.Models))
	for i, m := range offer.Models {
		known[i] = m.Name
	}
	first := o.first(c, known)
	for {
		name, err := o.ask(ctx, fmt.Sprintf(
			"model (Enter: %s; ? lists %s): ", screen.Line(first), units.Of(len(known), "model")))
		switch {
		case err != nil:
			return c, err
		case name == "?":
			fmt.Fprintln(o.Out, "  "+screen.Line(strings.Join(known, "  ")))
			continue
		case name == "" && first == "":
			continue
		case name == "":
			name = first
		}
		name = c.named(name)
		if len(known) > 0 && !slices.Contains(known, name) && name != first {
			if meant := screen.DidYouMean(name, known); meant != "" {
				fmt.Fprintf(o.Out, "there is no model %s%s\n", screen.Line(name), screen.Line(meant))
				continue
			}
		}
		if o.try(ctx, r, name) {
			c.Model = name
			return c, nil
		}
		if ctx.Err() != nil {
			return c, ctx.Err()
		}
	}
}

// first returns the model to suggest: the configured one, the provider's usual one, or the first of the list.
func (o Options) first(c Choice, known []string) string {
	if o.Model != "" {
		return o.Model
	}
	for _, u := range usual {
		if u.provider == c.Provider && c.BaseURL == "" && (len(known) == 0 || slices.Contains(known, u.model)) {
			return u.model
		}
	}
	if len(known) > 0 {
		return known[0]
	}
	return ""
}

// with returns the configuration that a choice needs, without settings that would override the choice.
func with(cfg names.Config, c Choice) names.Config {
	p, _ := llm.ProviderNamed(c.Provider)
	getenv := cfg.Getenv
	cfg.BaseURL, cfg.APIKey, cfg.Keys, cfg.Fallback = c.BaseURL, llm.Secret{}, nil, nil
	cfg.Getenv = func(name string) string {
		if slices.Contains(p.KeyEnv, name) {
			return c.Key.Reveal()
		}
		return getenv(name)
	}
	return cfg
}

// named returns a model's name prefixed with its provider.
func (c Choice) named(model string) string {
	if c.BaseURL != "" || strings.HasPrefix(model, c.Provider+"/") {
		return model
	}
	return c.Provider + "/" + model
}

func (o Options) try(ctx context.Context, r *names.Resolver, name string) bool {
	o.Out.Status("trying " + screen.Line(name) + " …")
	took, err := call(ctx, r, name)
	o.Out.Status("")
	if err != nil {
		fmt.Fprintf(o.Out, "no answer: %s\n", screen.Line(err.Error()))
		return false
	}
	fmt.Fprintf(o.Out, "%s answers, in %s\n", screen.Line(name), took.Round(10*time.Millisecond))
	return true
}

// call makes one tiny call of a model, and returns how long it took.
func call(ctx context.Context, r *names.Resolver, name string) (time.Duration, error) {
	client, err := r.Client(ctx, name)
	if err != nil {
		return 0, err
	}
	defer client.Close()
	resp, err := client.Generate(ctx, llm.Request{
		Messages: []llm.Message{{Role: llm.User, Content: "Reply with the word ok."}}, Once: true,
	}, func(llm.Delta) {})
	return resp.Duration, err
}

// Try tries a choice with one tiny call, and returns it with the model's full name.
func Try(ctx context.Context, cfg names.Config, c Choice) (Choice, error) {
	if _, known := llm.ProviderNamed(c.Provider); !known || c.Model == "" {
		return Choice{}, errors.New("choose a provider and a model")
	}
	c.Model = c.named(c.Model)
	_, err := call(ctx, names.New(with(cfg, c)), c.Model)
	return c, err
}

func (o Options) reject(ctx context.Context, err error) (Choice, error) {
	if ctx.Err() != nil {
		return Choice{}, ctx.Err()
	}
	fmt.Fprintf(o.Out, "that does not work: %s\n", screen.Line(err.Error()))
	return Choice{}, nil
}

func (o Options) ask(ctx context.Context, prompt string) (string, error) {
	fmt.Fprint(o.Out, prompt)
	line, err := o.Line(ctx)
	return strings.TrimSpace(line), err
}

func (o Options) key(ctx context.Context, prompt string) (llm.Secret, error) {
	key, err := o.Key(ctx, func() { fmt.Fprint(o.Out, prompt) })
	fmt.Fprintln(o.Out)
	return key, err
}

// Usual returns the models to suggest first.
func Usual() (list []Choice) {
	for _, u := range usual {
		list = append(list, Choice{Provider: u.provider, Model: u.model})
	}
	return list
}
