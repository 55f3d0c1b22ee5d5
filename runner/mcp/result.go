package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"path"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/gorlm/rlm/internal/kit/text"
	"github.com/gorlm/rlm/internal/kit/units"
	"github.com/gorlm/rlm/runner"
)

// result converts a tool's result for the notebook.
func (r *remote) result(ctx context.Context, res *mcp.CallToolResult, documents runner.DocumentReader) (
	out runner.OutsideResult, err error,
) {
	parts := words(ctx, res.Content, documents)
	structured, err := structuredOf(res)
	whole := strings.Join(parts, "\n")
	if whole == "" {
		whole = string(structured)
	}
	switch {
	case len(res.InputRequests) > 0:
		return out, fmt.Errorf("the tool %s of the MCP server %s asks a person for input, which is not possible here",
			r.name, r.server)
	case res.IsError && whole == "":
		return out, fmt.Errorf("the tool %s of the MCP server %s failed and does not say why", r.name, r.server)
	case res.IsError:
		return out, fmt.Errorf("the tool %s of the MCP server %s failed: %s", r.name, r.server, text.Cut(whole, 4000))
	case err != nil:
		return out, fmt.Errorf("the tool %s of the MCP server %s: its result cannot be read: %w", r.name, r.server, err)
	case r.text:
		out.Value, err = json.Marshal(whole)
		if len(beside(parts, structured)) == len(parts) && len(parts) > 0 { // the text is not a repetition of the data
			out.Beside = string(structured)
		}
		return out, err
	}
	if structured == nil { // older servers have no structured content
		if structured, parts = dataIn(parts); structured == nil {
			return out, fmt.Errorf("the tool %s of the MCP server %s promised data and gave text: %s", r.name, r.server,
				text.Line(whole, 300))
		}
	}
	return runner.OutsideResult{Value: structured, Beside: strings.Join(beside(parts, structured), "\n")}, nil
}

// dataIn finds JSON data in texts, which may be all of them together or one of them. rest has the other texts.
func dataIn(parts []string) (data json.RawMessage, rest []string) {
	if all := []byte(strings.Join(parts, "\n")); json.Valid(all) {
		if data, err := cleanJSON(all); err == nil {
			return data, nil
		}
	}
	for i, part := range parts {
		trimmed := strings.TrimSpace(part)
		if !strings.HasPrefix(trimmed, "{") && !strings.HasPrefix(trimmed, "[") || !json.Valid([]byte(part)) {
			continue
		}
		if data, err := cleanJSON(json.RawMessage(part)); err == nil {
			return data, append(parts[:i:i], parts[i+1:]...)
		}
	}
	return nil, parts
}

// beside returns the texts that do not occur in the data: servers often repeat the data, or parts of it, as text.
func beside(parts []string, structured json.RawMessage) (news []string) {
	if structured == nil {
		return parts
	}
	known := map[string]bool{}
	note(known, structured, 0)
	for _, part := range parts {
		data, err := cleanJSON(json.RawMessage(part))
		if strings.TrimSpace(part) != "" && !known[part] && (err != nil || !known[string(data)]) {
			news = append(news, part)
		}
	}
	return news
}

// deepest bounds the depth of the parts of the data that are looked for in texts.
const deepest = 3

// note adds to known the parts of a value, as cleaned JSON, and its texts, cleaned.
func note(known map[string]bool, value json.RawMessage, depth int) {
	if data, err := cleanJSON(value); err == nil {
		known[string(data)] = true
	}
	var words string
	if json.Unmarshal(value, &words) == nil {
		known[clean(words)] = true
	}
	var list []json.RawMessage
	var object map[string]json.RawMessage
	if depth >= deepest || json.Unmarshal(value, &list) != nil && json.Unmarshal(value, &object) != nil {
		return
	}
	for _, item := range list {
		note(known, item, depth+1)
	}
	for _, item := range object {
		note(known, item, depth+1)
	}
}

// structuredOf is the structured content, nil if there is none. It is usually in a JSON string; see readable.
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

// words returns the texts of a result. Other content is named, followed by the text extracted from it.
func words(ctx context.Context, content []mcp.Content, documents runner.DocumentReader) (parts []string) {
	document := func(what, name, kind string, data []byte) string {
		named := fmt.Sprintf("[%s, %s, %s]", what, text.Line(clean(kind), 100), units.Binary(int64(len(data))))
		if said := clean(documents(ctx, name, data)); said != "" {
			named += "\n" + said
		}
		return named
	}
	for _, c := range content {
		switch c := c.(type) {
		case *mcp.TextContent:
			parts = append(parts, clean(c.Text))
		case *mcp.ImageContent:
			parts = append(parts, document("image", "image", c.MIMEType, c.Data))
		case *mcp.AudioContent:
			parts = append(parts, document("audio", "audio", c.MIMEType, c.Data))
		case *mcp.ResourceLink:
			parts = append(parts, fmt.Sprintf(
				"[link to %s: %s]", text.Line(clean(c.Name), 200), text.Line(clean(c.URI), 1000)))
		case *mcp.EmbeddedResource:
			switch r := c.Resource; {
			case r == nil:
			case r.Text != "":
				parts = append(parts, clean(r.Text))
			default:
				uri := text.Line(clean(r.URI), 1000)
				parts = append(parts, document("resource "+uri, path.Base(uri), r.MIMEType, r.Blob))
			}
		}
	}
	return parts
}
