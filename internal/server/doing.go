package server

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/gorlm/rlm/internal/server/internal/live"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/termination"
)

// Begun says that something began; what comes of it is told by events.
type Begun struct {
	Session string     `json:"session"`
	State   live.State `json:"state"`
}

func (Begun) status() int { return http.StatusAccepted }

// doing is something that takes time.
type doing struct {
	name string
	run  bool // it asks a model, and waits its turn for that
	do   func(context.Context, *runner.Session) error
	done func() // however it ended
}

// start begins something with the session that a request is about.
func (s *Server) start(r *request, d doing) (Begun, error) {
	l, err := s.find(r)
	if err != nil {
		return Begun{}, err
	}
	return s.startAt(r, l, d)
}

func (s *Server) startAt(r *request, l *live.Session, d doing) (Begun, error) {
	err := l.Start(r.actor(), d.name, d.run, d.do, func(err error) {
		if d.done != nil {
			d.done()
		}
		if err != nil && !errors.Is(err, context.Canceled) && !errors.Is(err, live.ErrStopped) {
			l.Say(live.Failed{Doing: d.name, Code: failureOf(err).code, Message: err.Error()})
			s.cfg.Log.Warn("failed", "session", l.ID(), "doing", d.name, "error", err)
		}
	})
	if err != nil {
		return Begun{}, err
	}
	return Begun{l.ID(), l.State()}, nil
}

// toTheEnd reads the events of a run: that is what makes it go on.
func toTheEnd(events func(func(trajectory.Event, error) bool)) error {
	for _, err := range events {
		if err != nil {
			return err
		}
	}
	return nil
}

// Choice is what can be chosen for questions to come.
type Choice struct {
	Model    string          `json:"model,omitempty"`
	SubModel string          `json:"sub_model,omitempty"`
	Mode     string          `json:"mode,omitempty"`
	Budgets  *runner.Budgets `json:"budgets,omitempty"`
}

// options are the options that a choice means. Models are those that the server was started with.
func (s *Server) options(ctx context.Context, c Choice) ([]runner.Option, error) {
	var opts []runner.Option
	if c.Model != "" {
		m, err := s.model(ctx, c.Model)
		if err != nil {
			return nil, err
		}
		opts = append(opts, runner.WithModel(m))
	}
	if c.SubModel != "" {
		m, err := s.model(ctx, c.SubModel)
		if err != nil {
			return nil, err
		}
		opts = append(opts, runner.WithSubModel(m))
	}
	switch c.Mode {
	case "":
	case string(termination.Response), string(termination.Task):
		opts = append(opts, runner.WithMode(termination.Mode(c.Mode)))
	default:
		return nil, badRequest("mode is response or task")
	}
	if c.Budgets != nil {
		opts = append(opts, runner.WithBudgets(*c.Budgets))
	}
	return opts, nil
}

// model is one of those that the server was started with.
func (s *Server) model(ctx context.Context, name string) (llm.Model, error) {
	if !slices.Contains(s.cfg.Models, name) {
		return nil, badRequest(name + " is not one of the server's models")
	}
	m, err := s.cfg.Model(ctx, name)
	if err != nil {
		return nil, &failure{http.StatusUnprocessableEntity, "no_model", err.Error(), nil}
	}
	return m, nil
}

// canAsk refuses a question where there is nobody to ask.
func (s *Server) canAsk(c Choice) error {
	if s.cfg.NoModel != "" && c.Model == "" {
		return &failure{http.StatusUnprocessableEntity, "no_model", s.cfg.NoModel, nil}
	}
	return nil
}

type askRequest struct {
	Question string `json:"question"`
	Choice
}

func (s *Server) ask(r *request, in askRequest) (Begun, error) {
	if strings.TrimSpace(in.Question) == "" {
		return Begun{}, badRequest("the question is empty")
	}
	if err := s.canAsk(in.Choice); err != nil {
		return Begun{}, err
	}
	opts, err := s.options(r.Context(), in.Choice)
	if err != nil {
		return Begun{}, err
	}
	return s.start(r, doing{name: "ask", run: true, do: func(ctx context.Context, rs *runner.Session) error {
		if err := rs.Set(opts...); err != nil {
			return err
		}
		return toTheEnd(rs.Ask(ctx, in.Question))
	}})
}

type cellRequest struct {
	Source   string `json:"source"`
	Replaces int    `json:"replaces,omitempty"` // the person's cell that it is an edited form of
}

func (s *Server) runCell(r *request, in cellRequest) (Begun, error) {
	if strings.TrimSpace(in.Source) == "" {
		return Begun{}, badRequest("the cell is empty")
	}
	return s.start(r, doing{name: "cell", do: func(ctx context.Context, rs *runner.Session) error {
		var err error
		if in.Replaces != 0 {
			_, err = rs.Edit(ctx, in.Replaces, in.Source)
		} else {
			_, err = rs.Exec(ctx, in.Source)
		}
		return err
	}})
}

func (s *Server) stop(r *request, _ none) (none, error) {
	l, err := s.find(r)
	if err == nil {
		l.Stop()
	}
	return none{}, err
}

func (s *Server) undo(r *request, _ none) (Begun, error) {
	return s.start(r, doing{name: "undo", do: func(ctx context.Context, rs *runner.Session) error { return rs.Undo(ctx) }})
}

func (s *Server) resume(r *request, in Choice) (Begun, error) {
	if err := s.canAsk(in); err != nil {
		return Begun{}, err
	}
	opts, err := s.options(r.Context(), in)
	if err != nil {
		return Begun{}, err
	}
	return s.start(r, doing{name: "resume", run: true, do: func(ctx context.Context, rs *runner.Session) error {
		if err := rs.Set(opts...); err != nil {
			return err
		}
		return toTheEnd(rs.Resume(ctx))
	}})
}

type reviewRequest struct {
	Approved bool   `json:"approved"`
	Note     string `json:"note,omitempty"`
}

func (s *Server) review(r *request, in reviewRequest) (Begun, error) {
	return s.start(r, doing{name: "review", run: !in.Approved, do: func(ctx context.Context, rs *runner.Session) error {
		return toTheEnd(rs.Review(ctx, in.Approved, in.Note))
	}})
}

type forkRequest struct {
	Run  int  `json:"run,omitempty"`  // the question, from 1; 0: the last
	Turn *int `json:"turn,omitempty"` // the last that stays; without it all stays and nothing goes on
	Choice
}

// fork makes a copy of a session that goes on by itself.
func (s *Server) fork(r *request, in forkRequest) (Session, error) {
	l, err := s.find(r)
	if err == nil {
		err = s.room(r.who)
	}
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
	made, err := s.forked(r, l, in, opts)
	if err == nil {
		err = s.belongs(made, r.who)
	}
	if err == nil && in.Turn != nil {
		_, err = s.startAt(r, made, doing{name: "resume", run: true, do: func(ctx context.Context, rs *runner.Session) error {
			return toTheEnd(rs.Resume(ctx))
		}})
	}
	if err != nil {
		return Session{}, err
	}
	return s.summary(made)
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

// Settings are those of the questions to come, with what the session has used so far.
type Settings struct {
	Model    string         `json:"model"`
	SubModel string         `json:"sub_model"`
	Mode     string         `json:"mode"`
	Budgets  runner.Budgets `json:"budgets"`
	Level    string         `json:"level"` // of the sandbox
	Totals   Totals         `json:"totals"`
	Pending  bool           `json:"pending"` // the last run can be resumed
}

// Totals are what a session has used.
type Totals struct {
	Cost  float64                     `json:"cost"`
	Known bool                        `json:"known"` // false if no price is known
	Usage map[string]trajectory.Usage `json:"usage"`
}

func (s *Server) settings(r *request, _ none) (Settings, error) {
	l, err := s.find(r)
	if err != nil {
		return Settings{}, err
	}
	return settingsOf(r, l)
}

func settingsOf(r *request, l *live.Session) (out Settings, err error) {
	err = l.Look(r.Context(), func(rs *runner.Session) error {
		t := rs.Totals()
		out = Settings{
			Model: rs.Model().Name(), SubModel: rs.SubModel().Name(), Mode: string(rs.Mode()), Budgets: rs.Budgets(), Level: string(rs.Level()),
			Totals: Totals{t.Cost, t.CostKnown, t.Usage},
		}
		return nil
	})
	if err != nil {
		return out, err
	}
	var busy *live.BusyError
	err = l.Ask(r.Context(), func(rs *runner.Session) error {
		out.Pending = rs.Pending()
		return nil
	})
	if errors.As(err, &busy) { // then it goes on already
		err = nil
	}
	return out, err
}

func (s *Server) changeSettings(r *request, in Choice) (Settings, error) {
	l, err := s.find(r)
	if err != nil {
		return Settings{}, err
	}
	opts, err := s.options(r.Context(), in)
	if err != nil {
		return Settings{}, err
	}
	err = l.With(r.Context(), r.actor(), "settings", func(_ context.Context, rs *runner.Session) error { return rs.Set(opts...) })
	if err != nil {
		return Settings{}, err
	}
	return settingsOf(r, l)
}
