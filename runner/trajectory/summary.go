package trajectory

import (
	"strings"
	"time"

	"github.com/gorlm/rlm/internal/kit/text"
)

// The statuses that a run can have besides the final statuses of its last question.
const (
	StatusRunning     = "running"     // a process owns the log
	StatusInterrupted = "interrupted" // no process owns the log: the run can be resumed
	StatusOpen        = "open"        // a process owns a session that has no question
	StatusClosed      = "closed"      // no process owns a session that has no question
	StatusApproved    = "approved"    // a person accepted the work of a task
	StatusUnreadable  = "unreadable"  // see Problem
)

// Kind is the kind of a log.
type Kind string

// The kinds of logs.
const (
	KindRun     Kind = "run"     // one question
	KindSession Kind = "session" // a notebook that a person shares with a model
	KindJob     Kind = "job"     // one question of a batch
)

// Summary describes a run in a list of runs.
type Summary struct {
	ID   string `json:"-"`
	Dir  string `json:"-"`
	Kind Kind   `json:"kind"`
	Name string `json:"name,omitempty"` // given by a person
	// Batch is the batch of a job.
	Batch string `json:"batch,omitempty"`
	// Question is the first question of a session, Questions their number, without those that were taken back.
	Question  string    `json:"question"`
	Questions int       `json:"questions"`
	Model     string    `json:"model"`
	Started   time.Time `json:"started"`
	Last      time.Time `json:"last"`   // time of the last event
	Status    string    `json:"status"` // of the last question; open or closed if there is none
	// Answer is the first line of the last answer, shortened if long.
	Answer string `json:"answer,omitempty"`
	// Duration is the total time of the questions that ended, without pauses.
	Duration time.Duration `json:"duration,omitempty"`
	// Cost is the sum over the session's questions; nil if not known. For a question that has not ended it is the
	// cost of its calls so far.
	Cost     *float64 `json:"cost"`
	Turns    int      `json:"turns"`
	Cells    int      `json:"cells"` // cells of the root run, including a person's
	SubCalls int      `json:"sub_calls"`
	Events   int64    `json:"events"`
	// Problem is the reason why the log cannot be read; empty otherwise.
	Problem string `json:"problem,omitempty"`
}

// summaryTracker builds a Summary from events, one by one. It is stored with the summary of a log that may grow.
type summaryTracker struct {
	Sum    Summary
	First  question   // the first question, even if taken back
	Asked  []question // questions that were not taken back
	Before totals     // of all questions before the last, even if taken back
	Ended  totals     // of the last question, according to its end
	Open   totals     // of the last question, according to its calls so far
}

// question is one question of a session.
type question struct {
	Text, Model, Status, Answer string
	Ended                       bool
}

// totals are sums over a question.
type totals struct {
	Cost     float64
	Unknown  bool
	Turns    int
	SubCalls int
	Duration time.Duration
}

func (t *totals) add(o totals) {
	t.Duration += o.Duration
	t.Cost += o.Cost
	t.Unknown = t.Unknown || o.Unknown
	t.Turns += o.Turns
	t.SubCalls += o.SubCalls
}

func (t *totals) pay(cost *float64) {
	if cost == nil {
		t.Unknown = true
		return
	}
	t.Cost += *cost
}

// summarized reports whether the summary uses an event type; of other events only the time counts.
func summarized(typ string) bool {
	switch typ {
	case "run_started", "renamed", "cell_started", "run_ended", "reviewed", "undone", "turn_started", "reply_received",
		"call_lost", "sub_call_ended":
		return true
	}
	return false
}

// add adds the next event.
func (s *summaryTracker) add(e Event) {
	s.Sum.Events, s.Sum.Last = e.Seq, e.Time
	if s.Sum.Started.IsZero() {
		s.Sum.Started = e.Time
	}
	switch d := e.Data.(type) {
	case RunStarted:
		if e.Path == "" {
			s.start(d)
		}
	case Undone:
		s.settle()
		s.Asked = s.Asked[:d.first(len(s.Asked))]
	case Renamed:
		s.Sum.Name = d.Name
	case CellStarted:
		if e.Path == "" {
			s.Sum.Cells++
		}
	case RunEnded:
		if e.Path == "" {
			s.setEnded(true, d.Status)
			if n := len(s.Asked); n > 0 {
				s.Asked[n-1].Answer = strings.ToValidUTF8(text.Short(text.FirstLine(d.Answer), mostAnswer), "\uFFFD")
			}
			s.Ended = totals{Turns: d.Turns, SubCalls: d.SubCalls, Duration: d.Duration}
			s.Ended.pay(d.Cost)
		}
	case Reviewed:
		if n := len(s.Asked); d.Approved && n > 0 && s.Asked[n-1].Ended {
			s.Asked[n-1].Status = StatusApproved
		}
	case TurnStarted:
		s.setEnded(false, "") // a run that had ended is resumed
		if e.Path == "" {
			s.Open.Turns = max(s.Open.Turns, e.Turn)
		}
	case SubCallEnded:
		s.Open.SubCalls++
	}
	if u, ok := e.Usage(); ok {
		s.Open.pay(u.Cost)
	}
}

func (s *summaryTracker) start(d RunStarted) {
	s.settle()
	asked := question{Text: d.Question, Model: d.Model}
	if s.First == (question{}) {
		s.First = asked
	}
	if len(s.Asked) > 0 {
		asked = question{} // only the first question is shown
	}
	s.Asked = append(s.Asked, asked)
	switch {
	case d.Interactive:
		s.Sum.Kind = KindSession
	case s.Sum.Kind == "" && d.Batch != "":
		s.Sum.Kind, s.Sum.Batch = KindJob, d.Batch
	case s.Sum.Kind == "":
		s.Sum.Kind = KindRun
	}
}

func (s *summaryTracker) setEnded(ended bool, status string) {
	if n := len(s.Asked); n > 0 {
		s.Asked[n-1].Ended, s.Asked[n-1].Status = ended, status
	}
}

// settle closes the totals of the last question.
func (s *summaryTracker) settle() {
	s.Before.add(s.current())
	s.Ended, s.Open = totals{}, totals{}
}

func (s *summaryTracker) current() totals {
	if n := len(s.Asked); n > 0 && s.Asked[n-1].Ended {
		return s.Ended
	}
	return s.Open
}

// summary returns the result. The status is empty if the last question did not end.
func (s *summaryTracker) summary() Summary {
	sum := s.Sum
	all := s.Before
	all.add(s.current())
	sum.Turns, sum.SubCalls, sum.Duration = all.Turns, all.SubCalls, all.Duration
	if !all.Unknown {
		sum.Cost = &all.Cost
	}
	first := s.First
	if sum.Questions = len(s.Asked); sum.Questions > 0 {
		first = s.Asked[0]
		sum.Status, sum.Answer = s.Asked[sum.Questions-1].Status, s.Asked[sum.Questions-1].Answer
	}
	sum.Question, sum.Model = first.Text, first.Model
	if sum.Kind == "" { // no question yet
		sum.Kind = KindSession
	}
	return sum
}

// mostAnswer bounds the answer in a list, in bytes.
const mostAnswer = 200
