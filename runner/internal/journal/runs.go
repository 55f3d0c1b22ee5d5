package journal

import (
	"slices"
	"time"

	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/termination"
)

// Read returns all events of a log.
func Read(dir string) ([]trajectory.Event, error) {
	var events []trajectory.Event
	for ev, err := range trajectory.Read(dir) {
		if err != nil {
			return nil, err
		}
		events = append(events, ev)
	}
	return events, nil
}

// Split splits the events of a session into its runs; a person's actions after the last run are separate.
func Split(events []trajectory.Event) (runs [][]trajectory.Event, between []trajectory.Event) {
	for _, ev := range events {
		if _, ok := ev.Data.(trajectory.RunStarted); ok && ev.Path == "" {
			runs = append(runs, nil)
			between = nil
		}
		if len(runs) == 0 {
			between = append(between, ev)
			continue
		}
		last := len(runs) - 1
		runs[last] = append(runs[last], ev)
		if _, ended := Ending(runs[last]); ended {
			between = append(between, ev)
		}
	}
	return runs, between
}

// Ending returns how a run last ended, if it has ended.
func Ending(run []trajectory.Event) (trajectory.RunEnded, bool) {
	for _, ev := range slices.Backward(run) {
		if ev.Path != "" {
			continue
		}
		switch d := ev.Data.(type) {
		case trajectory.RunEnded:
			return d, true
		case trajectory.Resumed, trajectory.TurnStarted, trajectory.MessageAdded, trajectory.ReplyReceived:
			return trajectory.RunEnded{}, false
		}
	}
	return trajectory.RunEnded{}, false
}

// Resumable reports whether a run that ended this way can continue: it was interrupted, or failed for a reason
// outside the conversation.
func Resumable(d trajectory.RunEnded) bool {
	switch termination.Trigger(d.EndedBy) {
	case termination.ByInterrupt, termination.ByError, termination.ByEndpoint:
		return true
	}
	return false
}

// Worked is the duration of the recorded part of a run, without the pauses before it resumed.
func Worked(events []trajectory.Event) time.Duration {
	// If a log does not mark where its run resumed, a longer time between two events was most likely an
	// interruption.
	const longestPause = 10 * time.Minute
	var worked time.Duration
	for i := 1; i < len(events); i++ {
		if _, resumed := events[i].Data.(trajectory.Resumed); resumed {
			continue
		}
		if _, ended := events[i-1].Data.(trajectory.RunEnded); ended && events[i-1].Path == "" {
			continue
		}
		worked += min(longestPause, max(0, events[i].Time.Sub(events[i-1].Time)))
	}
	return worked
}

// Of returns the events of the run at a path and of the runs below it.
func Of(events []trajectory.Event, path string) []trajectory.Event {
	if path == "" {
		return events
	}
	var out []trajectory.Event
	for _, ev := range events {
		_, marks := ev.Data.(trajectory.Resumed)
		if marks && len(out) > 0 || ev.Path == path || len(ev.Path) > len(path) && ev.Path[:len(path)+1] == path+"." {
			out = append(out, ev)
		}
	}
	return out
}
