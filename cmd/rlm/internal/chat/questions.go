package chat

import (
	"context"
	"errors"
	"fmt"
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
}

// exchanges reads the session's questions from its log, without those that were taken back.
func (c *core) exchanges() ([]exchange, error) {
	var all []exchange
	for ev, err := range trajectory.Skim(c.current().Dir()) {
		if err != nil {
			return nil, fmt.Errorf("reading the session: %w", err)
		}
		if ev.Path != "" {
			continue
		}
		switch d := ev.Data.(type) {
		case trajectory.RunStarted:
			all = append(all, exchange{question: d.Question})
		case trajectory.RunEnded:
			if len(all) > 0 {
				all[len(all)-1].end = ev
			}
		case trajectory.Undone:
			all = all[:max(0, len(all)-d.Runs)]
		}
	}
	return all, nil
}

func (c *core) lastQuestion() (string, error) {
	all, err := c.exchanges()
	if err != nil {
		return "", err
	}
	if len(all) == 0 {
		return "", errors.New("nothing was asked yet")
	}
	return all[len(all)-1].question, nil
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
	verdict, note, _ := strings.Cut(args, " ")
	note = strings.TrimSpace(note)
	switch {
	case verdict == "approve":
	case verdict == "reject" && note != "":
	case verdict == "reject":
		return errors.New("say what is missing: /review reject NOTE")
	default:
		return errors.New("say which: /review approve, or /review reject NOTE")
	}
	if err := c.follow(ctx, c.current().Review(ctx, verdict == "approve", note), out); err != nil {
		return err
	}
	if verdict == "approve" {
		out.show("approved")
	}
	return nil
}
