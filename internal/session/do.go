package session

import (
	"context"
	"errors"

	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/host"
	"github.com/gorlm/rlm/runner/trajectory"
)

// Request is a request to run a command.
type Request struct {
	Command string
	Session string            // its id or a unique prefix; empty if the command needs none
	Params  map[string]string // other values in the path of the command's route
	Args    any               // of the command's type In
	Key     string            // idempotency key: requests with the same key take effect once
	Who     Person
	Client  string // names the window or program in the states of sessions
}

// Call is a command in progress.
type Call struct {
	Request
	command Command
	manager *Manager
	live    *Session // nil if the command needs no session
	claim   *Claim   // the claim of the request's key; nil without a key
	run     bool     // it asks a model
	room    *int64   // bytes that it may need on disk; nil: none
	options []runner.Option
	done    func() // called at the end, after errors too; nil: nothing
}

// Receipt reports that something began; events report its progress and result.
type Receipt struct {
	Session string `json:"session"`
	State   State  `json:"state"`
	Again   bool   `json:"again,omitempty"` // an earlier request with this key began it
	Seq     int64  `json:"seq,omitempty"`   // if Again: the number of its first event, once that is logged
}

// Do runs a command for any front end: it looks up the command, checks permissions, claims the key and calls the
// function. A command that takes time acquires the session's turn, passes the quotas and waits in the fair queue;
// see Session.Start. ErrorOf converts the error to a refusal.
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

// actor returns the person and window of the request.
func (c *Call) actor() Actor { return Actor{Person: c.Who, Client: c.Client} }

// with does something short with the open session.
func (c *Call) with(ctx context.Context, doing string, do func(*runner.Session) error) error {
	return c.live.With(ctx, c.actor(), doing, func(_ context.Context, rs *runner.Session) error { return do(rs) })
}

// begin starts something that takes time with a session.
func (c *Call) begin(request context.Context, l *Session, turn string, do work) (Receipt, error) {
	actor, drop := c.actor(), func() error { return nil }
	if c.command.Turn != "" && c.claim != nil {
		var err error
		if actor.Request, drop, err = c.named(l); err != nil {
			return Receipt{}, err
		}
	}
	d := Task{
		Name: turn, Run: c.run, Room: c.room, Do: c.chosen(request, do), GoOn: c.chosen(request, goOn),
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

// chosen returns work that first applies the choice that came with the request.
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

// failed reports the failure of a task to readers of the session and in the log of the process.
func (c *Call) failed(l *Session, turn string, err error) {
	code := ErrorOf(err).Code
	l.say(Failure{Doing: turn, Code: code, Message: WithoutFolders(err)})
	log := c.manager.cfg.Log
	log.Warn("failed", "session", l.ID(), "doing", turn, "code", code)
	log.Debug("failed", "session", l.ID(), "doing", turn, "error", err) // may quote contents
}

// madeAgain answers a repeated request with the progress of the first one.
func madeAgain(l *Session, again *againError) (Receipt, error) {
	if again.began.Doing == "cell" && !again.began.Ended {
		return Receipt{}, &Error{
			Code:    CutOff,
			Message: "the cell was interrupted when the server stopped; variables are as they were before it. Run it again with a new key",
		}
	}
	return Receipt{l.ID(), l.State(), true, again.began.Seq}, nil
}

// goOn resumes the run that was cut off, unless it was undone.
func goOn(ctx context.Context, rs *runner.Session) error {
	if !rs.Pending() {
		return nil
	}
	return toTheEnd(rs.Resume(ctx))
}

// toTheEnd reads all events of a run, which makes it run.
func toTheEnd(events func(func(trajectory.Event, error) bool)) error {
	for _, err := range events {
		if err != nil {
			return err
		}
	}
	return nil
}
