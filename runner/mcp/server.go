// Package mcp makes the tools of MCP servers functions of a notebook. [Start] starts the servers that a
// person named, each a process that is spoken to over its standard streams, or an address; [Servers.List]
// is what runner.WithOutsideTools takes.
//
// A server is a program that somebody else wrote. Its process gets PATH, HOME and what was named for it,
// and no keys of models. What it says and gives is bounded and freed of control sequences. A tool that it
// does not call read-only needs the consent of the person who started the program; one that is not marked
// idempotent is never called twice for one call of a cell.
package mcp

import (
	"fmt"
	"net/url"
	"os"
	"path"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/gorlm/rlm/internal/kit/text"
)

// Server names one MCP server: a command or a URL.
type Server struct {
	// Name is what people call it; empty: what it calls itself.
	Name string
	// Command is the program with its arguments. Env are variables that its process gets besides PATH and HOME.
	Command []string
	Env     map[string]string
	// URL is the address of one that speaks streamable HTTP. Headers are sent with every request to that
	// host, and to no other.
	URL     string
	Headers map[string]string
	// Allow lists tools that may be called although they are not read-only; "*" stands for any text. Tools
	// lists those that the notebook gets; none: all.
	Allow, Tools []string
	// Timeout bounds one call. Default: 2 minutes.
	Timeout time.Duration
}

// defaultTimeout bounds a call where nothing else is said.
const defaultTimeout = 2 * time.Minute

// Parse reads a server as it is named on a command line: a URL, or a command with its arguments as a shell
// would split them. Assignments before the command (TOKEN=x) are its variables.
func Parse(line string) (Server, error) {
	words, err := text.Words(line)
	if err != nil {
		return Server{}, fmt.Errorf("the MCP server %q: %w", line, err)
	}
	s := Server{Env: map[string]string{}}
	if len(words) == 1 && (strings.HasPrefix(words[0], "http://") || strings.HasPrefix(words[0], "https://")) {
		s.URL = words[0]
		return s, s.check()
	}
	for len(words) > 0 {
		name, value, ok := strings.Cut(words[0], "=")
		if !ok || !isVariable(name) {
			break
		}
		s.Env[name] = value
		words = words[1:]
	}
	s.Command = words
	return s, s.check()
}

func (s Server) check() error {
	switch {
	case s.URL != "" && len(s.Command) > 0:
		return fmt.Errorf("the MCP server %s has a command and a URL: one of them is enough", s.label())
	case s.URL != "":
		u, err := url.Parse(s.URL)
		if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			return fmt.Errorf("the MCP server %s: its URL begins with http:// or https:// and a host", s.label())
		}
	case len(s.Command) == 0:
		return fmt.Errorf("the MCP server %s has neither a command nor a URL", s.label())
	}
	for _, pattern := range slices.Concat(s.Allow, s.Tools) {
		if _, err := path.Match(pattern, ""); err != nil {
			return fmt.Errorf("the MCP server %s: %q is no pattern of tools", s.label(), pattern)
		}
	}
	return nil
}

// label names the server where it has not told its own name yet. Of a URL it shows no credentials.
func (s Server) label() string {
	switch {
	case s.Name != "":
		return s.Name
	case s.URL != "":
		if u, err := url.Parse(s.URL); err == nil {
			return u.Host
		}
		return "with a URL"
	case len(s.Command) > 0:
		return s.Command[0]
	}
	return "without a name"
}

// environment is what the process of a server gets: where programs are found, a home, what it was given,
// and nothing else.
func (s Server) environment() []string {
	names := []string{"PATH", "HOME"}
	if runtime.GOOS == "windows" { // without these no program starts there
		names = append(names, "SYSTEMROOT", "PATHEXT", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "TEMP", "TMP")
	}
	var env []string
	for _, name := range names {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	for name, value := range s.Env {
		env = append(env, name+"="+value)
	}
	return env
}

// matches reports whether a pattern of the list stands for a tool.
func matches(patterns []string, tool string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		ok, _ := path.Match(p, tool)
		return ok || p == "*"
	})
}

func isVariable(name string) bool {
	for i, c := range name {
		if c != '_' && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return name != ""
}
