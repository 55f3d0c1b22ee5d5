package llm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
)

// listAddress is where the list of models is.
func (c *Client) listAddress() string {
	if c.listQuery != "" {
		return c.baseURL + "/models?" + c.listQuery
	}
	return c.address(c.baseURL + "/models")
}

// maxModels bounds what is read of an endpoint's list of models.
const maxModels = 8 << 20

// Models lists the names of the models that the endpoint serves, in order. It asks once, without another
// try, and neither costs anything nor calls a model. Some endpoints have no such list: the error is then an
// *Error of kind ErrBadRequest with status 404.
func (c *Client) Models(ctx context.Context) ([]string, error) {
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
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	if err := json.Unmarshal(body, &list); err != nil {
		return nil, fmt.Errorf("what %s answers is no list of models", c.where)
	}
	names := make([]string, 0, len(list.Data))
	for _, m := range list.Data {
		if m.ID == "" {
			continue
		}
		if c.provider.listed != nil {
			m.ID = c.provider.listed(m.ID)
		}
		names = append(names, m.ID)
	}
	slices.Sort(names)
	return names, nil
}
