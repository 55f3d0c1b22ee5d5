package llm

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// ModelInfo is a model in an endpoint's list, with the facts that the list reports: with some endpoints, the
// window, the longest reply and the price.
type ModelInfo struct {
	Name  string
	Facts Facts
}

// maxModels bounds the bytes read of an endpoint's list of models.
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

// List lists the models that the endpoint serves, ordered by name. It sends one request, without retries; this is
// free and calls no model. Some endpoints have no such list: the error is then an *Error of kind ErrBadRequest with
// status 404.
func (c *Client) List(ctx context.Context) ([]ModelInfo, error) {
	answer := &listAnswer{c: c}
	list, err := c.sdk(cmp.Or(c.listURL, c.baseURL), answer).ListModels(ctx)
	if answer.status == 0 {
		return nil, c.failed(failureOf(err), 1)
	}
	if answer.status != http.StatusOK {
		return nil, c.failed(errorBody(answer.status, answer.body), 1)
	}
	if err != nil && !oddField(err, "data", "data.id") {
		return nil, fmt.Errorf("%s did not answer with a list of models", c.where)
	}
	var told struct {
		Data []listFacts `json:"data"`
	}
	_ = json.Unmarshal(answer.body, &told) // adds other fields to the same models, as far as readable
	told.Data = slices.Grow(told.Data, len(list.Models))[:len(list.Models)]
	models := make([]ModelInfo, 0, len(list.Models))
	for i, m := range list.Models {
		if m.ID == "" {
			continue
		}
		if c.provider.listed != nil {
			m.ID = c.provider.listed(m.ID)
		}
		models = append(models, ModelInfo{m.ID, told.Data[i].facts()})
	}
	slices.SortFunc(models, func(a, b ModelInfo) int { return strings.Compare(a.Name, b.Name) })
	return models, nil
}

// listAnswer requests a list of models for go-openai, and stores the response: go-openai decodes only OpenAI's
// fields of a model, and only OpenAI's form of an error.
type listAnswer struct {
	c      *Client
	status int
	body   []byte
}

// Do sends the request.
func (l *listAnswer) Do(r *http.Request) (*http.Response, error) {
	if l.c.listQuery != "" {
		r.URL.RawQuery = l.c.listQuery
	}
	l.c.sign(r.Header)
	resp, err := l.c.http.Do(r)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if l.body, err = io.ReadAll(io.LimitReader(resp.Body, maxModels)); err != nil {
		return nil, err
	}
	l.status, resp.Body = resp.StatusCode, io.NopCloser(bytes.NewReader(l.body))
	return resp, nil
}

// listFacts are the fields of a model besides its name, which differ between services.
type listFacts struct {
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
	} `json:"pricing"` // OpenRouter: US dollars per token
}

func (m listFacts) facts() (f Facts) {
	for _, n := range []json.Number{m.Context, m.Longest, m.Input} {
		f.Window = cmp.Or(f.Window, tokensOf(n))
	}
	f.Output = cmp.Or(tokensOf(m.Output), tokensOf(m.Top.Output))
	input, output := perMillion(m.Pricing.Input), perMillion(m.Pricing.Output)
	if input != nil && output != nil {
		f.Price = &Price{
			Input: *input, Output: *output, CachedInput: perMillion(m.Pricing.Cached),
			CacheWrite: perMillion(m.Pricing.Write),
		}
	}
	return f
}

// tokensOf is a plausible number of tokens; 0: not reported.
func tokensOf(n json.Number) int64 {
	tokens, err := n.Int64()
	if err != nil || tokens > 10*mostTokens {
		return 0
	}
	return max(tokens, 0)
}

// perMillion converts a price per token to one per million, without binary rounding noise; nil: not reported.
func perMillion(text string) *float64 {
	usd, err := strconv.ParseFloat(text, 64)
	if err != nil || !(usd >= 0 && usd < 1) {
		return nil
	}
	usd, _ = strconv.ParseFloat(strconv.FormatFloat(usd*1e6, 'g', 12, 64), 64)
	return &usd
}
