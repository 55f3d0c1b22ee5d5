package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	mcpserver "github.com/gorlm/rlm/internal/front/mcp"
	"github.com/gorlm/rlm/internal/front/terminal/chat"
	"github.com/gorlm/rlm/internal/front/terminal/input"
	"github.com/gorlm/rlm/internal/front/terminal/screen"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/runner/mcp"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

const mcpHelp = `Serve other agents over the Model Context Protocol, on stdin and stdout: they can ask questions about files
far larger than their window, open notebooks, run cells in them, search and read.

Tools see only the files in PATH…; without PATH they work on text alone. The budgets apply to each question; a
request can only lower them. Only the protocol is written to stdout. Runs are kept like all others: 'rlm ls'
lists them.

Configuration, one line each:
  Claude Code      claude mcp add rlm -- rlm mcp .
  Cursor           ~/.cursor/mcp.json: {"mcpServers":{"rlm":{"command":"rlm","args":["mcp","/path/to/folder"]}}}
  MCP inspector    npx @modelcontextprotocol/inspector rlm mcp .

Without a model, cells still run, and contexts can be searched and read.`

func (l *launcher) mcpCommand() *cobra.Command {
	var maxRuns int
	cmd := &cobra.Command{
		Use:     "mcp [PATH…]",
		Short:   "Serve other agents over the Model Context Protocol",
		Long:    mcpHelp,
		Example: "  rlm mcp docs/ logs/",
		RunE:    func(cmd *cobra.Command, args []string) error { return l.serveMCP(cmd, maxRuns, args) },
	}
	cmd.Flags().IntVar(&maxRuns, "max-runs", 4, "maximum number of questions answered concurrently; others wait")
	l.set.sessionFlags(cmd)
	return cmd
}

func (l *launcher) serveMCP(cmd *cobra.Command, maxRuns int, paths []string) error {
	if err := l.set.ready(); err != nil {
		return err
	}
	for _, path := range paths {
		if err := readable(path); err != nil {
			return err
		}
	}
	ctx := cmd.Context()
	r, err := l.runner(ctx, askFlags{displayFlags: displayFlags{quiet: true}})
	if missing := (*noModelError)(nil); errors.As(err, &missing) {
		r, err = l.modelless(ctx, nil)
	}
	if err != nil {
		return err
	}
	notebooks := mcpserver.NewOwn(r, maxRuns)
	s, err := mcpserver.New(mcpserver.Config{Notebooks: notebooks, Folders: paths, Version: version()})
	if err != nil {
		return wrongUsage("%w", err)
	}
	err = s.Serve(ctx, os.Stdin, os.Stdout)
	if ctx.Err() != nil {
		err = nil // a signal has ended it
	}
	return errors.Join(err, notebooks.Close())
}

// mcpServer is an MCP server in the configuration file.
type mcpServer struct {
	Command []string `toml:"command,omitempty"`
	URL     string   `toml:"url,omitempty"`
	// Env sets variables of the server's process, and PassEnv names variables that it inherits. Headers are sent to
	// the URL. TokenEnv names a variable that contains a bearer token for the URL.
	Env      map[string]llm.Secret `toml:"env,omitempty"`
	PassEnv  []string              `toml:"pass_env,omitempty"`
	Headers  map[string]llm.Secret `toml:"headers,omitempty"`
	TokenEnv string                `toml:"token_env,omitempty"`
	Allow    []string              `toml:"allow,omitempty"`
	Tools    []string              `toml:"tools,omitempty"`
	Timeout  duration              `toml:"timeout,omitempty"`
}

// server converts the configuration of a server for package mcp.
func (m mcpServer) server(name string) (mcp.Server, error) {
	s := mcp.Server{
		Name: name, Command: m.Command, URL: m.URL, Env: revealed(m.Env), Headers: revealed(m.Headers), Allow: m.Allow,
		Tools:   m.Tools,
		Timeout: time.Duration(m.Timeout),
	}
	for _, v := range m.PassEnv {
		if value, ok := os.LookupEnv(v); ok {
			s.Env[v] = value
		}
	}
	if m.TokenEnv == "" {
		return s, nil
	}
	token := os.Getenv(m.TokenEnv)
	if token == "" {
		return s, fmt.Errorf("the MCP server %s: the variable %s named by token_env is not set", name, m.TokenEnv)
	}
	s.Headers["Authorization"] = "Bearer " + token
	return s, nil
}

func revealed(secrets map[string]llm.Secret) map[string]string {
	out := make(map[string]string, len(secrets))
	for name, s := range secrets {
		out[name] = s.Reveal()
	}
	return out
}

// holdsSecrets reports whether the configuration has values that others must not read.
func (s *settings) holdsSecrets() bool {
	for _, m := range s.MCP {
		if len(m.Env)+len(m.Headers) > 0 {
			return true
		}
	}
	return !s.APIKey.Empty()
}

// mcpFlags are the flags that name servers and allow tools. The servers of the configuration file are started too.
func (s *settings) mcpFlags(f *pflag.FlagSet) {
	inGroup(f, groupTools, func() {
		f.StringArrayVar(&s.mcp, "mcp", nil,
			"MCP server whose tools cells can call: 'COMMAND ARGS…' or a URL (repeatable)")
		f.StringSliceVar(&s.MCPAllow, "mcp-allow", s.MCPAllow,
			"tools (or SERVER/TOOL, *) that may be called although they are not read-only; without a value: all")
		f.Lookup("mcp-allow").NoOptDefVal = "*"
	})
}

// tools starts the servers that the flags name and, if configured is set, those of the configuration file. It
// returns the option that adds their tools to notebooks. ask, if not nil, asks a person for consent.
func (l *launcher) tools(
	ctx context.Context, configured bool, ask func(context.Context, mcp.Question) (mcp.Consent, error)) (
	[]runner.Option, error,
) {
	var servers []mcp.Server
	if configured {
		for _, name := range slices.Sorted(maps.Keys(l.set.MCP)) {
			s, err := l.set.MCP[name].server(name)
			if err != nil {
				return nil, wrongUsage("%w", err)
			}
			servers = append(servers, s)
		}
	}
	for _, text := range l.set.mcp {
		s, err := mcp.Parse(text)
		if err != nil {
			return nil, wrongUsage("--mcp: %w", err)
		}
		servers = append(servers, s)
	}
	if len(servers) == 0 {
		return nil, nil
	}
	return l.startServers(ctx, servers, ask)
}

// mcpPatience is how long servers may take to start before a message mentions the wait.
const mcpPatience = 2 * time.Second

func (l *launcher) startServers(
	ctx context.Context, servers []mcp.Server, ask func(context.Context, mcp.Question) (mcp.Consent, error)) (
	[]runner.Option, error,
) {
	started, err := mcp.Start(ctx, servers, mcp.Options{Allow: l.set.MCPAllow, Ask: ask, Version: version()})
	if err != nil {
		return nil, wrongUsage("%w", err)
	}
	l.servers = started
	return []runner.Option{runner.WithOutsideTools(func(ctx context.Context) ([]runner.OutsideTool, error) {
		awaits := func() string {
			return screen.Clean("waiting for MCP servers: " + strings.Join(started.Awaited(), ", "))
		}
		late := time.AfterFunc(mcpPatience, func() { fmt.Fprintln(l.err, awaits(), "…") })
		l.read.Wait(awaits)
		defer l.read.Wait(nil)
		defer late.Stop()
		return started.List(ctx)
	})}, nil
}

// addServer is for /mcp add: it starts a server and returns the options that add its tools to the session.
func (l *launcher) addServer(
	ctx context.Context, text string, ask func(context.Context, mcp.Question) (mcp.Consent, error)) (
	[]runner.Option, error,
) {
	s, err := mcp.Parse(text)
	if err != nil {
		return nil, err
	}
	var opts []runner.Option
	if l.servers == nil {
		if opts, err = l.startServers(context.WithoutCancel(ctx), nil, ask); err != nil {
			return nil, err
		}
	}
	return opts, l.servers.Add(ctx, s)
}

// asker returns a function that asks on the terminal whether a tool may be called; nil if stdin or stderr is not a
// terminal.
func (std streams) asker() func(context.Context, mcp.Question) (mcp.Consent, error) {
	if !isTerminal(std.in) || !std.err.Terminal() {
		return nil
	}
	return consenting(func(ctx context.Context, c chat.Choice) (string, error) {
		return input.Key(ctx, std.in.(*os.File), c.Keys, func(early string) {
			fmt.Fprintf(std.err, "%s\n", c.Text)
			if early = strings.TrimSpace(early); early != "" {
				fmt.Fprintf(std.err, "text typed before the question does not count as an answer: %s\n", early)
			}
			fmt.Fprintf(std.err, "%s\n", c.Prompt)
		})
	})
}

// asksInSession returns a function that asks within a session on a terminal; nil if there is no terminal.
func asksInSession(opt *chat.Options) func(context.Context, mcp.Question) (mcp.Consent, error) {
	if !opt.Terminal {
		return nil
	}
	opt.Asker = chat.NewPrompter()
	return consenting(opt.Asker.Ask)
}

// consenting returns a function that asks for consent, using ask.
func consenting(
	ask func(context.Context, chat.Choice) (string, error),
) func(context.Context, mcp.Question) (mcp.Consent, error) {
	return func(ctx context.Context, q mcp.Question) (mcp.Consent, error) {
		key, err := ask(ctx, chat.Choice{
			Text: fmt.Sprintf("The MCP server %s is asked to call %s, which may change things, with %s.", q.Server,
				q.Tool, q.Arguments),
			Prompt: "Allow it? [y]es, this call · [a]ll calls of it · [n]o › ", Keys: "yan",
		})
		return map[string]mcp.Consent{"y": mcp.Once, "a": mcp.Always}[key], err // other keys mean Refused
	}
}
