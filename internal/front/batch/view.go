package batch

import (
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gorlm/rlm/internal/exitcode"
	"github.com/gorlm/rlm/internal/fleet"
	"github.com/gorlm/rlm/internal/front/terminal/screen"
	"github.com/gorlm/rlm/internal/kit/text"
	"github.com/gorlm/rlm/internal/kit/units"
	"github.com/gorlm/rlm/runner/trajectory"
)

// View shows the progress of a batch: a status line on a terminal, and messages about dead jobs. It is safe for
// concurrent use.
type View struct {
	out   *screen.Output
	quiet bool
	most  float64 // budget of the batch in USD; 0: no limit
	began time.Time
	done  chan struct{}
	ended sync.WaitGroup

	mu      sync.Mutex
	status  fleet.Status
	results int                  // number of results since the command began
	tokens  int64                // tokens of calls since then
	running map[string]time.Time // start times by job id
	lacks   []string             // missing models that have been reported
}

const (
	drawEvery = 250 * time.Millisecond
	lineEvery = time.Minute // for logs, which nobody watches
)

func newView(o Options, b fleet.Batch, did fleet.SubmitResult) *View {
	v := &View{
		out: o.Err, quiet: o.Quiet, most: b.Budget.Cost, began: time.Now(),
		done: make(chan struct{}), running: map[string]time.Time{},
	}
	if o.Quiet {
		return v
	}
	known := "known"
	if len(did.Versions) > 0 {
		known += " (made with rlm " + strings.Join(did.Versions, ", ") + ")"
	}
	parts := []string{fmt.Sprintf("batch %s: %d new", b.ID, did.New-did.Changed)}
	for _, p := range []struct {
		n    int
		what string
	}{
		{did.Known, known},
		{did.Changed, "changed and run again"},
		{did.Gone, "no longer in the batch"},
		{did.Retried, "retried"},
	} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.what))
		}
	}
	fmt.Fprintln(o.Err, strings.Join(parts, ", "))
	return v
}

// begin starts to show the state of the batch: as a status line on a terminal, otherwise as lines of a log.
func (v *View) begin(s fleet.Status) {
	v.mu.Lock()
	v.status = s
	v.mu.Unlock()
	if v.quiet {
		return
	}
	every, show := drawEvery, v.out.Status
	if !v.out.Terminal() {
		every, show = lineEvery, func(line string) { fmt.Fprintln(v.out, line) }
	}
	v.ended.Go(func() {
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			select {
			case <-v.done:
				if v.out.Terminal() {
					show("")
				}
				return
			case <-tick.C:
				show(v.line(time.Now()))
			}
		}
	})
}

// stopping announces that the running jobs will finish, but no others begin. Another Ctrl-C ends the process: what
// is paid for is recorded by then.
func (v *View) stopping() {
	again := make(chan os.Signal, 1)
	signal.Notify(again, os.Interrupt)
	fmt.Fprintf(v.out, "stopping%s; Ctrl-C again stops now\n", after(v.runs()))
	go func() {
		select {
		case <-v.done:
			signal.Stop(again)
		case <-again:
			v.out.Status("")
			fmt.Fprintln(v.out, v.stopped())
			os.Exit(exitcode.Interrupted)
		}
	}()
}

// stopped says how far a batch came that a person stops.
func (v *View) stopped() string {
	v.mu.Lock()
	defer v.mu.Unlock()
	text := fmt.Sprintf("rlm: stopped; %d of %d done", v.status.Done, v.status.Jobs)
	if v.status.Dead > 0 {
		text += fmt.Sprintf(", %d dead", v.status.Dead)
	}
	if n := len(v.running); n > 0 {
		text += fmt.Sprintf(", %d broken off", n)
	}
	return text + "; run the same command again to continue"
}

func (v *View) runs() int {
	v.mu.Lock()
	defer v.mu.Unlock()
	return len(v.running)
}

// after names the jobs that will finish. A job may have begun of which nothing is known yet.
func after(n int) string {
	switch n {
	case 0:
		return ""
	case 1:
		return " after the running job"
	}
	return fmt.Sprintf(" after the %d running jobs", n)
}

// close removes the status line. It may be called twice.
func (v *View) close() {
	v.mu.Lock()
	select {
	case <-v.done:
	default:
		close(v.done)
	}
	v.mu.Unlock()
	v.ended.Wait()
}

// Event handles an event of a job's run.
func (v *View) Event(job fleet.Job, ev trajectory.Event) {
	v.mu.Lock()
	defer v.mu.Unlock()
	switch d := ev.Data.(type) {
	case trajectory.RunStarted:
		if ev.Path == "" {
			v.running[job.ID] = time.Now()
		}
	case trajectory.ReplyReceived:
		v.use(ev, d.Usage)
	case trajectory.SubCallEnded:
		v.use(ev, d.Usage)
	case trajectory.RunEnded:
		if ev.Path == "" {
			delete(v.running, job.ID)
		}
	}
}

// Look handles a status of the batch that includes the jobs of other nodes.
func (v *View) Look(s fleet.Status) {
	v.mu.Lock()
	defer v.mu.Unlock()
	clear(v.running)
	for _, r := range s.Running {
		v.running[r.ID] = r.Since
	}
	for _, l := range s.Lacks {
		if what := l.String(); !v.quiet && !slices.Contains(v.lacks, what) {
			v.lacks = append(v.lacks, what)
			fmt.Fprintln(v.out, waitsFor(l))
		}
	}
}

// use counts the tokens of a call, unless the call was recorded before the command began.
func (v *View) use(ev trajectory.Event, u trajectory.Usage) {
	if !ev.Time.Before(v.began) {
		v.tokens += int64(u.Prompt) + int64(u.Completion)
	}
}

// result handles the result of a job.
func (v *View) result(r fleet.Result) {
	v.mu.Lock()
	v.results++
	v.status.Cost += r.Cost - r.Paid.Cost
	v.status.Unpriced = v.status.Unpriced || len(r.Unpriced) > 0
	if r.State == fleet.Done {
		v.status.Done++
	} else {
		v.status.Dead++
	}
	v.mu.Unlock()
	if r.State == fleet.Dead && !v.quiet {
		fmt.Fprintf(v.out, "%s is dead: %s\n", r.ID, text.Line(r.Reason, 300))
	}
}

// line returns the state of the batch in one line, with the most important parts first.
func (v *View) line(now time.Time) string {
	v.mu.Lock()
	defer v.mu.Unlock()
	s := v.status
	parts := []string{fmt.Sprintf("%d of %d done", s.Done, s.Jobs), fmt.Sprintf("%d running", len(v.running))}
	if s.Dead > 0 {
		parts = append(parts, fmt.Sprintf("%d dead", s.Dead))
	}
	cost := units.Cost(s.Cost, s.Unpriced)
	if v.most > 0 {
		cost += " of " + units.Dollars(v.most)
	}
	parts = append(parts, cost)
	took := now.Sub(v.began)
	if took > 5*time.Second {
		parts = append(parts, units.Count(int64(float64(v.tokens)/took.Minutes()))+" tokens/min")
	}
	slowest := ""
	for id, since := range v.running {
		if slowest == "" || since.Before(v.running[slowest]) {
			slowest = id
		}
	}
	var longest time.Duration
	if slowest != "" {
		longest = now.Sub(v.running[slowest])
	}
	if left := s.Jobs - s.Done - s.Dead; v.results > 0 && left > 0 {
		still := took / time.Duration(v.results) * time.Duration(left)
		if left > len(v.running) || longest < still { // else what runs is slower than all before it
			parts = append(parts, "about "+still.Round(time.Second).String()+" left")
		}
	}
	if longest > time.Second {
		parts = append(parts, fmt.Sprintf("slowest %s %s", text.Line(slowest, 40), longest.Round(time.Second)))
	}
	return strings.Join(parts, " · ")
}
