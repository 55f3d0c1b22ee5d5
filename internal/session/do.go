package session

import (
	"context"
	"errors"

	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/host"
	"github.com/gorlm/rlm/runner/trajectory"
)

// Request asks for a command.
type Request struct {
	Command string
	Session string            // its id, or a unique beginning of it; empty where the command is about none
	Params  map[string]string // other values in the path of the command's route
	Args    any               // of the command's In
	Key     string            // idempotency key: what is asked for with the same key is done once
	Who     Person
	Client  string // names the window or program in the states of sessions
}

// Call is a command under way.
type Call struct {
	Request
	command Command
	manager *Manager
	live    *Session // nil where the command is about none
	claim   *Claim   // of the request's key; nil without one
	run     bool     // it asks a model
	options []runner.Option
	done    func() // however it ended; nil: nothing
}

// Receipt says that something began; what comes of it is told by events.
type Receipt struct {
	Session string `json:"session"`
	State   State  `json:"state"`
	Again   bool   `json:"again,omitempty"` // the request was made before, and nothing else began
	Seq     int64  `json:"seq,omitempty"`   // then: of the event that it began with, if it has come that far
}

// Do does what a request asks for, whichever front end it comes from: it looks the command up, finds out
// whether it is allowed, claims the key, and does it. What takes time takes the session's turn, is admitted,
// waits in the fair queue and is done with the open session; see Session.Start. ErrorOf says what is wrong.
func (m *Manager) Do(ctx context.Context, r Request) (out any, err error) {
	command, ok := m.commands[r.Command]
	if !ok {
		return nil, &Error{Code: NotFound, Message: "there is no command " + r.Command}
	}
	c := &Call{Request: r, command: command, manager: m, run: command.Run}
	if command.Access != Anyone {
		if c.live, err = m.Find(r.Who, r.Session); err != nil {
			return nil, err
		}
	}
	if command.Access == Owner {
		if err := c.owns(command.Name); err != nil {
			return nil, err
		}
	}
	if command.Once && r.Key != "" && m.keys != nil {
		if c.claim, err = c.claimKey(ctx); err != nil {
			return nil, err
		}
		defer c.claim.Release()
	}
	return command.do(ctx, c, r.Args)
}

// actor is who makes the request, in which window.
func (c *Call) actor() Actor { return Actor{Name: c.Who.Name, Client: c.Client} }

// with does something short with the open session.
func (c *Call) with(ctx context.Context, doing string, do func(*runner.Session) error) error {
	return c.live.With(ctx, c.actor(), doing, func(_ context.Context, rs *runner.Session) error { return do(rs) })
}

// begin begins something that takes time with a session.
func (c *Call) begin(request context.Context, l *Session, turn string, do work) (Receipt, error) {
	actor, drop := c.actor(), func() error { return nil }
	if c.command.Turn != "" && c.claim != nil {
		var err error
		if actor.Request, drop, err = c.named(l); err != nil {
			return Receipt{}, err
		}
	}
	d := Task{
		Name: turn, Run: c.run, Do: c.chosen(request, do), GoOn: c.chosen(request, goOn),
		Failed: func(err error) {
			if !errors.Is(err, context.Canceled) && !errors.Is(err, ErrStopped) {
				c.failed(l, turn, err)
			}
		},
		Done: func(error) {
			if c.done != nil {
				c.done()
			}
		},
	}
	if c.run {
		d.Admit = &c.Who
	}
	began, err := l.Start(actor, d)
	if again, ok := errors.AsType[*againError](err); ok {
		return madeAgain(l, again)
	}
	if err != nil {
		return Receipt{}, errors.Join(err, drop())
	}
	c.manager.cfg.Asked(c.Who, turn, l.ID())
	return Receipt{Session: l.ID(), State: began}, nil
}

// chosen sets what was chosen before something is done on behalf of a request.
func (c *Call) chosen(request context.Context, do work) work {
	return func(ctx context.Context, rs *runner.Session) error {
		if len(c.options) > 0 {
			if err := rs.Set(c.options...); err != nil {
				return err
			}
		}
		return do(host.UnderSpanOf(ctx, request), rs)
	}
}

// failed tells those who read what went wrong with something that was begun, and the log of the process.
func (c *Call) failed(l *Session, turn string, err error) {
	code := ErrorOf(err).Code
	l.say(Failure{Doing: turn, Code: code, Message: err.Error()})
	log := c.manager.cfg.Log
	log.Warn("failed", "session", l.ID(), "doing", turn, "code", code)
	log.Debug("failed", "session", l.ID(), "doing", turn, "error", err) // what it says may be of the contents
}

// madeAgain answers a request that was made before with what came of it.
func madeAgain(l *Session, again *againError) (Receipt, error) {
	if again.began.Doing == "cell" && !again.began.Ended {
		return Receipt{}, &Error{
			Code:    CutOff,
			Message: "the cell was cut off when the server ended; variables are as they were before it. Run it with another key",
		}
	}
	return Receipt{l.ID(), l.State(), true, again.began.Seq}, nil
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
