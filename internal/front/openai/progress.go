package openai

import (
	"fmt"
	"strings"
	"time"

	"github.com/gorlm/rlm/internal/kit/units"
	"github.com/gorlm/rlm/internal/session"
	"github.com/gorlm/rlm/runner/trajectory"
)

// progress describes what happens in a run as text, for clients that show a model's reasoning.
type progress struct {
	turn  int
	heard bool // parts of the turn's reply have arrived
	calls int
	last  time.Time // when a frequent message was last sent
}

const (
	oftenEvery = time.Second
	mostShown  = 500 // maximum bytes of a cell's output
)

// text describes an item of the session's stream; "" if people do not need it.
func (p *progress) text(item session.StreamItem) string {
	if item.State != nil && item.State.Ahead != nil {
		return fmt.Sprintf("Waiting: %s before this one.\n", units.Of(*item.State.Ahead+1, "question"))
	}
	ev := item.Event
	if ev.Path != "" {
		return p.below(ev)
	}
	switch d := ev.Data.(type) {
	case trajectory.Reading:
		return fmt.Sprintf("Reading: %d of %s.\n", d.Documents, units.Of(d.Of, "document"))
	case trajectory.TurnStarted:
		if ev.Turn == p.turn {
			return ""
		}
		p.turn, p.heard = ev.Turn, false
		return fmt.Sprintf("\nTurn %d\n\n", ev.Turn)
	case trajectory.ReplyDelta:
		again := ""
		if d.Restart {
			again = "\n[the reply broke off and starts again]\n"
		}
		p.heard = true
		return again + d.Reasoning + d.Content
	case trajectory.ReplyReceived:
		if p.heard { // the parts contained the whole reply; late readers get no parts
			return ""
		}
		return d.Reasoning.String() + d.Content.String()
	case trajectory.CallRetried:
		return fmt.Sprintf("\n[%s; trying again in %s]\n", d.Reason, d.Wait.Round(time.Second))
	case trajectory.CellEnded:
		return cellText(d)
	case trajectory.SubCallEnded:
		return p.below(ev)
	case trajectory.LimitReached:
		return fmt.Sprintf("\n[the budget is used up: %s, %s of %s]\n", d.Limit, d.Used, d.Bound)
	}
	return ""
}

// below counts the ended sub-calls, including those of child runs, and describes their number from time to time.
func (p *progress) below(ev trajectory.Event) string {
	if _, ok := ev.Data.(trajectory.SubCallEnded); !ok {
		return ""
	}
	p.calls++
	if time.Since(p.last) < oftenEvery {
		return ""
	}
	p.last = time.Now()
	return fmt.Sprintf("[%s answered]\n", units.Of(p.calls, "sub-call"))
}

func cellText(d trajectory.CellEnded) string {
	out := strings.TrimRight(d.Output, "\n")
	more := ""
	if len(out) > mostShown {
		out, more = strings.ToValidUTF8(out[:mostShown], ""), "…"
	}
	switch {
	case !d.OK:
		return fmt.Sprintf("\n[cell %d failed: %s]\n", d.Cell, d.ErrorKind)
	case out == "":
		return fmt.Sprintf("\n[cell %d ran]\n", d.Cell)
	}
	return fmt.Sprintf("\n[cell %d printed]\n%s%s\n", d.Cell, out, more)
}
