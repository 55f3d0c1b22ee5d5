package main

import (
	"bufio"
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/gorlm/rlm/cmd/rlm/internal/chat"
	"github.com/gorlm/rlm/cmd/rlm/internal/typed"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/runner/mcp"
	"github.com/spf13/pflag"
)

// mcpServer is an MCP server of the configuration file.
type mcpServer struct {
	Command []string `toml:"command,omitempty"`
	URL     string   `toml:"url,omitempty"`
	// Env are variables of the server's process, PassEnv names those that it gets as they are here. Headers are sent to its URL.
	// TokenEnv names a variable with a bearer token for it.
	Env      map[string]llm.Secret `toml:"env,omitempty"`
	PassEnv  []string              `toml:"pass_env,omitempty"`
	Headers  map[string]llm.Secret `toml:"headers,omitempty"`
	TokenEnv string                `toml:"token_env,omitempty"`
	Allow    []string              `toml:"allow,omitempty"`
	Tools    []string              `toml:"tools,omitempty"`
	Timeout  duration              `toml:"timeout,omitempty"`
}

// server is the server as the library starts it.
func (m mcpServer) server(name string) (mcp.Server, error) {
	s := mcp.Server{
		Name: name, Command: m.Command, URL: m.URL, Env: revealed(m.Env), Headers: revealed(m.Headers), Allow: m.Allow, Tools: m.Tools,
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
		return s, fmt.Errorf("the MCP server %s: the variable %s, which token_env names, is not set", name, m.TokenEnv)
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

// holdsSecrets reports whether the configuration has values that others should not read.
func (s settings) holdsSecrets() bool {
	for _, m := range s.MCP {
		if len(m.Env)+len(m.Headers) > 0 {
			return true
		}
	}
	return !s.APIKey.Empty()
}

// outside is what a command has to do with MCP servers.
type outside struct {
	named   []string // on the command line
	servers *mcp.Servers
}

// mcpFlags name servers and what they may do. Those of the configuration file are started as well.
func (a *app) mcpFlags(f *pflag.FlagSet) {
	inGroup(f, groupTools, func() {
		f.StringArrayVar(&a.outside.named, "mcp", nil, "MCP server whose tools cells can call: 'COMMAND ARGS…' or a URL (repeatable)")
		f.StringSliceVar(&a.set.MCPAllow, "mcp-allow", a.set.MCPAllow, "tools (or SERVER/TOOL, *) that may be called though they are not read-only; alone: all")
		f.Lookup("mcp-allow").NoOptDefVal = "*"
	})
}

// tools starts the servers that are named and returns the option that brings their tools into notebooks. ask, if not nil, asks a
// person.
func (a *app) tools(ctx context.Context, configured bool, ask func(context.Context, mcp.Question) (mcp.Consent, error)) ([]runner.Option, error) {
	var servers []mcp.Server
	if configured {
		for _, name := range slices.Sorted(maps.Keys(a.set.MCP)) {
			s, err := a.set.MCP[name].server(name)
			if err != nil {
				return nil, wrongUsage("%w", err)
			}
			servers = append(servers, s)
		}
	}
	for _, text := range a.outside.named {
		s, err := mcp.Parse(text)
		if err != nil {
			return nil, wrongUsage("--mcp: %w", err)
		}
		servers = append(servers, s)
	}
	if len(servers) == 0 {
		return nil, nil
	}
	return a.startServers(ctx, servers, ask)
}

func (a *app) startServers(ctx context.Context, servers []mcp.Server, ask func(context.Context, mcp.Question) (mcp.Consent, error)) ([]runner.Option, error) {
	started, err := mcp.Start(ctx, servers, mcp.Options{Allow: a.set.MCPAllow, Ask: ask, Version: version()})
	if err != nil {
		return nil, wrongUsage("%w", err)
	}
	a.outside.servers = started
	return []runner.Option{runner.WithOutsideTools(started.List)}, nil
}

// addServer is /mcp add: it starts one more server and returns what the session is to be told.
func (a *app) addServer(ctx context.Context, text string, ask func(context.Context, mcp.Question) (mcp.Consent, error)) ([]runner.Option, error) {
	s, err := mcp.Parse(text)
	if err != nil {
		return nil, err
	}
	var opts []runner.Option
	if a.outside.servers == nil {
		if opts, err = a.startServers(context.WithoutCancel(ctx), nil, ask); err != nil {
			return nil, err
		}
	}
	return opts, a.outside.servers.Add(ctx, s)
}

// close ends what a command has started.
func (a *app) close() {
	if a.outside.servers != nil {
		a.outside.servers.Close()
	}
}

// asker asks on the terminal whether a tool may be called; nil where nobody is there to answer.
func (a *app) asker() func(context.Context, mcp.Question) (mcp.Consent, error) {
	if !isTerminal(a.in) || !a.err.Terminal() {
		return nil
	}
	in := bufio.NewReader(a.in)
	return func(ctx context.Context, q mcp.Question) (mcp.Consent, error) {
		for {
			fmt.Fprintf(a.err, "%s\ny: this call, a: all calls of it, n: no\n", consentText(q))
			line, err := typed.Read(ctx, func() (string, error) { return in.ReadString('\n') })
			if err != nil {
				return mcp.Refused, err
			}
			if answer, ok := consentOf(line); ok {
				return answer, nil
			}
		}
	}
}

func consentText(q mcp.Question) string {
	return fmt.Sprintf("The MCP server %s is asked to call %s, which may change things, with %s. Allow it?", q.Server, q.Tool, q.Arguments)
}

func consentOf(line string) (answer mcp.Consent, ok bool) {
	switch strings.ToLower(strings.TrimSpace(line)) {
	case "y", "yes":
		return mcp.Once, true
	case "a", "all", "always":
		return mcp.Always, true
	case "n", "no":
		return mcp.Refused, true
	}
	return mcp.Refused, false
}

// asksInSession asks in the session on a terminal; nil where there is none.
func (a *app) asksInSession(opt *chat.Options) func(context.Context, mcp.Question) (mcp.Consent, error) {
	if !opt.Terminal {
		return nil
	}
	opt.Asker = chat.NewAsker()
	return func(ctx context.Context, q mcp.Question) (mcp.Consent, error) {
		for {
			line, err := opt.Asker.Ask(ctx, consentText(q)+"\n/answer y: this call, /answer a: all calls of it, /answer n: no")
			if err != nil {
				return mcp.Refused, err
			}
			if answer, ok := consentOf(line); ok {
				return answer, nil
			}
		}
	}
}
