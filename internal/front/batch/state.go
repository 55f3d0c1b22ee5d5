package batch

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/gorlm/rlm/internal/fleet"
	"github.com/gorlm/rlm/internal/front/terminal/screen"
	"github.com/gorlm/rlm/internal/kit/text"
	"github.com/gorlm/rlm/internal/kit/units"
)

// Invocation is what the command stores with a batch: its command line, the folder in which it ran, and the file
// for its results.
type Invocation struct {
	Command string `json:"command"`
	Dir     string `json:"dir"`
	Output  string `json:"output,omitempty"`
}

// WriteList lists batches, one per line; on a narrow terminal without the time when they began.
func WriteList(out *screen.Output, list []fleet.Status) error {
	const wide = 80
	columns, _ := out.Size()
	begun := !out.Terminal() || columns >= wide
	return out.Table(func(w io.Writer) {
		line := func(last string, cells ...string) {
			if begun {
				cells = append(cells, last)
			}
			fmt.Fprintln(w, strings.Join(cells, "\t"))
		}
		line("BEGUN", "BATCH", "STATE", "DONE", "DEAD", "JOBS", "COST")
		for _, s := range list {
			line(s.Created.Local().Format(time.DateTime), s.ID, State(s), strconv.Itoa(s.Done), strconv.Itoa(s.Dead),
				strconv.Itoa(s.Jobs), strings.TrimPrefix(units.Cost(s.Cost, s.Unpriced), "cost "))
		}
	})
}

// State returns the state of a batch in one word.
func State(s fleet.Status) string {
	switch {
	case s.Cancelled:
		return "cancelled"
	case s.Done+s.Dead >= s.Jobs:
		return "complete"
	case s.Stopped != "":
		return "stopped"
	case s.Nodes > 0:
		return "running"
	}
	return "waiting" // no process runs its jobs
}

// waitsFor explains why jobs wait that no node can run, and until when.
func waitsFor(l fleet.MissingModel) string {
	return fmt.Sprintf("jobs are waiting: %s; at %s they are set aside", l, l.Until.Local().Format(time.TimeOnly))
}

// Write writes the progress of a batch and its running jobs.
func Write(out io.Writer, s fleet.Status) {
	fmt.Fprintf(out, "%s: %s\n%s\n", s.ID, State(s), summary(s))
	if s.Stopped != "" {
		fmt.Fprintf(out, "stopped: %s\n", s.Stopped)
	}
	for _, l := range s.Lacks {
		fmt.Fprintln(out, waitsFor(l))
	}
	const most = 10
	for i, r := range s.Running {
		if i == most {
			fmt.Fprintf(out, "  and %d more\n", len(s.Running)-most)
			break
		}
		what := fmt.Sprintf("turn %d", r.Turn)
		if r.Waits {
			what = "waiting to be retried"
		}
		since := time.Since(r.Since).Round(time.Second)
		fmt.Fprintf(out, "  %s · %s · %s · run %s\n", text.Line(r.ID, 60), what, since, r.Run)
	}
	var p Invocation
	if json.Unmarshal(s.Metadata, &p) == nil && p.Command != "" && s.Nodes == 0 && s.Queued > 0 {
		fmt.Fprintf(out, "to continue in %s: %s\n", p.Dir, p.Command)
	}
}

// summary returns the state of a batch in one line.
func summary(s fleet.Status) string {
	text := fmt.Sprintf("%s: %d done", units.Of(s.Jobs, "job"), s.Done)
	if s.Dead > 0 {
		text += fmt.Sprintf(", %d dead", s.Dead)
	}
	if left := s.Jobs - s.Done - s.Dead; left > 0 {
		text += fmt.Sprintf(", %d in the queue", left)
	}
	return text + fmt.Sprintf(" · %s · %s", units.Cost(s.Cost, s.Unpriced), units.About(s.Tokens, "token"))
}

// JobsAre returns "1 job is" or "3 jobs are".
func JobsAre(n int) string {
	if n == 1 {
		return "1 job is"
	}
	return units.Of(n, "job") + " are"
}
