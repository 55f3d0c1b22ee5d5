package names

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gorlm/rlm/runner/llm"
)

// listPatience is how long an endpoint may take to list its models during the lookup of a name.
const listPatience = 5 * time.Second

// listed asks several providers whether they have a model.
func (r *Resolver) listed(ctx context.Context, name string, among []llm.Provider) (Target, error) {
	ctx, cancel := context.WithTimeout(ctx, listPatience)
	defer cancel()
	has, errs := make([]bool, len(among)), make([]error, len(among))
	var wg sync.WaitGroup
	for i, p := range among {
		wg.Go(func() {
			var list []string
			list, errs[i] = r.names(ctx, p)
			has[i] = slices.Contains(list, name)
		})
	}
	wg.Wait()
	var found, all, silent []string
	var at llm.Provider
	for i, p := range among {
		full := p.Name + "/" + name
		all = append(all, full)
		if has[i] {
			found, at = append(found, full), p
		}
		if errs[i] != nil {
			silent = append(silent, fmt.Sprintf("%s could not be asked: %v", p.Title, errs[i]))
		}
	}
	switch len(found) {
	case 1:
		return r.of(at, name)
	case 0:
		text := fmt.Sprintf("no configured provider lists a model %s: use one of %s", name,
			strings.Join(all, ", "))
		return Target{}, errors.New(strings.Join(append([]string{text}, silent...), "; "))
	}
	return Target{}, fmt.Errorf("several providers have a model %s: use one of %s", name, strings.Join(found, ", "))
}

// names returns the models that a configured provider lists.
func (r *Resolver) names(ctx context.Context, p llm.Provider) ([]string, error) {
	t, err := r.of(p, "any")
	if err != nil {
		return nil, err
	}
	c, err := r.client(t)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	return c.Models(ctx)
}

// Offer lists the models of a configured provider.
type Offer struct {
	// Title is the provider's, or the address of an endpoint that belongs to no provider.
	Title    string
	Provider llm.Provider
	// Models have names that resolve to them.
	Models []llm.ModelInfo
}

// Offered lists the models of a configured provider. Title and Provider are set even with an error.
func (r *Resolver) Offered(ctx context.Context, p llm.Provider) (Offer, error) {
	offer := Offer{Title: p.Title, Provider: p}
	prefix := p.Name + "/"
	if p.Name == "openai" && r.cfg.BaseURL != "" && !p.At(r.cfg.BaseURL) { // an endpoint for all bare names
		offer.Title, prefix = llm.PublicURL(r.cfg.BaseURL), ""
	}
	t, err := r.of(p, "any")
	if err != nil {
		return offer, err
	}
	c, err := r.client(t)
	if err != nil {
		return offer, err
	}
	defer c.Close()
	offer.Models, err = c.List(ctx)
	for i := range offer.Models {
		offer.Models[i].Name = prefix + offer.Models[i].Name
	}
	return offer, err
}
