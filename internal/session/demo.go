package session

import (
	"context"

	"github.com/gorlm/rlm/runner"
)

// Demo is the recorded demo: a question with recorded replies. Everything else happens when it is played.
type Demo struct {
	Question string
	// Begin makes a session over the demo's documents, whose model answers from the recording. Each has its
	// own.
	Begin func(ctx context.Context) (*runner.Session, error)
	// Then, if not nil, are the options of the questions that follow: the model of the person who plays the demo answers them.
	Then func(ctx context.Context) ([]runner.Option, error)
}

// playDemo begins the demo in a session of its own.
func playDemo(ctx context.Context, c *Call, _ struct{}) (Summary, error) {
	demo := c.manager.cfg.Demo
	if demo == nil {
		return Summary{}, &Error{Code: NotFound, Message: "this server has no demo"}
	}
	l, again, err := c.made(func() (*Session, error) {
		rs, err := demo.Begin(ctx)
		if err != nil {
			return nil, err
		}
		return c.manager.Take(rs)
	})
	if err == nil && !again {
		_, err = c.begin(ctx, l, "ask", demo.play)
	}
	if err != nil {
		return Summary{}, err
	}
	return c.manager.Summary(l)
}

// play asks the demo's question and leaves the session to questions of one's own.
func (d *Demo) play(ctx context.Context, rs *runner.Session) error {
	if err := toTheEnd(rs.Ask(ctx, d.Question)); err != nil || d.Then == nil {
		return err
	}
	opts, err := d.Then(ctx)
	if err != nil || len(opts) == 0 {
		return err
	}
	return rs.Set(opts...)
}
