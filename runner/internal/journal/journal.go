// Package journal is the log from the point of view of a run. Each step of a run goes through a [Journal]: a
// recorded step is answered from the log, any other is done and appended. So resuming runs the same code as
// beginning: it replays what was recorded, at no cost, and continues where the log ends.
package journal

import (
	"fmt"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/sandbox"
)

// Journal provides the steps of one question and of all child runs below it. It is safe for concurrent use.
type Journal struct {
	log   *trajectory.Log
	cells map[string][]sandbox.CellRecord // by path: cells that have run, to run again
	marks map[string][]trajectory.Mark    // by path

	mu       sync.Mutex
	past     map[string][]trajectory.Event // by path: recorded steps not yet taken
	calls    map[Key]trajectory.SubCallEnded
	starts   map[Key]callStart
	outcomes map[cellAt]*Outcome
	progress map[cellAt]*progress
	numbers  childNumbers
	// interrupted are calls that were in flight when their process ended.
	interrupted map[Key]bool
	err         error // set when the log cannot be written
	last        int64 // Seq of the last event

	replies sync.Mutex // held while a reply is written to the log

	retries rate.Sometimes // limits how often watchers see retries below the root run
}

// New makes a journal that appends to a log. past holds the recorded events of the run, if it resumes.
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

// take adds a recorded event. Events that are not steps, such as a person's cell or a warning, are ignored.
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
			return // contexts of the root belong to the session
		}
	case trajectory.CellStarted, trajectory.CellEnded:
		if ev.Turn == 0 {
			return
		}
	case trajectory.RunStarted, trajectory.Checked, trajectory.TurnStarted, trajectory.MessageAdded,
		trajectory.ReplyReceived,
		trajectory.TurnFailed, trajectory.LimitReached, trajectory.Compacted, trajectory.Nudged,
		trajectory.SignalIgnored:
	default:
		return
	}
	j.past[ev.Path] = append(j.past[ev.Path], ev)
}

// Cells returns the recorded cells of the run at a path, for running them again.
func (j *Journal) Cells(path string) []sandbox.CellRecord { return j.cells[path] }

// Marks returns the recorded marks of the cells of the run at a path.
func (j *Journal) Marks(path string) []trajectory.Mark { return j.marks[path] }

// Append writes an event and returns when it is durable. After a failed write, every later call returns its error.
func (j *Journal) Append(path string, turn int, d trajectory.Data) error {
	ev, err := j.log.Append(path, turn, d)
	j.mu.Lock()
	defer j.mu.Unlock()
	j.last = max(j.last, ev.Seq)
	return j.note(err)
}

// Post writes an event without waiting for the disk. It is for events that cost nothing to repeat. The event is
// durable before any event appended after it.
func (j *Journal) Post(path string, turn int, d trajectory.Data) error {
	_, err := j.log.Post(path, turn, d)
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.note(err)
}

// Announced returns when an announced call may be sent; see trajectory.Log.Announced.
func (j *Journal) Announced() error {
	err := j.log.Announced()
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.note(err)
}

// Settle returns when all events so far are durable, so that their texts need not stay in memory.
func (j *Journal) Settle() error {
	_, err := j.log.Settle()
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.note(err)
}

// Show passes a transient event to subscribers.
func (j *Journal) Show(path string, turn int, d trajectory.Data) {
	_, _ = j.log.Append(path, turn, d)
}

// Retried notifies subscribers of a retry. The sub-calls of a batch usually fail together, so only one retry of
// sub-calls and child runs is reported each second.
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

// LastSeq is the number of the last event appended here.
func (j *Journal) LastSeq() int64 {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.last
}

// note keeps the first error. The caller holds mu.
func (j *Journal) note(err error) error {
	if err != nil && j.err == nil {
		j.err = fmt.Errorf("writing the log of the run: %w", err)
	}
	return j.err
}
