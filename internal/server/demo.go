package server

import (
	"context"

	"github.com/gorlm/rlm/internal/server/internal/live"
	"github.com/gorlm/rlm/runner"
)

// Demo is the recorded demo: a question with recorded replies. Everything else happens when it is played.
type Demo struct {
	Question string
	// Begin makes a session over the demo's documents, whose model answers from the recording. Each has its own.
	Begin func(ctx context.Context) (*runner.Session, error)
}

// playDemo begins the demo in a session of its own.
func (s *Server) playDemo(r *request, _ none) (Session, error) {
	if s.cfg.Demo == nil {
		return Session{}, notFound("this server has no demo")
	}
	l, again, err := s.made(r, func() (*live.Session, error) {
		rs, err := s.cfg.Demo.Begin(r.Context())
		if err != nil {
			return nil, err
		}
		return s.sessions.Take(rs)
	})
	if err != nil {
		return Session{}, err
	}
	if again {
		return s.summary(l)
	}
	_, err = s.startAt(r, l, doing{name: "ask", run: true, do: func(ctx context.Context, rs *runner.Session) error {
		return toTheEnd(rs.Ask(ctx, s.cfg.Demo.Question))
	}})
	if err != nil {
		return Session{}, err
	}
	return s.summary(l)
}
