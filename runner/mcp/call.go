package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/gorlm/rlm/internal/kit/text"
)

// remote is a tool that can be called.
type remote struct {
	client       *client
	server, name string
	text         bool // the tool's result is text
	repeatable   bool // a call that may have taken effect can be repeated
	timeout      time.Duration
}

// call calls the tool. If the server ends during a call, and the tool is marked idempotent, the call is repeated
// once.
func (r *remote) call(ctx context.Context, args json.RawMessage) (*mcp.CallToolResult, error) {
	result, err := r.once(ctx, args)
	if errors.Is(err, errEnded) && r.repeatable && ctx.Err() == nil {
		result, err = r.once(ctx, args)
	}
	return result, err
}

func (r *remote) once(ctx context.Context, args json.RawMessage) (res *mcp.CallToolResult, err error) {
	limit := r.timeout
	if limit <= 0 {
		limit = defaultTimeout
	}
	late := false
	session, sent, err := r.client.do(ctx, func(ctx context.Context, session *mcp.ClientSession) (err error) {
		bounded, cancel := context.WithTimeout(ctx, limit)
		defer cancel()
		res, err = session.CallTool(bounded, &mcp.CallToolParams{Name: r.name, Arguments: args})
		late = err != nil && bounded.Err() != nil
		return err
	})
	if err == nil {
		r.client.answered()
		return res, nil
	}
	var refused *jsonrpc.Error
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case session == nil:
		return nil, err
	case late:
		return nil, fmt.Errorf("the tool %s of the MCP server %s did not answer within %s; %s", r.name, r.server, limit,
			notKnown)
	case errors.As(err, &refused) && sent.answers():
		return nil, fmt.Errorf("the MCP server %s: %w", r.server, &failure{text.Line(clean(err.Error()), 2000), err})
	}
	if !sent.passing() {
		r.client.drop(session)
	}
	if why, ok := sent.refusal(); ok {
		text := fmt.Sprintf("the MCP server %s %s: the call of %s did not take effect", r.server, why, r.name)
		return nil, &failure{text, err}
	}
	return nil, r.client.died(r, sent, err)
}

// died is the error of a call during which the server ended.
func (c *client) died(r *remote, sent *attempt, err error) error {
	c.mu.Lock()
	p := c.process
	c.mu.Unlock()
	text := fmt.Sprintf("the MCP server %s %s the call of %s; %s", r.server, sent.ending(), r.name, notKnown)
	if p != nil {
		select {
		case <-p.ended: // the last output of the process has arrived
		case <-time.After(2 * graceful): // p is a new process, started meanwhile
		}
		if said := p.why(); said != "" {
			text += " (" + said + ")"
		}
	}
	return &failure{text, errors.Join(errEnded, err)}
}

// notKnown is the part of an error about the effect of a call without an answer.
const notKnown = "whether it took effect is not known"

// errEnded marks the error of a call without an answer.
var errEnded = errors.New("the server ended")
