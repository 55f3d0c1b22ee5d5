package server

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"github.com/gorlm/rlm/internal/server/internal/live"
	"github.com/gorlm/rlm/runner"
)

type forkRequest struct {
	Run  int  `json:"run,omitempty"`  // the question, from 1; 0: the last
	Turn *int `json:"turn,omitempty"` // the last that stays; without it all stays and nothing goes on
	Choice
}

// fork makes a copy of a session that goes on by itself.
func (s *Server) fork(r *request, in forkRequest) (Session, error) {
	l, err := s.find(r)
	if err == nil && in.Turn != nil {
		err = s.canAsk(in.Choice)
	}
	if err != nil {
		return Session{}, err
	}
	opts, err := s.options(r.Context(), in.Choice)
	if err != nil {
		return Session{}, err
	}
	made, again, err := s.made(r, func() (*live.Session, error) { return s.forked(r, l, in, opts) })
	if err == nil && in.Turn != nil {
		err = s.goOnAt(r, made, again)
	}
	if err != nil {
		return Session{}, err
	}
	return s.summary(made)
}

// goOnAt has a fork go on with its run. If it was made before, that goes on already, has ended, or was cut off.
func (s *Server) goOnAt(r *request, l *live.Session, again bool) error {
	if again {
		_, spent, _, err := l.Book().Tallies(0)
		if err != nil || spent.Ended {
			return err
		}
	}
	_, err := s.startAt(r, l, doing{name: "resume", run: true, do: goOn})
	if busy := (*live.BusyError)(nil); again && errors.As(err, &busy) {
		return nil
	}
	return err
}

func (s *Server) forked(r *request, l *live.Session, in forkRequest, opts []runner.Option) (*live.Session, error) {
	if in.Turn != nil {
		fork, err := s.cfg.Runner.ForkAt(r.Context(), l.ID(), in.Run, *in.Turn, opts...)
		if err != nil {
			return nil, err
		}
		return s.sessions.Take(fork)
	}
	var made *live.Session
	err := l.With(r.Context(), r.actor(), "fork", func(ctx context.Context, rs *runner.Session) error {
		fork, err := rs.Fork(ctx)
		if err != nil {
			return err
		}
		made, err = s.sessions.Take(fork)
		return err
	})
	return made, err
}

// replay runs the cells of a session again and tells of each, as a line of JSON.
func (s *Server) replay(w http.ResponseWriter, r *http.Request) {
	l, err := s.session(personOf(r.Context()), r.PathValue("id"))
	if err != nil {
		refuse(w, err)
		return
	}
	w.Header().Set("Content-Type", "application/x-ndjson")
	lines, control := json.NewEncoder(w), http.NewResponseController(w)
	for cell, err := range s.cfg.Runner.Replay(r.Context(), l.ID()) {
		if err != nil {
			f := failureOf(err)
			_ = lines.Encode(told{toldError{f.code, f.message, nil}}) // nobody is left to be told
			return
		}
		if lines.Encode(cell) != nil || control.Flush() != nil {
			return
		}
	}
}

// Verified says what became of the evidence of an answer.
type Verified struct {
	RunID        string           `json:"run_id"`
	Question     string           `json:"question"`
	Passages     []runner.Passage `json:"passages"`
	UnknownMarks []string         `json:"unknown_marks,omitempty"`
	Unverified   []string         `json:"unverified,omitempty"`
	Unsupported  string           `json:"unsupported,omitempty"`
	Holds        bool             `json:"holds"`
}

func (s *Server) verify(r *request, _ none) (Verified, error) {
	l, err := s.find(r)
	if err != nil {
		return Verified{}, err
	}
	v, err := s.cfg.Runner.Verify(r.Context(), l.ID())
	if err != nil {
		return Verified{}, err
	}
	return Verified{v.RunID, v.Question, listed(v.Passages), v.UnknownMarks, v.Unverified, v.Unsupported, v.Holds()}, nil
}
