package runner

import (
	"encoding/json"
	"iter"
	"time"

	"github.com/gorlm/rlm/repl"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/termination"
	"github.com/gorlm/rlm/termination/answer"
)

// Result is what a run came to, added up from its events.
type Result struct {
	RunID        string                      `json:"run_id"`
	Question     string                      `json:"question"`
	Answer       string                      `json:"answer"`
	HasAnswer    bool                        `json:"has_answer"`
	AnswerFrom   string                      `json:"answer_from,omitempty"`
	Status       termination.Status          `json:"status"`
	FinishStatus answer.FinishStatus         `json:"finish_status,omitempty"`
	EndedBy      termination.Fired           `json:"ended_by"`
	Name         string                      `json:"name,omitempty"` // which signal, guard, sequence or limit
	Reason       string                      `json:"reason,omitempty"`
	ErrorKind    string                      `json:"error_kind,omitempty"`
	NeedsReview  bool                        `json:"requires_review,omitempty"`
	Turns        int                         `json:"turns"`
	Cells        []CellResult                `json:"cells"`
	SubCalls     int                         `json:"sub_calls"`
	Usage        map[string]trajectory.Usage `json:"usage"`
	Cost         *float64                    `json:"cost"` // nil: not known
	Unpriced     []string                    `json:"unpriced_models,omitempty"`
	Duration     time.Duration               `json:"duration"`
	ModelTime    time.Duration               `json:"model_time"`
	CellTime     time.Duration               `json:"cell_time"`
	Sandbox      string                      `json:"sandbox"`
	Trajectory   string                      `json:"trajectory"` // path of the log
	Warnings     []string                    `json:"warnings,omitempty"`
	Metadata     json.RawMessage             `json:"metadata,omitempty"`
	Ended        bool                        `json:"-"` // RunEnded was seen
}

// CellResult is what one cell of the root did.
type CellResult struct {
	repl.Result
	OK        bool   `json:"ok"`
	Output    string `json:"output,omitempty"`
	Truncated int64  `json:"truncated_bytes,omitempty"`
}

// Add follows one event of the run. Events of child runs count only in what RunEnded adds up.
func (r *Result) Add(ev trajectory.Event) {
	if ev.Path != "" {
		return
	}
	switch d := ev.Data.(type) {
	case trajectory.RunStarted:
		*r = Result{RunID: d.Run, Question: d.Question, Sandbox: d.Sandbox, Trajectory: r.Trajectory, Warnings: r.Warnings, Cells: []CellResult{}}
	case trajectory.CellEnded:
		c := CellResult{OK: d.OK, Output: d.Output, Truncated: d.Truncated}
		if json.Unmarshal(d.Result, &c.Result) == nil {
			r.Cells = append(r.Cells, c)
		}
	case trajectory.Warned:
		r.Warnings = append(r.Warnings, d.Text)
	case trajectory.TurnStarted:
		r.Turns = ev.Turn
	case trajectory.RunEnded:
		r.end(d)
	}
}

func (r *Result) end(d trajectory.RunEnded) {
	r.Ended = true
	r.Answer, r.HasAnswer, r.AnswerFrom = d.Answer, d.HasAnswer, d.AnswerFrom
	r.Status, r.FinishStatus = termination.Status(d.Status), answer.FinishStatus(d.FinishStatus)
	r.EndedBy, r.Name, r.Reason, r.ErrorKind = termination.Fired(d.EndedBy), d.Name, d.Reason, d.ErrorKind
	r.NeedsReview, r.Turns, r.SubCalls = d.RequiresReview, d.Turns, d.SubCalls
	r.Usage, r.Cost, r.Unpriced = d.Usage, d.Cost, d.UnpricedModels
	r.Duration, r.ModelTime, r.CellTime, r.Metadata = d.Duration, d.ModelTime, d.CellTime, d.Metadata
}

// ExitCode is what a command that ran this should exit with; `rlm help run` lists the codes.
func (r Result) ExitCode() int {
	return termination.ExitCode(termination.End{Status: r.Status, Fired: r.EndedBy, HasAnswer: r.HasAnswer})
}

// Collect ranges over the events of a run and adds them up.
func Collect(events iter.Seq2[trajectory.Event, error]) (Result, error) {
	var r Result
	for ev, err := range events {
		if err != nil {
			return r, err
		}
		r.Add(ev)
	}
	return r, nil
}
