package server

import (
	"context"
	"errors"
	"net/http"
	"slices"

	"github.com/gorlm/rlm/internal/server/internal/live"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/termination"
)

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
		if t.Usage == nil {
			out.Totals.Usage = map[string]trajectory.Usage{}
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
