package main

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gorlm/rlm/cmd/rlm/internal/screen"
	"github.com/gorlm/rlm/internal/brief"
	"github.com/gorlm/rlm/internal/quantity"
	"github.com/gorlm/rlm/runner/fleet"
	"github.com/gorlm/rlm/runner/trajectory"
)

// batchView shows how a batch goes: one line on a terminal, and jobs that are dead.
type batchView struct {
	out   *screen.Output
	b     batching
	did   fleet.Submitted
	began time.Time
	done  chan struct{}
	ended sync.WaitGroup

	mu      sync.Mutex
	status  fleet.Status
	results int                  // that came since the command began
	tokens  int64                // of calls since then
	running map[string]time.Time // by id
	lacks   []string             // that were told
}

const batchViewEvery = 250 * time.Millisecond

func newBatchView(out *screen.Output, b batching, did fleet.Submitted, id string) *batchView {
	v := &batchView{out: out, b: b, did: did, began: time.Now(), done: make(chan struct{}), running: map[string]time.Time{}}
	if b.quiet {
		return v
	}
	parts := []string{fmt.Sprintf("batch %s: %d new", id, did.New-did.Changed)}
	for _, p := range []struct {
		n    int
		what string
	}{{did.Known, "known"}, {did.Changed, "changed, which run again"}, {did.Gone, "not in the batch any more"}, {did.Retried, "tried again"}} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.what))
		}
	}
	fmt.Fprintln(out, strings.Join(parts, ", "))
	return v
}

// begin shows the state of the batch from here on, where somebody looks.
func (v *batchView) begin(s fleet.Status) {
	v.mu.Lock()
	v.status = s
	v.mu.Unlock()
	if v.b.quiet || !v.out.Terminal() {
		return
	}
	v.ended.Go(func() {
		tick := time.NewTicker(batchViewEvery)
		defer tick.Stop()
		for {
			v.out.Status(v.line(time.Now()))
			select {
			case <-v.done:
				v.out.Status("")
				return
			case <-tick.C:
			}
		}
	})
}

// close ends the line. It is safe to call twice.
func (v *batchView) close() {
	v.mu.Lock()
	select {
	case <-v.done:
	default:
		close(v.done)
	}
	v.mu.Unlock()
	v.ended.Wait()
}

// event takes what happens in a run.
func (v *batchView) event(job fleet.Job, ev trajectory.Event) {
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

// look takes what nodes elsewhere tell of the batch.
func (v *batchView) look(s fleet.Status) {
	v.mu.Lock()
	defer v.mu.Unlock()
	clear(v.running)
	for _, r := range s.Running {
		v.running[r.ID] = r.Since
	}
	for _, l := range s.Lacks {
		if what := l.String(); !v.b.quiet && !slices.Contains(v.lacks, what) {
			v.lacks = append(v.lacks, what)
			fmt.Fprintln(v.out, waitsFor(l))
		}
	}
}

// use counts the tokens of a call, unless it is one that was recorded before.
func (v *batchView) use(ev trajectory.Event, u trajectory.Usage) {
	if !ev.Time.Before(v.began) {
		v.tokens += int64(u.Prompt) + int64(u.Completion)
	}
}

// result takes what a job came to.
func (v *batchView) result(r fleet.Result) {
	v.mu.Lock()
	v.results++
	v.status.Cost += r.Cost - r.Paid.Cost
	if r.State == fleet.Done {
		v.status.Done++
	} else {
		v.status.Dead++
	}
	v.mu.Unlock()
	if r.State == fleet.Dead && !v.b.quiet {
		fmt.Fprintf(v.out, "%s is dead: %s\n", r.ID, brief.Line(r.Reason, 300))
	}
}

// line is the state of the batch in one line, what matters most first.
func (v *batchView) line(now time.Time) string {
	v.mu.Lock()
	defer v.mu.Unlock()
	s := v.status
	parts := []string{fmt.Sprintf("%d of %d done", s.Done, s.Jobs), fmt.Sprintf("%d running", len(v.running))}
	if s.Dead > 0 {
		parts = append(parts, fmt.Sprintf("%d dead", s.Dead))
	}
	cost := quantity.Dollars(s.Cost)
	if v.b.cost > 0 {
		cost += " of " + quantity.Dollars(v.b.cost)
	}
	parts = append(parts, cost)
	took := now.Sub(v.began)
	if took > 5*time.Second {
		parts = append(parts, quantity.Count(int64(float64(v.tokens)/took.Minutes()))+" tokens/min")
	}
	if left := s.Jobs - s.Done - s.Dead; v.results > 0 && left > 0 {
		parts = append(parts, "about "+(took/time.Duration(v.results)*time.Duration(left)).Round(time.Second).String()+" left")
	}
	slowest := ""
	for id, since := range v.running {
		if slowest == "" || since.Before(v.running[slowest]) {
			slowest = id
		}
	}
	if slowest != "" && now.Sub(v.running[slowest]) > time.Second {
		parts = append(parts, fmt.Sprintf("slowest %s %s", brief.Line(slowest, 40), now.Sub(v.running[slowest]).Round(time.Second)))
	}
	return strings.Join(parts, " · ")
}
