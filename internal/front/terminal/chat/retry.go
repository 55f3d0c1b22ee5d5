package chat

import (
	"context"
	"errors"

	"github.com/gorlm/rlm/internal/session"
	"github.com/gorlm/rlm/internal/session/client"
	"github.com/gorlm/rlm/runner/trajectory"
)

// retry resumes the last question if it was interrupted, without paying again for recorded replies. If the question
// has ended, retry undoes it and asks it again.
func (t *terminal) retry(ctx context.Context, _ string, out sink) error {
	settings, err := do[session.Settings](ctx, t, "settings", nil)
	if err != nil {
		return err
	}
	if settings.Pending {
		key := client.NewKey()
		return t.begin(ctx, func(ctx context.Context, at sessionHandle) (session.Receipt, error) {
			return begins(ctx, at, session.Request{Command: "resume", Key: key})
		})
	}
	t.mu.Lock()
	question, err := t.past.lastQuestion()
	t.mu.Unlock()
	if err != nil {
		return err
	}
	if err := t.work(ctx, "undo", nil); err != nil {
		return err
	}
	return t.ask(ctx, question, out)
}

// exchange is a question with its answer, read from the log.
type exchange struct {
	question string
	end      trajectory.Event // a RunEnded; zero if the run was interrupted
	cells    []ranCell
}

func (p *sessionCells) lastQuestion() (string, error) {
	if len(p.asked) == 0 {
		return "", errors.New("nothing has been asked yet")
	}
	return p.asked[len(p.asked)-1].question, nil
}
