// Package progress follows the events of a run and stores what its watchers want to see: the turn, the cell, the
// numbers of completed and of all sub-calls, tokens, cost.
package progress

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gorlm/rlm/internal/kit/units"
	"github.com/gorlm/rlm/runner/trajectory"
)

// Phase is what the run is doing.
type Phase string

// The phases of a turn.
const (
	Idle     Phase = ""
	Thinking Phase = "waiting for the model"
	Replying Phase = "the model is writing"
	Running  Phase = "a cell is running"
)

// Progress is the progress of a run. Its zero value is a run that has not begun. It is not safe for concurrent
// use.
type Progress struct {
	Phase   Phase
	Turn    int
	Cell    int
	Own     bool // the cell is a person's own and belongs to no turn
	Started time.Time
	Latest  time.Time

	// Numbers of sub-calls of the run and its child runs: requested, ended, and those of them that failed. As in
	// budgets and at the end of a run, a child run counts as its turns.
	SubTotal, SubDone, SubFailed int

	// Prompt and Completion count tokens of the run and its child runs.
	Prompt, Completion int64
	Cost               trajectory.Cost

	// retry is the latest retried call; again is when the wait before its retry ends.
	retry trajectory.CallRetried
	again time.Time

	batches map[batchKey]bool
	tools   map[trajectory.CallKey]bool // tool calls in progress, which are not counted as sub-calls
	child   map[trajectory.CallKey]string
	turns   map[string]turns // of child runs in progress, by path
}

// turns are the numbers of turns of a child run that began and that ended.
type turns struct{ began, ended int }

type batchKey struct {
	path        string
	cell, batch int
}

// Add adds the next event.
func (p *Progress) Add(ev trajectory.Event) {
	if p.Started.IsZero() {
		p.Started = ev.Time
	}
	p.Latest = ev.Time
	root := ev.Path == ""
	switch d := ev.Data.(type) {
	case trajectory.TurnStarted:
		if root {
			p.Phase, p.Turn, p.Own = Thinking, ev.Turn, false
		} else if t, ok := p.turns[ev.Path]; ok {
			if t.began++; t.began > 1 { // the first was counted as the call of the child run
				p.SubTotal++
			}
			p.turns[ev.Path] = t
		}
	case trajectory.ReplyDelta:
		if root {
			p.Phase = Replying
		}
	case trajectory.CallRetried:
		p.retry, p.again = d, ev.Time.Add(d.Wait)
	case trajectory.ReplyReceived, trajectory.CallLost:
		u, _ := ev.Usage()
		p.Use(u)
		_, replied := d.(trajectory.ReplyReceived)
		if t, ok := p.turns[ev.Path]; ok && replied && t.ended < t.began {
			t.ended++
			p.SubDone++
			p.turns[ev.Path] = t
		}
	case trajectory.CellStarted:
		if root {
			p.Phase, p.Cell, p.Own = Running, d.Cell, d.Own
		}
	case trajectory.SubCallStarted:
		p.subCall(ev.Path, d)
	case trajectory.SubCallEnded:
		key := d.Key(ev.Path)
		if p.tools[key] {
			delete(p.tools, key)
			break
		}
		if path, ok := p.child[key]; ok {
			p.SubDone += max(1, p.turns[path].began) - p.turns[path].ended
			delete(p.child, key)
			delete(p.turns, path)
		} else {
			p.SubDone++
		}
		if d.Error != "" {
			p.SubFailed++
		}
		p.Use(d.Usage)
	case trajectory.RunEnded:
		if root {
			p.Phase = Thinking // if there are further events, the run was resumed
		}
	}
}

// subCall counts a sub-call, or all sub-calls of a batch when the first one begins.
func (p *Progress) subCall(path string, d trajectory.SubCallStarted) {
	if d.Tool != "" {
		if p.tools == nil {
			p.tools = map[trajectory.CallKey]bool{}
		}
		p.tools[d.Key(path)] = true
		return
	}
	if d.Child != "" {
		if p.child == nil {
			p.child, p.turns = map[trajectory.CallKey]string{}, map[string]turns{}
		}
		p.child[d.Key(path)], p.turns[d.Child] = d.Child, turns{}
	}
	if d.Size == 0 {
		p.SubTotal++
		return
	}
	key := batchKey{path, d.Cell, d.Batch}
	if p.batches[key] {
		return
	}
	if p.batches == nil {
		p.batches = map[batchKey]bool{}
	}
	p.batches[key] = true
	p.SubTotal += d.Size
}

// Use adds the usage of one or more calls of a model.
func (p *Progress) Use(u trajectory.Usage) {
	p.Prompt += u.Prompt
	p.Completion += u.Completion
	p.Cost.Add(u)
}

// Elapsed returns the time since the first event, as of now.
func (p *Progress) Elapsed(now time.Time) time.Duration {
	if p.Started.IsZero() {
		return 0
	}
	return now.Sub(p.Started)
}

// SubCalls returns "sub-calls 12/40", with the number of failed ones if there are any; "" if there are no
// sub-calls.
func (p *Progress) SubCalls() string {
	if p.SubTotal == 0 {
		return ""
	}
	s := fmt.Sprintf("sub-calls %d/%d", p.SubDone, p.SubTotal)
	if p.SubFailed > 0 {
		s += fmt.Sprintf(" (%d failed)", p.SubFailed)
	}
	return s
}

// Spent returns "12.3k tokens, $0.0042". An unknown price is described as unknown, never shown as 0.
func (p *Progress) Spent() string {
	return units.About(p.Prompt+p.Completion, "token") + ", " + units.Cost(p.Cost.USD, p.Cost.Unpriced)
}

// Line returns the whole progress in one line, as of now. A narrow terminal cuts off its end, so the parts that
// change often come first.
func (p *Progress) Line(now time.Time) string {
	var parts []string
	if p.Turn > 0 && !p.Own {
		parts = append(parts, fmt.Sprintf("turn %d", p.Turn))
	}
	doing := string(p.Phase)
	switch {
	case p.Phase == Running && p.Own:
		doing = fmt.Sprintf("running your cell %d", p.Cell)
	case p.Phase == Running:
		doing = fmt.Sprintf("running cell %d", p.Cell)
	}
	if now.Before(p.again) {
		text := Retry(p.retry, min(p.again.Sub(now), p.retry.Wait))
		if p.Phase == Running {
			doing += " · " + text
		} else {
			doing = text
		}
	}
	parts = append(parts, doing)
	spent := p.Spent()
	if p.Own && p.SubTotal == 0 {
		spent = "" // without sub-calls, a person's cell costs nothing
	}
	parts = append(parts, p.Elapsed(now).Round(100*time.Millisecond).String(), p.SubCalls(), spent)
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), " · ")
}

// Retry returns "model gpt-5: HTTP 429, trying again in 2 s (2 of 5)". left is the rest of the wait.
func Retry(d trajectory.CallRetried, left time.Duration) string {
	trying := "trying again"
	if d.Attempt == 1 {
		trying = "trying"
	}
	return fmt.Sprintf("model %s: %s, %s %s (%d of %d)", d.Model, d.Reason, trying, in(left), d.Attempt, d.Tries)
}

// FellBack returns a message such as "model gpt-5: no quota left, claude-sonnet-4-5 answers instead".
func FellBack(d trajectory.FellBack) string {
	why := map[string]string{
		"quota": "no quota left", "unavailable": "not available", "rate_limit": "too many calls",
		"no_reply": "no reply", "thoughts_only": "thoughts without a text",
	}[d.Reason]
	if why == "" {
		why = d.Reason
	}
	return fmt.Sprintf("model %s: %s, %s answers instead", d.Model, why, d.To)
}

// in formats a duration to wait, rounded to at most one decimal of a second.
func in(wait time.Duration) string {
	switch {
	case wait < 50*time.Millisecond:
		return "at once"
	case wait < 10*time.Second:
		return "in " + strconv.FormatFloat(math.Round(wait.Seconds()*10)/10, 'f', -1, 64) + " s"
	default:
		return "in " + strconv.FormatFloat(math.Round(wait.Seconds()), 'f', -1, 64) + " s"
	}
}
