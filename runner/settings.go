package runner

import (
	"context"
	"errors"

	"github.com/gorlm/rlm/repl"
	"github.com/gorlm/rlm/runner/internal/journal"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/termination"
)

// Set changes the configuration for later questions: model, sub-model, budgets and any other options.
func (s *Session) Set(opts ...Option) error {
	if err := s.acquire(); err != nil {
		return err
	}
	defer s.mu.Unlock()
	cfg, err := s.cfg.with(opts...)
	if err == nil {
		cfg, err = cfg.gather(context.Background()) // the servers are up by now
	}
	if err != nil {
		return err
	}
	return s.adopt(cfg)
}

// renewTools lists the outside tools again before a question: servers may have added or removed some.
func (s *Session) renewTools(ctx context.Context) error {
	if len(s.cfg.listers) == 0 {
		return nil
	}
	cfg, err := s.cfg.gather(ctx)
	if err != nil {
		return err
	}
	return s.adopt(cfg)
}

// adopt switches to another configuration.
func (s *Session) adopt(cfg config) error {
	s.info.Lock()
	same := cfg.Mode == s.mode && cfg.Engine == s.cfg.Engine && cfg.Schema == s.cfg.Schema &&
		len(cfg.Tools) == len(s.cfg.Tools)
	s.tellTools(s.cfg, cfg)
	s.cfg = cfg
	s.info.Unlock()
	if same {
		return nil
	}
	// Another mode has other completion signals, another schema another FINAL, another engine another worker: make
	// a new notebook.
	s.setMode(cfg.Mode)
	events, err := journal.Read(s.dir)
	if err != nil {
		return err
	}
	old := s.nb
	s.nb = s.recordedNotebook(trajectory.Kept(events))
	return errors.Join(s.movedByHand(old), old.close())
}

// movedByHand records that a notebook with cells continues in the exact engine on request.
func (s *Session) movedByHand(old *notebook) error {
	from, to := old.engine(), s.nb.engine()
	if from == to || to != repl.Exact || len(s.nb.past) == 0 {
		return nil
	}
	return s.append(trajectory.EngineMoved{
		From: string(from), To: string(to), Cell: s.nb.next(), Reason: "asked", Why: "it was requested",
		Cells: len(s.nb.past),
	})
}

// Engine is the engine in which the next cell starts: repl.Yaegi or repl.Exact.
func (s *Session) Engine() (repl.Engine, error) {
	if err := s.acquire(); err != nil {
		return "", err
	}
	defer s.mu.Unlock()
	return s.nb.engine(), nil
}

// Mode is the mode of the next question.
func (s *Session) Mode() termination.Mode { return s.config().Mode }

// Model is the model that answers questions.
func (s *Session) Model() llm.Model { return s.config().model }

// SubModel is the model that answers sub-calls and child runs.
func (s *Session) SubModel() llm.Model { return s.config().sub }

// Budgets returns the bounds of each question, with the defaults filled in; 0 means no bound.
func (s *Session) Budgets() Budgets { return s.config().Budgets.filled() }

// OutsideTools returns the tools of other programs that the notebook has now, as listed for the last question.
func (s *Session) OutsideTools() (tools []OutsideTool) {
	cfg := s.config()
	for _, o := range cfg.Tools {
		if t, ok := cfg.outside[outsideKey{o.Server, o.Tool}]; ok {
			tools = append(tools, t)
		}
	}
	return tools
}

func (s *Session) config() config {
	s.info.Lock()
	defer s.info.Unlock()
	return s.cfg
}

// Totals returns the usage of all questions so far, without the one in progress.
func (s *Session) Totals() Totals {
	s.info.Lock()
	defer s.info.Unlock()
	return s.total
}
