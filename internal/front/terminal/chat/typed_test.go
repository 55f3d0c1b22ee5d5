package chat

import (
	"context"
	"errors"
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

// /mcp alone lists what /mcp add added to, as /context alone lists the context.
func TestServersAreListed(t *testing.T) {
	var tools []runner.OutsideTool
	d := sitDown(t, nil, func(o *Options) {
		o.Servers = func(context.Context) ([]runner.OutsideTool, error) {
			return tools, errors.New("the server mail did not start")
		}
	})
	tools = []runner.OutsideTool{
		{Server: "tickets", Name: "list"}, {Server: "tickets", Name: "close"}, {Server: "files", Name: "read"},
	}
	d.line("/mcp")
	printed := d.printed()
	require.Contains(t, printed, "tickets: list, close\nfiles: read\nthe server mail did not start")
	require.NotContains(t, printed, "error:")
}
