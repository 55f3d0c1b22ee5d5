package chat

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/gorlm/rlm/internal/front/terminal/screen"
	"github.com/gorlm/rlm/internal/session"
	"github.com/gorlm/rlm/internal/session/client"
)

// typedCommands returns those commands of the table that people can type.
func (t *terminal) typedCommands() (all []command) {
	for _, c := range t.all().Commands() {
		if how := c.Typed; how != nil {
			all = append(all, command{
				name: c.Slash(), args: how.Args, help: how.Help, words: how.Words, beside: c.Access != session.Write,
				run: func(ctx context.Context, line string, out sink) error { return t.typed(ctx, c, line, out) },
			})
		}
	}
	return all
}

// typed runs a typed command of the table and shows its result.
func (t *terminal) typed(ctx context.Context, c session.Command, line string, out sink) (err error) {
	if c.Name == "mcp" && line == "" {
		return t.listServers(ctx, out)
	}
	var args any
	if c.Typed.Parse != nil {
		if args, err = c.Typed.Parse(line); err != nil {
			return err
		}
	}
	switch c.Name {
	case "fork":
		return t.fork(ctx, args.(session.ForkRequest), out)
	case "take-over":
		return t.takeOver(ctx, out)
	}
	given, err := t.give(ctx, c, args)
	switch {
	case err != nil:
		return err
	case c.Typed.Done != nil:
		out.show(screen.Clean(c.Typed.Done(args)))
	default:
		out.show(t.text(given))
	}
	return nil
}

// give runs a command. A command that takes the session's turn waits for the turn, and give returns when it has
// ended.
func (t *terminal) give(ctx context.Context, c session.Command, args any) (given any, err error) {
	key := client.NewKey()
	switch {
	case c.Run:
		return nil, t.begin(ctx, func(ctx context.Context, at sessionHandle) (session.Receipt, error) {
			return begins(ctx, at, session.Request{Command: c.Name, Key: key, Args: args})
		})
	case c.Turn != "":
		return nil, t.work(ctx, c.Name, args)
	case c.Access == session.Write:
		err = t.short(ctx, func() error {
			given, err = do[any](ctx, t, c.Name, args)
			return err
		})
		return given, err
	}
	return do[any](ctx, t, c.Name, args)
}

// listServers shows the tools of each MCP server, wherever it was started.
func (t *terminal) listServers(ctx context.Context, out sink) error {
	now, err := do[session.Settings](ctx, t, "settings", nil)
	if err != nil {
		return err
	}
	var servers []string
	for _, s := range now.Servers {
		servers = append(servers, s.Name+": "+strings.Join(s.Tools, ", "))
	}
	if len(servers) == 0 {
		servers = []string{"no tools from MCP servers; start one with /mcp add COMMAND… or /mcp add URL"}
	}
	out.show(screen.Clean(strings.Join(servers, "\n")))
	return nil
}

// text formats a command's result.
func (t *terminal) text(given any) string {
	switch given := given.(type) {
	case nil:
		return ""
	case session.Variables:
		return t.varList(given.Variables)
	}
	b, err := json.MarshalIndent(given, "", "  ")
	if err != nil {
		return err.Error()
	}
	return screen.Clean(string(b))
}
