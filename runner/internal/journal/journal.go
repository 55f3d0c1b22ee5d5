// Package journal is the log as a run uses it. Each step of a run is taken through a [Journal]: a step that the log already
// holds is answered from there, any other is done and appended. So a run that resumes is the same code as one that begins:
// it replays what was recorded, paying for nothing, and continues where the log ends.
package journal

import (
	"fmt"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/sandbox"
)

// Journal takes the steps of one question and of all child runs below it. It is safe for concurrent use.
type Journal struct {
	log   *trajectory.Log
	cells map[string][]sandbox.CellRecord // by path: cells that ran, to run again
	marks map[string][]trajectory.Mark    // by path

	mu       sync.Mutex
	past     map[string][]trajectory.Event // by path: steps that are recorded and not yet taken
	calls    map[Key]trajectory.SubCallEnded
	starts   map[Key]callStart
	outcomes map[cellAt]*Outcome
	progress map[cellAt]*progress
	numbers  childNumbers
	// interrupted are calls that were under way when the process ended that made them.
	interrupted map[Key]bool
	err         error // the log cannot be written
	last        int64 // Seq of the last event

	replies sync.Mutex // held while a reply gets its place in the log

	retries rate.Sometimes // how often watchers see retries below the run itself
}

// New makes a journal that appends to a log. past are the recorded events of the run, if it resumes.
func New(log *trajectory.Log, past []trajectory.Event) *Journal {
	j := &Journal{
		log: log, cells: Cells(past), marks: Marks(past), past: map[string][]trajectory.Event{},
		calls: map[Key]trajectory.SubCallEnded{}, starts: map[Key]callStart{}, outcomes: map[cellAt]*Outcome{},
		progress: map[cellAt]*progress{}, interrupted: underWay(past),
		numbers: newChildNumbers(), retries: rate.Sometimes{Interval: time.Second},
	}
	unpaid := unpaidCalls(past)
	for _, ev := range past {
		j.take(ev, unpaid)
	}
	return j
}

// take takes in a recorded event. What is not a step is no part of the run: a person's own cell, a remark.
func (j *Journal) take(ev trajectory.Event, unpaid unansweredCalls) {
	switch d := ev.Data.(type) {
	case trajectory.SubCallStarted:
		j.starts[d.Key(ev.Path)] = startOf(d)
		j.numbers.taken(d)
		j.at(ev.Path, d.Cell).learn(d.Given)
		return
	case trajectory.SubCallEnded:
		if k := d.Key(ev.Path); !unpaid.calls[k] {
			if _, twice := j.calls[k]; !twice {
				p := j.at(ev.Path, d.Cell)
				p.replies = append(p.replies, k)
			}
			j.calls[k] = d
			j.count(k, d)
		}
		return
	case trajectory.RunEnded:
		if Resumable(d) && (ev.Path == "" || unpaid.children[ev.Path]) {
			return
		}
	case trajectory.ContextAdded:
		if ev.Path == "" {
			return // that of the root belongs to the session
		}
	case trajectory.CellStarted, trajectory.CellEnded:
		if ev.Turn == 0 {
			return
		}
	case trajectory.RunStarted, trajectory.Checked, trajectory.TurnStarted, trajectory.MessageAdded, trajectory.ReplyReceived,
		trajectory.TurnFailed, trajectory.LimitReached, trajectory.Compacted, trajectory.Nudged, trajectory.SignalIgnored:
	default:
		return
	}
	j.past[ev.Path] = append(j.past[ev.Path], ev)
}

// Cells are the recorded cells of the run at a path, to run them again.
func (j *Journal) Cells(path string) []sandbox.CellRecord { return j.cells[path] }

// Marks are those that cells of the run at a path are recorded to have given.
func (j *Journal) Marks(path string) []trajectory.Mark { return j.marks[path] }

// Append writes an event and returns when it is durable. After a write has failed, every later call returns that error.
func (j *Journal) Append(path string, turn int, d trajectory.Data) error {
	ev, err := j.log.Append(path, turn, d)
	j.mu.Lock()
	defer j.mu.Unlock()
	j.last = max(j.last, ev.Seq)
	return j.note(err)
}

// Post writes an event without waiting for the disk: one that costs nothing to have again. It is durable before any event
// that is appended after it.
func (j *Journal) Post(path string, turn int, d trajectory.Data) error {
	_, err := j.log.Post(path, turn, d)
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.note(err)
}

// Announced returns when a call that was announced may be sent; see trajectory.Log.Announced.
func (j *Journal) Announced() error {
	err := j.log.Announced()
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.note(err)
}

// Settle returns when all events so far are durable, so that nothing holds their texts in memory.
func (j *Journal) Settle() error {
	_, err := j.log.Settle()
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.note(err)
}

// Show hands a transient event to those who watch.
func (j *Journal) Show(path string, turn int, d trajectory.Data) {
	_, _ = j.log.Append(path, turn, d)
}

// Retried tells those who watch that a call is tried again. The sub-calls of a batch mostly fail together, so one of them
// a second speaks for all.
func (j *Journal) Retried(path string, turn int, d trajectory.CallRetried) {
	if path == "" && d.Cell == 0 {
		j.Show(path, turn, d)
		return
	}
	j.retries.Do(func() { j.Show(path, turn, d) })
}

// Failed returns the error that made the log unusable.
func (j *Journal) Failed() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.err
}

// LastSeq is the number of the last event that was appended here.
func (j *Journal) LastSeq() int64 {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.last
}

// note keeps the first failure. The caller holds mu.
func (j *Journal) note(err error) error {
	if err != nil && j.err == nil {
		j.err = fmt.Errorf("writing the log of the run: %w", err)
	}
	return j.err
}
