package terminal

import (
	"fmt"
	"iter"

	"github.com/gorlm/rlm/internal/front/terminal/screen"
	"github.com/gorlm/rlm/internal/front/terminal/transcript"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/trajectory"
)

// Show prints a recorded run, even if it is incomplete. If all is set, it also prints the system prompt, reasoning,
// messages as the model sees them, sub-calls and child runs. If the run has no end, Show calls state for its
// status.
func Show(
	out *screen.Output, events iter.Seq2[trajectory.Event, error], all bool, state func() (trajectory.Summary, error),
) error {
	log := transcript.New(out.Renderer(), transcript.Turns)
	log.All = all
	var res runner.Result
	for ev, err := range events {
		if err != nil {
			return err
		}
		res.Add(ev)
		if err := show(out, log.Event(ev)); err != nil {
			return err
		}
	}
	switch {
	case res.Ended, res.RunID == "" && len(res.Cells) > 0: // a session with only a person's cells has no question
		return nil
	case res.RunID == "":
		return show(out, "nothing is recorded: the run stopped before its question was asked")
	}
	sum, err := state()
	if err != nil {
		return err
	}
	text := fmt.Sprintf("%s ('rlm resume %s' continues it)", sum.Status, sum.ID)
	if sum.Status == trajectory.StatusRunning {
		text = "running: a process is working on it"
	}
	return show(out, screen.Line(text))
}

func show(out *screen.Output, text string) error {
	if text == "" {
		return nil
	}
	if err := out.Styled(text + "\n"); err != nil {
		return fmt.Errorf("printing the run: %w", err)
	}
	return nil
}

// ShowEvents prints the events of a run as lines of JSON.
func ShowEvents(out *screen.Output, events iter.Seq2[trajectory.Event, error]) error {
	for ev, err := range events {
		if err != nil {
			return err
		}
		if err := out.JSONLine(ev); err != nil {
			return fmt.Errorf("writing events: %w", err)
		}
	}
	return nil
}
