package chat

import (
	"context"
	"errors"
	"strings"

	"github.com/gorlm/rlm/runner/trajectory"
)

func (c *core) undo(ctx context.Context, _ string, out sink) error {
	if err := c.current().Undo(ctx); err != nil {
		return err
	}
	out.show("the last question is taken back, with the cells and variables since then")
	return nil
}

// retry goes on with a question that was interrupted, without paying again for what was answered; one that
// ended is taken back and asked again.
func (c *core) retry(ctx context.Context, _ string, out sink) error {
	if s := c.current(); s.Pending() {
		return c.follow(ctx, s.Resume(ctx), out)
	}
	question, err := c.lastQuestion()
	if err != nil {
		return err
	}
	if err := c.current().Undo(ctx); err != nil {
		return err
	}
	return c.ask(ctx, question, out)
}

// exchange is a question with its answer, as the log has it.
type exchange struct {
	question string
	end      trajectory.Event // a RunEnded; none if it was interrupted
	cells    []ranCell
}

// exchanges are the session's questions.
func (c *core) exchanges() ([]exchange, error) {
	p, err := c.past()
	return p.asked, err
}

func (c *core) lastQuestion() (string, error) {
	p, err := c.past()
	if err != nil {
		return "", err
	}
	return p.lastQuestion()
}

func (p *past) lastQuestion() (string, error) {
	if len(p.asked) == 0 {
		return "", errors.New("nothing was asked yet")
	}
	return p.asked[len(p.asked)-1].question, nil
}

// remind shows where a session stands after its last question.
func (c *core) remind(last exchange, out sink) {
	out.show(c.log.Question(last.question))
	if last.end.Data == nil {
		out.show(c.render.paint(faint, "interrupted; /retry goes on with it"))
		return
	}
	out.event(last.end)
}

// review decides on an answer of task mode.
func (c *core) review(ctx context.Context, args string, out sink) error {
	approved, note, err := verdict(args)
	if err != nil {
		return err
	}
	if err := c.follow(ctx, c.current().Review(ctx, approved, note), out); err != nil {
		return err
	}
	if approved {
		out.show("approved")
	}
	return nil
}

// verdict reads what stands behind /review.
func verdict(args string) (approved bool, note string, err error) {
	word, note, _ := strings.Cut(args, " ")
	note = strings.TrimSpace(note)
	switch {
	case word == "approve":
		return true, note, nil
	case word == "reject" && note != "":
		return false, note, nil
	case word == "reject":
		return false, "", errors.New("say what is missing: /review reject NOTE")
	}
	return false, "", errors.New("say which: /review approve, or /review reject NOTE")
}
