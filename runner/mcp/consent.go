package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/gorlm/rlm/internal/kit/text"
)

// Question asks a person whether a tool that is not read-only may be called.
type Question struct {
	Server, Tool string
	Arguments    string // JSON on one line, shortened if long
}

// Consent is a person's answer.
type Consent int

// The answers.
const (
	Refused Consent = iota // the call is not allowed
	Once                   // this call is allowed
	Always                 // this and all later calls of the tool are allowed
)

// consent remembers what a person has allowed, and makes sure that only one question is asked at a time.
type consent struct {
	mu     sync.Mutex
	always map[[2]string]bool
}

// allowed reports whether the person who started the program has allowed calls of a tool.
func (s *Servers) allowed(server Server, r *remote) bool {
	return matches(server.Allow, r.name) || matches(s.options.Allow, r.name) ||
		matches(s.options.Allow, r.server+"/"+r.name)
}

// permit returns nil if a tool may be called. A tool that declares itself read-only may be called; for any other
// tool a person is asked.
func (s *Servers) permit(ctx context.Context, server Server, r *remote, readOnly bool, args json.RawMessage) error {
	if readOnly || s.allowed(server, r) {
		return nil
	}
	if s.options.Ask == nil {
		return fmt.Errorf("the tool %s of the MCP server %s is not read-only and was not allowed (--mcp-allow=%s): the call was not made", r.name, r.server, r.name)
	}
	s.consent.mu.Lock()
	defer s.consent.mu.Unlock()
	key := [2]string{r.server, r.name}
	if s.consent.always[key] {
		return nil
	}
	answer, err := s.options.Ask(ctx, Question{
		Server: text.Line(r.server, 60), Tool: text.Line(r.name, 130), Arguments: text.Line(string(args), 400),
	})
	switch {
	case err != nil:
		return fmt.Errorf("asking whether the tool %s of the MCP server %s may be called: %w", r.name, r.server, err)
	case answer == Refused:
		return fmt.Errorf("a person did not allow this call of the tool %s of the MCP server %s: it was not made",
			r.name, r.server)
	case answer == Always:
		if s.consent.always == nil {
			s.consent.always = map[[2]string]bool{}
		}
		s.consent.always[key] = true
	}
	return nil
}
