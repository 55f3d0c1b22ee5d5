package chat

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/gorlm/rlm/internal/session"
	"github.com/gorlm/rlm/runner"
	"github.com/stretchr/testify/require"
)

type greetRequest struct {
	Name string `json:"name"`
}

type greeting struct {
	Text string `json:"text"`
}

// TestOneMoreCommand: a command that is defined once in the table can be typed: help lists it, completion knows it
// and its arguments, and its result is shown. Package api tests that it is in all other front ends.
func TestOneMoreCommand(t *testing.T) {
	greet := session.Define(session.Command{
		Name: "greet", Group: "Doing", Route: "POST sessions/{id}/greetings", Access: session.Read,
		Typed: &session.SlashSyntax{
			Args: "NAME", Help: "greet somebody", Words: []string{"Ada", "Bob"}, Parse: func(name string) (any, error) {
				return greetRequest{name}, nil
			},
		},
	}, "Greet somebody.", func(_ context.Context, _ *session.Call, in greetRequest) (greeting, error) {
		if in.Name == "" {
			return greeting{}, &session.Error{Code: session.BadRequest, Message: "name somebody"}
		}
		return greeting{"hello " + in.Name}, nil
	})
	d := sitDown(t, nil, func(o *Options) { o.Commands = []session.Command{greet} })
	d.line("/help")
	require.Regexp(t, `/greet NAME +greet somebody`, d.printed())
	for _, tt := range [][2]string{{"/gre", "/greet "}, {"/greet A", "/greet Ada "}} {
		d.m.area.Reset()
		d.types(tt[0])
		d.keys("tab")
		require.Equal(t, tt[1], d.input())
	}
	d.keys("enter")
	d.sees(`"text": "hello Ada"`)
	d.line("/greet")
	require.Contains(t, d.printed(), "error: name somebody")
	second := d.beside()
	second.line("/help")
	require.NotContains(t, strings.ToLower(second.printed()), "/greet", "a process types what it has itself")
}

// /mcp without arguments lists the tools that /mcp add has added, in every terminal of the session.
func TestServersAreListed(t *testing.T) {
	first := sitDown(t, nil, func(o *Options) {
		o.AddServer = func(context.Context, string) ([]runner.Option, error) {
			return []runner.Option{threeTools()}, nil
		}
	})
	first.line("/mcp")
	require.Contains(t, first.printed(), "no tools from MCP servers; start one with")
	first.line("/mcp add some server")
	second := first.beside()
	for _, d := range []*desk{first, second} {
		d.line("/mcp")
		require.Contains(t, d.printed(), "tickets: list, close\nfiles: read")
	}
}

// threeTools returns an option with the tools of two servers.
func threeTools() runner.Option {
	return runner.WithOutsideTools(func(context.Context) (tools []runner.OutsideTool, err error) {
		for _, name := range [][2]string{{"tickets", "list"}, {"files", "read"}, {"tickets", "close"}} {
			tools = append(tools, runner.OutsideTool{
				Server: name[0], Name: name[1],
				Call: func(context.Context, json.RawMessage, runner.DocumentReader) (runner.OutsideResult, error) {
					return runner.OutsideResult{}, nil
				},
			})
		}
		return tools, nil
	})
}
