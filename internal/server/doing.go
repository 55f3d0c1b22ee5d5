package server

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/gorlm/rlm/internal/server/internal/allowance"
	"github.com/gorlm/rlm/internal/server/internal/live"
	"github.com/gorlm/rlm/internal/server/internal/past"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/trajectory"
)

// Begun says that something began; what comes of it is told by events.
type Begun struct {
	Session string     `json:"session"`
	State   live.State `json:"state"`
	Again   bool       `json:"again,omitempty"` // the request was made before, and nothing else began
	Seq     int64      `json:"seq,omitempty"`   // then: of the event that it began with, if it has come that far
}

func (Begun) status() int { return http.StatusAccepted }

// doing is something that takes time.
type doing struct {
	name  string
	run   bool // it asks a model, and waits its turn for that
	opts  []runner.Option
	do    func(context.Context, *runner.Session) error
	done  func() // however it ended
	keyed bool   // an Idempotency-Key counts: it is done once for each
}

// with sets what was chosen before something is done, on behalf of a request.
func (d doing) with(request context.Context, do func(context.Context, *runner.Session) error) func(context.Context, *runner.Session) error {
	return func(ctx context.Context, rs *runner.Session) error {
		if len(d.opts) > 0 {
			if err := rs.Set(d.opts...); err != nil {
				return err
			}
		}
		return do(runner.UnderSpanOf(ctx, request), rs)
	}
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
	actor := r.actor()
	drop := func() error { return nil }
	if d.keyed {
		var err error
		if actor.Request, drop, err = r.named(l); err != nil {
			return Begun{}, err
		}
	}
	var grant *allowance.Grant
	admit := func() (err error) {
		if d.run {
			grant, err = s.admit(r.who)
		}
		return err
	}
	granted := func(do func(context.Context, *runner.Session) error) func(context.Context, *runner.Session) error {
		return func(ctx context.Context, rs *runner.Session) error {
			return within(grant, d.with(r.Context(), do))(ctx, rs)
		}
	}
	err := l.Start(actor, live.Doing{Name: d.name, Run: d.run, Admit: admit, Do: granted(d.do), GoOn: granted(goOn), Done: func(err error) {
		if grant != nil {
			grant.End(0) // as when it was stopped while it waited for its turn
		}
		if d.done != nil {
			d.done()
		}
		if err != nil && !errors.Is(err, context.Canceled) && !errors.Is(err, live.ErrStopped) {
			code := failureOf(err).code
			l.Say(live.Failed{Doing: d.name, Code: code, Message: err.Error()})
			s.cfg.Log.Warn("failed", "session", l.ID(), "doing", d.name, "code", code)
			s.cfg.Log.Debug("failed", "session", l.ID(), "doing", d.name, "error", err) // what it says may be of the contents
		}
	}})
	if again := (*live.AgainError)(nil); errors.As(err, &again) {
		return madeAgain(l, again.Began)
	}
	if err != nil {
		if grant != nil {
			grant.End(0)
		}
		return Begun{}, errors.Join(err, drop())
	}
	s.audit.asked(r.who.Name, "native", d.name, l.ID(), 0)
	return Begun{Session: l.ID(), State: l.State()}, nil
}

// madeAgain answers a request that was made before with what came of it.
func madeAgain(l *live.Session, began past.Begun) (Begun, error) {
	if began.Doing == "cell" && !began.Ended {
		return Begun{}, &failure{http.StatusConflict, "cut_off", "the cell was cut off when the server ended; variables are as they were before it. Run it with another key", nil}
	}
	return Begun{l.ID(), l.State(), true, began.Seq}, nil
}

// goOn goes on with the run that was cut off, unless it was taken back.
func goOn(ctx context.Context, rs *runner.Session) error {
	if !rs.Pending() {
		return nil
	}
	return toTheEnd(rs.Resume(ctx))
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
	return s.start(r, doing{name: "ask", run: true, keyed: true, opts: opts, do: func(ctx context.Context, rs *runner.Session) error {
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
	l, err := s.find(r)
	if err != nil {
		return Begun{}, err
	}
	return s.startAt(r, l, doing{name: "cell", keyed: true, do: s.cellWithin(r.who, l, func(ctx context.Context, rs *runner.Session) error {
		var err error
		if in.Replaces != 0 {
			_, err = rs.Edit(ctx, in.Replaces, in.Source)
		} else {
			_, err = rs.Exec(ctx, in.Source)
		}
		return err
	})})
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
	return s.start(r, doing{name: "resume", run: true, keyed: true, opts: opts, do: func(ctx context.Context, rs *runner.Session) error {
		return toTheEnd(rs.Resume(ctx))
	}})
}

type reviewRequest struct {
	Approved bool   `json:"approved"`
	Note     string `json:"note,omitempty"`
}

func (s *Server) review(r *request, in reviewRequest) (Begun, error) {
	return s.start(r, doing{name: "review", run: !in.Approved, keyed: true, do: func(ctx context.Context, rs *runner.Session) error {
		return toTheEnd(rs.Review(ctx, in.Approved, in.Note))
	}})
}
