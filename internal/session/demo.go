package session

import (
	"context"

	"github.com/gorlm/rlm/runner"
)

// Demo is the recorded demo: a question with the model's recorded replies. Everything else runs live.
type Demo struct {
	Question string
	// Begin makes a session over the demo's documents, with a model that replays the recording from its beginning.
	Begin func(ctx context.Context) (*runner.Session, error)
	// Then, if not nil, returns options for later questions, which the model of the person who plays the demo
	// answers.
	Then func(ctx context.Context) ([]runner.Option, error)
}

// playDemo starts the demo in a new session.
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

// play asks the demo's question and prepares the session for a person's own questions.
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
