package runner

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gorlm/rlm/internal/observation"
	"github.com/gorlm/rlm/prompts"
	"github.com/gorlm/rlm/runner/internal/journal"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/termination"
)

// observe reports a turn to the model in one message: the cells' results, signals that did not count, reminders of
// guards, and the rest of the budgets.
func (r *run) observe(t termination.Turn, v termination.Verdict) error {
	var b strings.Builder
	b.WriteString(t.Observation)
	b.WriteString(observation.Observation{Remarks: r.remarks.take()}.String())
	for _, name := range r.ofOtherMode(t) {
		ig := trajectory.SignalIgnored{
			Signal: name, Reason: fmt.Sprintf("%s does not count in %s mode", name, r.policy.Mode),
		}
		if err := noted(r.journal, r.path, r.turn, ig); err != nil {
			return err
		}
	}
	for _, ig := range v.Ignored {
		if err := noted(r.journal, r.path, r.turn,
			trajectory.SignalIgnored{Signal: ig.Signal, Reason: ig.Reason}); err != nil {
			return err
		}
		b.WriteString(observation.Observation{Remarks: []string{ig.Reason}}.String())
	}
	kind := "observation"
	for _, n := range v.Nudges {
		if err := noted(r.journal, r.path, r.turn,
			trajectory.Nudged{Guard: string(n.Guard), Text: n.Text}); err != nil {
			return err
		}
		if b.Len() == 0 {
			kind = "nudge"
		}
		b.WriteString(strings.TrimSpace(n.Text) + "\n")
	}
	r.journal.DropRemarks(r.path)
	if v.Action == termination.LastTurn && v.Limit != nil {
		return r.tellLimit(*v.Limit, func(kind, text string) error { return r.say(kind, b.String()+text) })
	}
	if b.Len() == 0 && !r.journal.SaidNext(r.path) {
		return nil
	}
	if v.Action != termination.Stop {
		left := r.lease.Left(r.turn)
		b.WriteString(observation.Observation{Left: &left}.String())
	}
	return r.say(kind, b.String())
}

// noted records a remark to the model. A resumed run whose log continues without the remark does not make it.
func noted[D trajectory.Data](j *journal.Journal, path string, turn int, d D) error {
	_, err := journal.Optional(j, path, turn, func() (D, bool) { return d, true })
	return err
}

// ofOtherMode returns the signals of the other mode that cells called. The notebook has already told the model.
func (r *run) ofOtherMode(t termination.Turn) []string {
	other := r.policy.Names.FinishTask
	if r.policy.Mode == termination.Task {
		other = []string{r.policy.Names.FinishResponse}
	}
	var out []string
	for _, c := range t.Cells {
		for _, name := range c.Called {
			if slices.Contains(other, name) && !slices.Contains(out, name) {
				out = append(out, name)
			}
		}
	}
	return out
}

// tellLimit records that a limit is reached and asks for an answer.
func (r *run) tellLimit(l termination.Limit, say func(kind, text string) error) error {
	if _, err := journal.Note(r.journal, r.path, r.turn,
		trajectory.LimitReached{Limit: string(l.Status), Used: l.Used, Bound: l.Bound}); err != nil {
		return err
	}
	text, err := r.cfg.Prompts.LastTurn(prompts.Limit{
		What: limitWords(l.Status), Used: l.Used, Bound: l.Bound, Names: r.names, SubCalls: r.lease.Grants(),
		Unread: r.state.Unread && !r.state.Shown,
	})
	if err != nil {
		return err
	}
	return say("limit", text)
}

// limitWords names the budget that a status is about.
func limitWords(s termination.Status) string {
	switch s {
	case termination.MaxIterations, termination.IterationsExceeded:
		return "turns"
	case termination.TokenLimit:
		return "tokens"
	case termination.CostLimit:
		return "cost"
	case termination.TimeLimit:
		return "time"
	case termination.SubCallLimit:
		return "sub-calls"
	case termination.DepthLimit:
		return "depth"
	case termination.ErrorLimit:
		return "turns in a row that failed"
	default:
		return string(s)
	}
}
