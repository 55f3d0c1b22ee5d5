package runner

import (
	"encoding/json"
	"maps"
	"slices"
	"time"

	"github.com/gorlm/rlm/repl"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/sandbox"
)

// cellRecords gathers, for each path, the cells that ran and what they were answered, so that a notebook can be brought back.
func cellRecords(events []trajectory.Event) map[string][]sandbox.CellRecord {
	b := recordBook{
		started: map[cellAt]trajectory.CellStarted{}, calls: map[cellAt][]sandbox.CallRecord{}, out: map[string][]sandbox.CellRecord{},
	}
	for _, ev := range events {
		b.add(ev)
	}
	return b.out
}

type cellAt struct {
	path string
	cell int
}

type recordBook struct {
	started map[cellAt]trajectory.CellStarted
	calls   map[cellAt][]sandbox.CallRecord
	out     map[string][]sandbox.CellRecord
}

func (b *recordBook) add(ev trajectory.Event) {
	switch d := ev.Data.(type) {
	case trajectory.CellStarted:
		b.started[cellAt{ev.Path, d.Cell}] = d
	case trajectory.SubCallEnded:
		k := cellAt{ev.Path, d.Cell}
		b.calls[k] = append(b.calls[k], sandbox.CallRecord{Hash: d.Hash, N: d.N, Reply: recordedReply(d)})
	case trajectory.CellEnded:
		b.ended(ev.Path, d)
	}
}

func (b *recordBook) ended(path string, d trajectory.CellEnded) {
	k := cellAt{path, d.Cell}
	s := b.started[k]
	var res repl.Result
	if leftNothing(repl.Kind(d.ErrorKind)) || json.Unmarshal(d.Result, &res) != nil {
		return
	}
	b.out[path] = append(b.out[path], sandbox.CellRecord{
		Cell: d.Cell, Source: s.Source, Untagged: s.Untagged, Seed: s.Seed, Clock: res.Clock, Calls: b.calls[k], Changed: res.Changed,
	})
}

// leftNothing reports whether a cell that failed so is not to be run again: it never ran, or its worker died of it.
func leftNothing(k repl.Kind) bool {
	switch k {
	case repl.KindNotACell, repl.KindCompileError, repl.KindRefused,
		repl.KindTimeout, repl.KindMemoryLimit, repl.KindStackOverflow, repl.KindFatalRuntime, repl.KindDeadlock,
		repl.KindSandboxViolation, repl.KindWorkerExit, repl.KindProtocolViolation, repl.KindCancelled:
		return true
	}
	return false
}

// recordedReply is a recorded reply as the cell got it.
func recordedReply(d trajectory.SubCallEnded) sandbox.Reply {
	return sandbox.Reply{Body: []byte(d.Reply.String()), Error: d.Error, Unwind: d.Unwind}
}

// longestPause is the longest time between two events that counts as working time when a run is taken up again: what is
// longer was most likely the time between an interruption and its end.
const longestPause = 10 * time.Minute

// timeSpent is how long the recorded part of a run took.
func timeSpent(events []trajectory.Event) time.Duration {
	var spent time.Duration
	for i := 1; i < len(events); i++ {
		if _, ended := events[i-1].Data.(trajectory.RunEnded); ended {
			continue
		}
		spent += min(longestPause, max(0, events[i].Time.Sub(events[i-1].Time)))
	}
	return spent
}

// recall adds what the recorded part of a run has used.
func (l *lease) recallAll(events []trajectory.Event) {
	for _, ev := range events {
		switch d := ev.Data.(type) {
		case trajectory.ReplyReceived:
			l.recall(d.Model, d.Usage, ev.Path != "", d.Duration)
		case trajectory.SubCallEnded:
			if !d.Unwind && !d.Cached && d.Model != "" && d.Usage != (trajectory.Usage{}) {
				l.recall(d.Model, d.Usage, true, d.Duration)
			}
		}
	}
}

func cloneUsage(u map[string]trajectory.Usage) map[string]trajectory.Usage { return maps.Clone(u) }

func sorted(set map[string]bool) []string { return slices.Sorted(maps.Keys(set)) }
