package llm

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// Listed is a model as an endpoint lists it, with what the endpoint tells of it: some tell the window, the longest reply
// and the price.
type Listed struct {
	Name  string
	Facts Facts
}

// listAddress is where the list of models is.
func (c *Client) listAddress() string {
	url := cmp.Or(c.listURL, c.baseURL) + "/models"
	if c.listQuery != "" {
		return url + "?" + c.listQuery
	}
	return c.address(url)
}

// maxModels bounds what is read of an endpoint's list of models.
const maxModels = 8 << 20

// Models lists the names of the models that the endpoint serves, in order: see List.
func (c *Client) Models(ctx context.Context) ([]string, error) {
	list, err := c.List(ctx)
	if err != nil {
		return nil, err
	}
	names := make([]string, len(list))
	for i, m := range list {
		names[i] = m.Name
	}
	return names, nil
}

// List lists the models that the endpoint serves, ordered by name. It asks once, without another try, and neither costs
// anything nor calls a model. Some endpoints have no such list: the error is then an *Error of kind ErrBadRequest with
// status 404.
func (c *Client) List(ctx context.Context) ([]Listed, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.listAddress(), nil)
	if err != nil {
		return nil, fmt.Errorf("listing the models of %s: %w", c.where, errors.New("its address is no URL"))
	}
	c.sign(req.Header)
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, c.failed(failure{err: err}, 1)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxModels))
	if err != nil {
		return nil, c.failed(failure{err: err}, 1)
	}
	if resp.StatusCode != http.StatusOK {
		return nil, c.failed(errorBody(resp.StatusCode, body), 1)
	}
	var list struct {
		Data []wireListed `json:"data"`
	}
	if err := json.Unmarshal(body, &list); err != nil {
		return nil, fmt.Errorf("what %s answers is no list of models", c.where)
	}
	models := make([]Listed, 0, len(list.Data))
	for _, m := range list.Data {
		if m.ID == "" {
			continue
		}
		if c.provider.listed != nil {
			m.ID = c.provider.listed(m.ID)
		}
		models = append(models, Listed{m.ID, m.facts()})
	}
	slices.SortFunc(models, func(a, b Listed) int { return strings.Compare(a.Name, b.Name) })
	return models, nil
}

// wireListed is an entry of a list. Besides its name each service tells something else.
type wireListed struct {
	ID      string      `json:"id"`
	Context json.Number `json:"context_length"`   // OpenRouter
	Longest json.Number `json:"max_model_len"`    // vLLM
	Input   json.Number `json:"max_input_tokens"` // Anthropic
	Output  json.Number `json:"max_tokens"`       // Anthropic
	Top     struct {
		Output json.Number `json:"max_completion_tokens"`
	} `json:"top_provider"` // OpenRouter
	Pricing struct {
		Input  string `json:"prompt"`
		Output string `json:"completion"`
		Cached string `json:"input_cache_read"`
		Write  string `json:"input_cache_write"`
	} `json:"pricing"` // OpenRouter: US dollars a token
}

func (m wireListed) facts() (f Facts) {
	for _, n := range []json.Number{m.Context, m.Longest, m.Input} {
		f.Window = cmp.Or(f.Window, tokensOf(n))
	}
	f.Output = cmp.Or(tokensOf(m.Output), tokensOf(m.Top.Output))
	input, output := perMillion(m.Pricing.Input), perMillion(m.Pricing.Output)
	if input != nil && output != nil {
		f.Price = &Price{Input: *input, Output: *output, CachedInput: perMillion(m.Pricing.Cached), CacheWrite: perMillion(m.Pricing.Write)}
	}
	return f
}

// tokensOf is a number of tokens that can be true; 0: it is not told.
func tokensOf(n json.Number) int64 {
	tokens, err := n.Int64()
	if err != nil || tokens < 0 || tokens > 10*mostTokens {
		return 0
	}
	return tokens
}

// perMillion is a price a token as a price a million, without the dust of binary fractions; nil: it is not told.
func perMillion(text string) *float64 {
	usd, err := strconv.ParseFloat(text, 64)
	if err != nil || !(usd >= 0 && usd < 1) {
		return nil
	}
	usd, _ = strconv.ParseFloat(strconv.FormatFloat(usd*1e6, 'g', 12, 64), 64)
	return &usd
}
