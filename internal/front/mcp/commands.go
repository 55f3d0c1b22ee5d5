package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/gorlm/rlm/internal/session"
)

// addCommands adds the commands that are marked as tools. The arguments of a tool are those of its command and the
// session.
func (s *Server) addCommands() error {
	for _, c := range s.notebooks.sessions.Commands() {
		if !c.Tool {
			continue
		}
		in := takenBy(c)
		takes, err := jsonschema.ForType(in, nil)
		if err != nil {
			return fmt.Errorf("describe what the tool %s takes: %w", c.Name, err)
		}
		takes.Required = []string{"session"} // other arguments default to zero, as in HTTP requests
		name := strings.ReplaceAll(c.Name, "-", "_")
		s.takes[name] = in
		no, reads := false, c.Access == session.Read
		s.sdk.AddTool(&sdk.Tool{
			Name: name, Description: c.Help, InputSchema: takes,
			Annotations: &sdk.ToolAnnotations{
				ReadOnlyHint: reads, IdempotentHint: reads, DestructiveHint: &no, OpenWorldHint: &no,
			},
		}, func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			out, err := s.notebooks.do(ctx, c, req.Params.Arguments)
			if err != nil {
				return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: err.Error()}}, IsError: true},
					nil
			}
			b, err := json.Marshal(out)
			return &sdk.CallToolResult{
				Content: []sdk.Content{&sdk.TextContent{Text: string(b)}}, StructuredContent: json.RawMessage(b),
			}, err
		})
	}
	return nil
}

// do runs a command, with its arguments and session from a JSON object.
func (n *Notebooks) do(ctx context.Context, c session.Command, object json.RawMessage) (any, error) {
	var members map[string]json.RawMessage
	var id string
	if err := json.Unmarshal(object, &members); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(members["session"], &id); err != nil {
		return nil, errors.New("name the session: that of open_notebook or ask")
	}
	l, err := n.find(id)
	if err != nil {
		return nil, session.ErrorOf(err)
	}
	do := session.Request{Command: c.Name, Session: l.ID(), Who: n.who, Client: "mcp"}
	if c.In != nil {
		delete(members, "session")
		in := reflect.New(c.In)
		b, err := json.Marshal(members)
		if err != nil {
			return nil, err
		}
		d := json.NewDecoder(bytes.NewReader(b))
		d.DisallowUnknownFields()
		if err := d.Decode(in.Interface()); err != nil {
			return nil, err
		}
		do.Args = in.Elem().Interface()
	}
	n.asked(c.Name, l.ID())
	out, err := n.sessions.Do(ctx, do)
	if err != nil {
		err = session.ErrorOf(err)
	}
	return out, err
}

// inSession is the additional argument of all commands' tools.
type inSession struct {
	Session string `json:"session" jsonschema:"of open_notebook or ask"`
}

// takenBy returns the type of the arguments of a command's tool.
func takenBy(c session.Command) reflect.Type {
	fields := []reflect.StructField{reflect.TypeFor[inSession]().Field(0)}
	if c.In != nil {
		fields = slices.AppendSeq(fields, c.In.Fields())
	}
	return reflect.StructOf(fields)
}
