package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/gorlm/rlm/internal/kit/text"
	"github.com/gorlm/rlm/runner"
)

// Bounds of what one server may list.
const (
	mostTools  = 500
	mostPages  = 100
	mostSchema = 256 << 10 // bytes of one schema; a larger one is ignored
	mostDoc    = 8 << 10   // bytes of one description
)

// introduce connects to a server and lists its tools.
func (c *client) introduce(ctx context.Context) (name string, tools []*mcp.Tool, err error) {
	session, err := c.connected(ctx)
	if err != nil {
		return "", nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	if name = c.server.Name; name == "" {
		name = ownName(session, c.server)
	}
	tools, err = c.list(ctx, name)
	return name, tools, err
}

// list requests a server's tools.
func (c *client) list(ctx context.Context, name string) (tools []*mcp.Tool, err error) {
	cursors := map[string]bool{}
	params := &mcp.ListToolsParams{}
	for page := 1; ; page++ {
		list, err := c.page(ctx, params)
		if err != nil {
			return nil, fmt.Errorf("listing the tools of the MCP server %s: %w", name, c.why(ctx, err))
		}
		for _, t := range list.Tools {
			if t != nil && t.Name != "" && (len(c.server.Tools) == 0 || matches(c.server.Tools, t.Name)) {
				tools = append(tools, t)
			}
		}
		switch {
		case len(tools) > mostTools:
			return nil, fmt.Errorf("the MCP server %s has more than %d tools: name those you need with tools = [\"…\"]", name, mostTools)
		case list.NextCursor == "":
			return tools, nil
		case cursors[list.NextCursor] || page >= mostPages:
			return nil, fmt.Errorf("the MCP server %s: its list of tools does not end", name)
		}
		cursors[list.NextCursor] = true
		params = &mcp.ListToolsParams{Cursor: list.NextCursor}
	}
}

// page requests one page of a server's tools.
func (c *client) page(ctx context.Context, params *mcp.ListToolsParams) (list *mcp.ListToolsResult, err error) {
	_, _, err = c.do(ctx, func(ctx context.Context, session *mcp.ClientSession) (err error) {
		list, err = session.ListTools(ctx, params)
		return err
	})
	return list, err
}

// ownName is the server's own name, without words such as "mcp" and "server", which most names contain.
func ownName(session *mcp.ClientSession, s Server) string {
	name := s.label()
	if init := session.InitializeResult(); init != nil && init.ServerInfo != nil && init.ServerInfo.Name != "" {
		name = init.ServerInfo.Name
	}
	words := strings.FieldsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	var kept []string
	for _, w := range words {
		if low := strings.ToLower(w); low != "mcp" && low != "server" && low != "servers" {
			kept = append(kept, w)
		}
	}
	if len(kept) == 0 {
		kept = words
	}
	return text.Cut(strings.Join(kept, "-"), 40)
}

// List is the runner.ToolLister of the servers: it waits until all have started. A server that failed to start is
// an error with the reason.
func (s *Servers) List(ctx context.Context) ([]runner.OutsideTool, error) {
	s.mu.Lock()
	starts := s.starts
	s.mu.Unlock()
	var (
		tools []runner.OutsideTool
		errs  []error
	)
	names := map[string]bool{}
	for _, st := range starts {
		select {
		case <-st.done:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		if st.err != nil {
			errs = append(errs, st.err)
			continue
		}
		name := st.name
		for i := 2; names[name]; i++ {
			name = fmt.Sprintf("%s-%d", st.name, i)
		}
		names[name] = true
		for _, t := range st.current(ctx) {
			tools = append(tools, s.outside(st.client, name, t))
		}
	}
	return tools, errors.Join(errs...)
}

// Awaited returns the names of the servers that have not started yet.
func (s *Servers) Awaited() (names []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, st := range s.starts {
		select {
		case <-st.done:
		default:
			names = append(names, st.client.server.label())
		}
	}
	return names
}

// current returns the server's tools, listed again if they may have changed. If listing fails, the old tools stay:
// calls will report the problem.
func (st *serverStart) current(ctx context.Context) []*mcp.Tool {
	st.mu.Lock()
	defer st.mu.Unlock()
	if !st.client.mayHaveOthers() {
		return st.tools
	}
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	_, err := st.client.connected(ctx)
	if err == nil {
		st.client.changed.Store(false) // later changes are listed the next time
		var tools []*mcp.Tool
		if tools, err = st.client.list(ctx, st.name); err == nil {
			st.tools = tools
		}
	}
	if err != nil {
		st.client.changed.Store(true)
	}
	return st.tools
}

// mayHaveOthers reports whether a server's tools may have changed since they were listed: the server sent a
// notification, it was started again, or it has a URL and thus no way to notify us.
func (c *client) mayHaveOthers() bool {
	if c.changed.Load() {
		return true
	}
	c.mu.Lock()
	session := c.session
	c.mu.Unlock()
	if c.server.URL == "" || session == nil {
		return false
	}
	init := session.InitializeResult()
	return init != nil && init.Capabilities != nil && init.Capabilities.Tools != nil &&
		init.Capabilities.Tools.ListChanged
}

// outside describes a tool for the notebook.
func (s *Servers) outside(c *client, server string, t *mcp.Tool) runner.OutsideTool {
	hints := t.Annotations
	if hints == nil {
		hints = &mcp.ToolAnnotations{}
	}
	tool := &remote{
		client: c, server: server, name: t.Name, text: t.OutputSchema == nil, repeatable: hints.IdempotentHint,
		timeout: c.server.Timeout,
	}
	out := runner.OutsideTool{
		Server: server, Name: t.Name, Doc: text.Cut(clean(t.Description), mostDoc), Repeatable: hints.IdempotentHint,
		Input: schemaOf(t.InputSchema), Output: schemaOf(t.OutputSchema),
		Call: func(ctx context.Context, args json.RawMessage, documents runner.DocumentReader) (
			runner.OutsideResult, error,
		) {
			if err := s.permit(ctx, c.server, tool, hints.ReadOnlyHint, args); err != nil {
				return runner.OutsideResult{}, err
			}
			res, err := tool.call(ctx, args)
			if err != nil {
				return runner.OutsideResult{}, err
			}
			return tool.result(ctx, res, documents)
		},
	}
	switch {
	case hints.ReadOnlyHint, s.allowed(c.server, tool):
	case s.options.Ask != nil:
		out.Note = "It may change things outside, so a person is asked before it is called."
	default:
		out.Refused, out.Note = true, "It may change things outside and was not allowed: calls of it are refused."
	}
	if wrong, ok := t.Meta[unreadable].([]any); ok {
		odd := text.Line(clean(fmt.Sprintf("What the server says of %v cannot be read.", wrong)), 200)
		out.Note = strings.TrimSpace(out.Note + " " + odd)
	}
	return out
}

// schemaOf returns a schema as JSON. A schema that is too large, or cannot be encoded, allows anything.
func schemaOf(schema any) json.RawMessage {
	if schema == nil {
		return nil
	}
	text, err := json.Marshal(schema)
	if err == nil && len(text) <= mostSchema {
		text, err = cleanJSON(text)
	}
	if err != nil || len(text) > mostSchema {
		return json.RawMessage("null")
	}
	return text
}
