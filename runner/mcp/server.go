// Package mcp turns the tools of MCP servers into functions of a notebook. [Start] starts the servers that a person
// named: each is a process that uses the protocol on its standard streams, or is at a URL. Pass [Servers.List] to
// runner.WithOutsideTools.
//
// A server is somebody else's program. Its process gets PATH, HOME and the variables set for it, but no API keys of
// models. Its output is bounded, and control sequences are removed. A tool that it does not declare read-only needs
// the consent of the person who started the program; one that is not marked idempotent is never called twice for
// one call of a cell.
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
	// Name is the name for people; empty: the server's own name.
	Name string
	// Command is the program with its arguments. Env are further variables for its process, besides PATH and HOME.
	Command []string
	Env     map[string]string
	// URL is the address of a server that supports streamable HTTP. Headers are sent with every request to that
	// host, and to no other.
	URL     string
	Headers map[string]string
	// Allow lists tools that may be called even though they are not read-only; "*" matches any text. Tools lists
	// those available in the notebook; empty: all.
	Allow, Tools []string
	// Timeout bounds one call. Default: 2 minutes.
	Timeout time.Duration
}

// defaultTimeout bounds a call by default.
const defaultTimeout = 2 * time.Minute

// Parse parses a server as written on a command line: a URL, or a command with its arguments in shell syntax.
// Assignments before the command (TOKEN=x) become environment variables.
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
		return fmt.Errorf("the MCP server %s has both a command and a URL: give only one", s.label())
	case s.URL != "":
		u, err := url.Parse(s.URL)
		if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			return fmt.Errorf("the MCP server %s: its URL must begin with http:// or https:// and a host", s.label())
		}
	case len(s.Command) == 0:
		return fmt.Errorf("the MCP server %s has neither a command nor a URL", s.label())
	}
	for _, pattern := range slices.Concat(s.Allow, s.Tools) {
		if _, err := path.Match(pattern, ""); err != nil {
			return fmt.Errorf("the MCP server %s: %q is not a pattern of tools", s.label(), pattern)
		}
	}
	return nil
}

// label names a server whose own name is not known yet. For a URL it shows no credentials.
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

// environment is the environment of a server's process. It contains only the variables that locate programs and a
// home, and those set for the server.
func (s Server) environment() []string {
	names := []string{"PATH", "HOME"}
	if runtime.GOOS == "windows" { // no program starts there without these
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

// matches reports whether a pattern of the list matches a tool.
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
