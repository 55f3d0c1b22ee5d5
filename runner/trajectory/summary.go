package trajectory

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// summaryFile holds a Summary beside the log, so that listing runs need not read logs. It counts only while it
// describes all of the log.
const summaryFile = "summary.json"

// Statuses of a run besides those that its last question ended with.
const (
	StatusRunning     = "running"     // a process owns the log
	StatusInterrupted = "interrupted" // nobody does: it can be resumed
	StatusClosed      = "closed"      // a session in which nothing was asked
	StatusApproved    = "approved"    // a person accepted the work of a task
	StatusUnreadable  = "unreadable"  // see Problem
)

// Kind says what a log holds.
type Kind string

// The kinds of logs.
const (
	KindRun     Kind = "run"     // one question
	KindSession Kind = "session" // a notebook that a person shares with a model
)

// Summary is what a list of runs shows of one.
type Summary struct {
	ID   string `json:"-"`
	Dir  string `json:"-"`
	Kind Kind   `json:"kind"`
	Name string `json:"name,omitempty"` // that a person gave it
	// Question is the first question of a session, Questions how many there were.
	Question  string    `json:"question"`
	Questions int       `json:"questions"`
	Model     string    `json:"model"`
	Started   time.Time `json:"started"`
	Last      time.Time `json:"last"`   // time of the last event
	Status    string    `json:"status"` // of the last question
	// Cost is the sum over the session's questions; nil when it is not known. Of a question that has not ended it is what
	// its calls have cost so far.
	Cost     *float64 `json:"cost"`
	Turns    int      `json:"turns"`
	Cells    int      `json:"cells"` // of the session itself, a person's own ones too
	SubCalls int      `json:"sub_calls"`
	Events   int64    `json:"events"`
	// Problem says why the log cannot be read; empty otherwise.
	Problem string `json:"problem,omitempty"`
}

// storedSummary is a Summary with the size of the log that it was made from.
type storedSummary struct {
	Size int64 `json:"size"`
	Summary
}

// summaryTracker makes a Summary of events, one by one.
type summaryTracker struct {
	sum    Summary
	before totals // of questions that ended
	ended  totals // of the last question, when it ended
	open   totals // of the last question, counted from its calls
	// hasEnded says that the last question ended.
	hasEnded bool
}

// totals add up over a question.
type totals struct {
	cost     float64
	unknown  bool
	turns    int
	subCalls int
}

func (t *totals) add(o totals) {
	t.cost += o.cost
	t.unknown = t.unknown || o.unknown
	t.turns += o.turns
	t.subCalls += o.subCalls
}

func (t *totals) pay(cost *float64) {
	if cost == nil {
		t.unknown = true
		return
	}
	t.cost += *cost
}

// add takes the next event.
func (s *summaryTracker) add(e Event) {
	s.sum.Events, s.sum.Last = e.Seq, e.Time
	if s.sum.Started.IsZero() {
		s.sum.Started = e.Time
	}
	switch d := e.Data.(type) {
	case RunStarted:
		if e.Path == "" {
			s.start(d)
		}
	case Renamed:
		s.sum.Name = d.Name
	case CellStarted:
		if e.Path == "" {
			s.sum.Cells++
		}
	case RunEnded:
		if e.Path == "" {
			s.hasEnded = true
			s.sum.Status = d.Status
			s.ended = totals{turns: d.Turns, subCalls: d.SubCalls}
			s.ended.pay(d.Cost)
		}
	case Reviewed:
		if d.Approved && s.sum.Status != "" {
			s.sum.Status = StatusApproved
		}
	case TurnStarted:
		s.hasEnded = false // a run that ended is being resumed
		if e.Path == "" {
			s.open.turns = max(s.open.turns, e.Turn)
		}
	case ReplyReceived:
		s.open.pay(d.Usage.Cost)
	case SubCallEnded:
		s.open.subCalls++
		// Usage is set only for calls of a model; what a child run used stands in its own events.
		if d.Usage != (Usage{}) {
			s.open.pay(d.Usage.Cost)
		}
	}
}

func (s *summaryTracker) start(d RunStarted) {
	if s.sum.Questions == 0 {
		s.sum.Question, s.sum.Model = d.Question, d.Model
	}
	s.before.add(s.current())
	s.sum.Questions++
	switch {
	case d.Interactive:
		s.sum.Kind = KindSession
	case s.sum.Kind == "":
		s.sum.Kind = KindRun
	}
	s.sum.Status, s.hasEnded = "", false
	s.ended, s.open = totals{}, totals{}
}

func (s *summaryTracker) current() totals {
	if s.hasEnded {
		return s.ended
	}
	return s.open
}

// summary is the result. The status is empty when the last question did not end.
func (s *summaryTracker) summary() Summary {
	sum := s.sum
	all := s.before
	all.add(s.current())
	sum.Turns, sum.SubCalls = all.turns, all.subCalls
	if !all.unknown {
		sum.Cost = &all.cost
	}
	if !s.hasEnded {
		sum.Status = ""
	}
	if sum.Kind == "" { // nothing was asked yet
		sum.Kind = KindSession
	}
	return sum
}

// writeSummary leaves the summary beside the log.
func (l *Log) writeSummary() error {
	b, err := json.Marshal(storedSummary{Size: l.durable.at, Summary: l.summary.summary()})
	if err == nil {
		err = replaceFile(filepath.Join(l.dir, summaryFile), b)
	}
	if err != nil {
		return fmt.Errorf("write the run's summary: %w", err)
	}
	return nil
}

// List returns the runs below the folder for runs, newest first. One that cannot be read is listed with its Problem.
func List(runs string) ([]Summary, error) {
	ids, err := listIDs(runs)
	if err != nil {
		return nil, err
	}
	out := make([]Summary, 0, len(ids))
	for _, id := range ids {
		dir := filepath.Join(runs, id)
		s, err := Summarize(dir)
		if err != nil {
			s = Summary{ID: id, Dir: dir, Status: StatusUnreadable, Problem: err.Error()}
		}
		out = append(out, s)
	}
	return out, nil
}

// Summarize returns the summary of the run in dir: from its summary file if that is current, else from its log.
func Summarize(dir string) (Summary, error) {
	s, err := summaryOf(dir)
	if err != nil {
		return Summary{}, err
	}
	s.Dir, s.ID = dir, filepath.Base(dir)
	if s.Status == "" {
		s.Status = StatusInterrupted
		if s.Questions == 0 {
			s.Status = StatusClosed
		}
		if _, owned := OwnerOf(dir); owned {
			s.Status = StatusRunning
		}
	}
	return s, nil
}

func summaryOf(dir string) (Summary, error) {
	info, err := os.Stat(filepath.Join(dir, logFile))
	if err != nil {
		return Summary{}, fmt.Errorf("read the run's log: %w", err)
	}
	var stored storedSummary // without a kind it is of an earlier version
	b, err := os.ReadFile(filepath.Join(dir, summaryFile))
	if err == nil && json.Unmarshal(b, &stored) == nil && stored.Size == info.Size() && stored.Kind != "" {
		return stored.Summary, nil
	}
	var t summaryTracker
	for e, err := range Skim(dir) {
		if err != nil {
			return Summary{}, err
		}
		t.add(e)
	}
	return t.summary(), nil
}
