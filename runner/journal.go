package runner

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/gorlm/rlm/repl/builtins"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/sandbox"
	"github.com/gorlm/rlm/termination"
	"golang.org/x/time/rate"
)

// journal is the log as a run uses it. Each step of a run is taken through it: a step that the log already holds is
// answered from there, any other is done and appended. So a run that is taken up again is the same code as one that
// begins: it hurries through what was recorded, paying for nothing, and goes on where the log ends.
type journal struct {
	log *trajectory.Log

	mu       sync.Mutex
	past     map[string][]trajectory.Event // by path: steps that are recorded and not yet taken again
	calls    map[callKey]trajectory.SubCallEnded
	starts   map[callKey]trajectory.SubCallStarted
	cells    map[string][]sandbox.CellRecord // by path: cells that ran, to run again
	children map[string]int                  // by path and cell: the highest number of a child run
	blocks   map[string]int                  // by path, cell and batch: the number before the batch's first child
	err      error                           // the log cannot be written
	last     int64                           // Seq of the last event

	retries rate.Sometimes // how often those who watch are told of retries below the run itself
}

// callKey identifies a sub-call whatever the order in which concurrent ones arrive.
type callKey struct {
	path string
	cell int
	hash string
	n    int
}

func newJournal(log *trajectory.Log) *journal {
	return &journal{
		log: log, past: map[string][]trajectory.Event{},
		calls: map[callKey]trajectory.SubCallEnded{}, starts: map[callKey]trajectory.SubCallStarted{},
		children: map[string]int{}, blocks: map[string]int{}, retries: rate.Sometimes{Interval: time.Second},
	}
}

// recall takes in the recorded events of a run that goes on.
func (j *journal) recall(events []trajectory.Event) {
	j.cells = cellRecords(events)
	for _, ev := range events {
		switch d := ev.Data.(type) {
		case trajectory.SubCallStarted:
			j.starts[callKey{ev.Path, d.Cell, d.Hash, d.N}] = d
			if d.Child != "" {
				j.countChild(d)
			}
		case trajectory.SubCallEnded:
			j.calls[callKey{ev.Path, d.Cell, d.Hash, d.N}] = d
		case trajectory.RunEnded:
			if !resumable(d) || ev.Path != "" {
				j.past[ev.Path] = append(j.past[ev.Path], ev)
			}
		case trajectory.ContextAdded:
			if ev.Path != "" { // that of the root belongs to the session
				j.past[ev.Path] = append(j.past[ev.Path], ev)
			}
		case trajectory.CellStarted, trajectory.CellEnded:
			if ev.Turn > 0 { // not a person's own cell
				j.past[ev.Path] = append(j.past[ev.Path], ev)
			}
		case trajectory.RunStarted, trajectory.TurnStarted, trajectory.MessageAdded, trajectory.ReplyReceived,
			trajectory.LimitReached, trajectory.Compacted, trajectory.Nudged, trajectory.SignalIgnored:
			j.past[ev.Path] = append(j.past[ev.Path], ev)
		}
	}
}

// resumable reports whether a run that ended so can go on: it was interrupted, or failed for a reason outside of the conversation.
func resumable(d trajectory.RunEnded) bool {
	return d.EndedBy == string(termination.ByInterrupt) || d.EndedBy == string(termination.ByError) || d.EndedBy == string(termination.ByEndpoint)
}

// append writes an event and returns when it is durable. Once the log cannot be written nothing else happens.
func (j *journal) append(path string, turn int, d trajectory.Data) error {
	ev, err := j.log.Append(path, turn, d)
	j.mu.Lock()
	defer j.mu.Unlock()
	j.last = max(j.last, ev.Seq)
	return j.note(err)
}

// post writes an event without waiting for the disk: one that costs nothing to have again. It is durable before any event appended after it.
func (j *journal) post(path string, turn int, d trajectory.Data) error {
	_, err := j.log.Post(path, turn, d)
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.note(err)
}

// note keeps the first failure. The caller holds mu.
func (j *journal) note(err error) error {
	if err != nil && j.err == nil {
		j.err = fmt.Errorf("writing the log of the run: %w", err)
	}
	return j.err
}

// show hands a transient event to those who watch.
func (j *journal) show(path string, turn int, d trajectory.Data) {
	_, _ = j.log.Append(path, turn, d)
}

// retried tells those who watch that a call is tried again. The sub-calls of a batch mostly fail together, so that one of them a second
// speaks for all.
func (j *journal) retried(path string, turn int, d trajectory.CallRetried) {
	if path == "" && d.Cell == 0 {
		j.show(path, turn, d)
		return
	}
	j.retries.Do(func() { j.show(path, turn, d) })
}

// failed returns the error that made the log unusable.
func (j *journal) failed() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.err
}

// replaying reports whether recorded steps of a path are left.
func (j *journal) replaying(path string) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return len(j.past[path]) > 0
}

// taken returns the next recorded step of a path if it is a D, and moves on. A recorded step of another kind stays.
func taken[D trajectory.Data](j *journal, path string) (d D, at time.Time, ok bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	events := j.past[path]
	if len(events) == 0 {
		return d, at, false
	}
	if d, ok = events[0].Data.(D); ok {
		j.past[path] = events[1:]
		at = events[0].Time
	}
	return d, at, ok
}

// mismatch is the error of a log whose next step is not what the run does.
func (j *journal) mismatch(path, want string) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	ev := j.past[path][0]
	return fmt.Errorf("this run cannot be taken up: event %d of its log is %s where %s was expected; it was written by another version of the program or with another configuration",
		ev.Seq, ev.Data.EventType(), want)
}

// step answers with the next recorded step of the path, or does it and appends the result.
func step[D trajectory.Data](j *journal, path string, turn int, do func() (D, error)) (d D, replayed bool, err error) {
	if d, _, ok := taken[D](j, path); ok {
		return d, true, nil
	}
	if j.replaying(path) {
		return d, false, j.mismatch(path, d.EventType())
	}
	if d, err = do(); err != nil {
		return d, false, err
	}
	if paid(d) {
		return d, false, j.append(path, turn, d)
	}
	return d, false, j.post(path, turn, d)
}

// paid reports whether a step must be on disk before the run goes on: a reply was paid for, and an end is told to the world.
func paid(d trajectory.Data) bool {
	switch d.(type) {
	case trajectory.ReplyReceived, trajectory.RunEnded:
		return true
	}
	return false
}

// note takes a step whose content is known beforehand.
func note[D trajectory.Data](j *journal, path string, turn int, d D) (D, error) {
	d, _, err := step(j, path, turn, func() (D, error) { return d, nil })
	return d, err
}

// answered returns the recorded reply to a sub-call.
func (j *journal) answered(k callKey) (trajectory.SubCallEnded, bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	d, ok := j.calls[k]
	return d, ok
}

// child returns the path of the child run of a sub-call: the recorded one, or the next free one below the cell. Children of one
// batch are numbered in the order of their prompts, whichever comes first.
func (j *journal) child(k callKey, run int, b builtins.Batch) string {
	j.mu.Lock()
	defer j.mu.Unlock()
	if s, ok := j.starts[k]; ok && s.Child != "" {
		return s.Child
	}
	at := cellPath(k.path, run, k.cell)
	if b.Size == 0 {
		j.children[at]++
		return fmt.Sprintf("%s/%d", at, j.children[at])
	}
	block := fmt.Sprintf("%s %d", at, b.ID)
	if _, ok := j.blocks[block]; !ok {
		j.blocks[block] = j.children[at]
		j.children[at] += b.Size
	}
	return fmt.Sprintf("%s/%d", at, j.blocks[block]+b.Index+1)
}

func (j *journal) begun(k callKey) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	_, ok := j.starts[k]
	return ok
}

// cellPath places a cell in the tree: "1.3" is cell 3 of run 1, "1.3/2.1" is cell 1 of its second child run.
func cellPath(path string, run, cell int) string {
	if path == "" {
		return fmt.Sprintf("%d.%d", run, cell)
	}
	return fmt.Sprintf("%s.%d", path, cell)
}

// countChild remembers which numbers of child runs are taken.
func (j *journal) countChild(d trajectory.SubCallStarted) {
	i := strings.LastIndexByte(d.Child, '/')
	n, err := strconv.Atoi(d.Child[i+1:])
	if i < 0 || err != nil {
		return
	}
	at := d.Child[:i]
	if d.Size > 0 {
		j.blocks[fmt.Sprintf("%s %d", at, d.Batch)] = n - 1 - d.Index
		n += d.Size - 1 - d.Index
	}
	j.children[at] = max(j.children[at], n)
}

func (j *journal) lastSeq() int64 {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.last
}

// recordedStop returns the reason with which an outside condition ended the recorded run after this turn.
func (j *journal) recordedStop(path string) string {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, ev := range j.past[path] {
		switch d := ev.Data.(type) {
		case trajectory.TurnStarted:
			return ""
		case trajectory.RunEnded:
			if d.EndedBy == string(termination.ByStop) {
				return d.Reason
			}
		}
	}
	return ""
}

// summaryNext reports whether the next recorded step asks for a summary.
func (j *journal) summaryNext(path string) bool {
	d, ok := j.next(path).(trajectory.TurnStarted)
	return ok && d.Kind == turnSummary
}

// next is the next recorded step of a path, nil if there is none.
func (j *journal) next(path string) trajectory.Data {
	j.mu.Lock()
	defer j.mu.Unlock()
	if len(j.past[path]) == 0 {
		return nil
	}
	return j.past[path][0].Data
}
