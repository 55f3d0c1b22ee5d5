package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/gorlm/rlm/internal/brief"
	"github.com/gorlm/rlm/internal/quantity"
)

// remote is a tool as it is called.
type remote struct {
	client       *client
	server, name string
	text         bool // it gives text
	repeatable   bool // a call that may have been answered can be made again
	timeout      time.Duration
}

// call calls the tool. Where the server ends during the call of a tool that is marked idempotent, the call is made once more.
func (r *remote) call(ctx context.Context, args json.RawMessage) (json.RawMessage, error) {
	result, err := r.once(ctx, args)
	if errors.Is(err, errEnded) && r.repeatable && ctx.Err() == nil {
		result, err = r.once(ctx, args)
	}
	return result, err
}

func (r *remote) once(ctx context.Context, args json.RawMessage) (json.RawMessage, error) {
	session, err := r.client.connected(ctx)
	if err != nil {
		return nil, err
	}
	limit := r.timeout
	if limit <= 0 {
		limit = DefaultTimeout
	}
	bounded, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	res, err := session.CallTool(bounded, &mcp.CallToolParams{Name: r.name, Arguments: args})
	if err == nil {
		r.client.answered()
		return r.result(res)
	}
	var refused *jsonrpc.Error
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case bounded.Err() != nil:
		return nil, fmt.Errorf("the tool %s of the MCP server %s did not answer within %s; whether it took effect is not known", r.name, r.server, limit)
	case !errors.As(err, &refused): // no answer: the connection is lost
		r.client.lost(session)
		_ = session.Close()
		return nil, r.client.died(r, err)
	}
	return nil, fmt.Errorf("the MCP server %s: %w", r.server, &failure{brief.Line(clean(err.Error()), 2000), err})
}

// died is the error of a call during which the server ended.
func (c *client) died(r *remote, err error) error {
	c.mu.Lock()
	p := c.process
	c.mu.Unlock()
	text := fmt.Sprintf("the MCP server %s ended or was cut off during the call of %s; whether it took effect is not known", r.server, r.name)
	if p != nil {
		select {
		case <-p.ended: // then all that it said is here
		case <-time.After(2 * graceful): // it is another one, which was started meanwhile
		}
		if said := p.why(); said != "" {
			text += " (" + said + ")"
		}
	}
	return &failure{text, errors.Join(errEnded, err)}
}

// errEnded is in the error of a call that got no answer.
var errEnded = errors.New("the server ended")

// result is what the notebook gets.
func (r *remote) result(res *mcp.CallToolResult) (json.RawMessage, error) {
	text := words(res.Content)
	switch {
	case len(res.InputRequests) > 0:
		return nil, fmt.Errorf("the tool %s of the MCP server %s asks a person for input, which is not possible here", r.name, r.server)
	case res.IsError && text == "":
		return nil, fmt.Errorf("the tool %s of the MCP server %s failed and does not say why", r.name, r.server)
	case res.IsError:
		return nil, fmt.Errorf("the tool %s of the MCP server %s failed: %s", r.name, r.server, brief.Cut(text, 4000))
	}
	structured, err := structuredOf(res)
	if err != nil {
		return nil, fmt.Errorf("the tool %s of the MCP server %s: its result cannot be read: %w", r.name, r.server, err)
	}
	switch {
	case r.text && text == "" && structured != nil:
		text = string(structured)
		fallthrough
	case r.text:
		return json.Marshal(text)
	case structured != nil:
		return structured, nil
	case json.Valid([]byte(text)): // servers of before structured content
		return cleanJSON(json.RawMessage(text))
	}
	return nil, fmt.Errorf("the tool %s of the MCP server %s promised data and gave text: %s", r.name, r.server, brief.Line(text, 300))
}

// structuredOf is the structured content, nil if there is none. It mostly comes in a JSON string; see quoteStructured.
func structuredOf(res *mcp.CallToolResult) (json.RawMessage, error) {
	switch v := res.StructuredContent.(type) {
	case nil:
		return nil, nil
	case string:
		if json.Valid([]byte(v)) {
			return cleanJSON(json.RawMessage(v))
		}
	}
	raw, err := json.Marshal(res.StructuredContent)
	if err != nil {
		return nil, err
	}
	return cleanJSON(raw)
}

// words are the texts of a result; what is no text is named.
func words(content []mcp.Content) string {
	var parts []string
	for _, c := range content {
		switch c := c.(type) {
		case *mcp.TextContent:
			parts = append(parts, clean(c.Text))
		case *mcp.ImageContent:
			parts = append(parts, binary("image", c.MIMEType, len(c.Data)))
		case *mcp.AudioContent:
			parts = append(parts, binary("audio", c.MIMEType, len(c.Data)))
		case *mcp.ResourceLink:
			parts = append(parts, fmt.Sprintf("[link to %s: %s]", brief.Line(clean(c.Name), 200), brief.Line(clean(c.URI), 1000)))
		case *mcp.EmbeddedResource:
			parts = append(parts, embedded(c.Resource))
		}
	}
	return strings.Join(parts, "\n")
}

func embedded(r *mcp.ResourceContents) string {
	switch {
	case r == nil:
		return ""
	case r.Text != "":
		return clean(r.Text)
	}
	return binary("resource "+brief.Line(clean(r.URI), 1000), r.MIMEType, len(r.Blob))
}

func binary(what, kind string, size int) string {
	return fmt.Sprintf("[%s, %s, %s]", what, brief.Line(clean(kind), 100), quantity.Binary(int64(size)))
}
