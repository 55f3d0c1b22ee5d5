package trajectory

import "time"

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
	// Question is the first question of a session, Questions how many there are, without those that were
	// taken back.
	Question  string    `json:"question"`
	Questions int       `json:"questions"`
	Model     string    `json:"model"`
	Started   time.Time `json:"started"`
	Last      time.Time `json:"last"`   // time of the last event
	Status    string    `json:"status"` // of the last question
	// Cost is the sum over the session's questions; nil when it is not known. Of a question that has not
	// ended it is what its calls have cost so far.
	Cost     *float64 `json:"cost"`
	Turns    int      `json:"turns"`
	Cells    int      `json:"cells"` // of the session itself, a person's own ones too
	SubCalls int      `json:"sub_calls"`
	Events   int64    `json:"events"`
	// Problem says why the log cannot be read; empty otherwise.
	Problem string `json:"problem,omitempty"`
}

// summaryTracker makes a Summary of events, one by one.
type summaryTracker struct {
	sum    Summary
	first  question   // that was ever asked
	asked  []question // that were not taken back
	before totals     // of questions before the last, and of those taken back
	ended  totals     // of the last question, when it ended
	open   totals     // of the last question, counted from its calls
}

// question is one question of a session.
type question struct {
	text, model, status string
	ended               bool
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

// summarized are the types of events that a summary is made of; of others it takes only the time.
func summarized(typ string) bool {
	switch typ {
	case "run_started", "renamed", "cell_started", "run_ended", "reviewed", "undone", "turn_started", "reply_received", "sub_call_ended":
		return true
	}
	return false
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
	case Undone:
		s.settle()
		s.asked = s.asked[:d.first(len(s.asked))]
	case Renamed:
		s.sum.Name = d.Name
	case CellStarted:
		if e.Path == "" {
			s.sum.Cells++
		}
	case RunEnded:
		if e.Path == "" {
			s.setEnded(true, d.Status)
			s.ended = totals{turns: d.Turns, subCalls: d.SubCalls}
			s.ended.pay(d.Cost)
		}
	case Reviewed:
		if n := len(s.asked); d.Approved && n > 0 && s.asked[n-1].ended {
			s.asked[n-1].status = StatusApproved
		}
	case TurnStarted:
		s.setEnded(false, "") // a run that ended is being resumed
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
	s.settle()
	s.asked = append(s.asked, question{text: d.Question, model: d.Model})
	if s.first == (question{}) {
		s.first = s.asked[0]
	}
	switch {
	case d.Interactive:
		s.sum.Kind = KindSession
	case s.sum.Kind == "":
		s.sum.Kind = KindRun
	}
}

func (s *summaryTracker) setEnded(ended bool, status string) {
	if n := len(s.asked); n > 0 {
		s.asked[n-1].ended, s.asked[n-1].status = ended, status
	}
}

// settle closes the totals of the last question.
func (s *summaryTracker) settle() {
	s.before.add(s.current())
	s.ended, s.open = totals{}, totals{}
}

func (s *summaryTracker) current() totals {
	if n := len(s.asked); n > 0 && s.asked[n-1].ended {
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
	first := s.first
	if sum.Questions = len(s.asked); sum.Questions > 0 {
		first = s.asked[0]
		sum.Status = s.asked[sum.Questions-1].status
	}
	sum.Question, sum.Model = first.text, first.model
	if sum.Kind == "" { // nothing was asked yet
		sum.Kind = KindSession
	}
	return sum
}
