package runner

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"maps"
	"time"

	"github.com/gorlm/rlm/internal/answer"
	"github.com/gorlm/rlm/runner/internal/budget"
	"github.com/gorlm/rlm/runner/internal/journal"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/termination"
)

// Result is the outcome of a run, added up from its events.
type Result struct {
	RunID     string `json:"run_id"`
	Question  string `json:"question"`
	Answer    string `json:"answer"`
	HasAnswer bool   `json:"has_answer"`
	// Answer was given before the model saw any of the text, and no cell computed it
	Guess bool `json:"guess,omitempty"`
	// replies of sub-calls, and the last one of the model, that were cut, filtered, refused or otherwise incomplete
	CutReplies int `json:"cut_replies,omitempty"`
	// the last words of the model, if there is no answer
	Reply string `json:"reply,omitempty"`
	// Answer is JSON that follows the run's schema
	Typed        bool                        `json:"typed,omitempty"`
	AnswerFrom   string                      `json:"answer_from,omitempty"`
	Status       termination.Status          `json:"status"`
	FinishStatus answer.FinishStatus         `json:"finish_status,omitempty"`
	EndedBy      termination.Trigger         `json:"ended_by"`
	Name         string                      `json:"name,omitempty"` // of the signal, guard, sequence or limit
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
	// Evidence lists the passages of documents that the answer's marks refer to, in the order of the answer, each
	// checked against the context. UnknownMarks look like marks but refer to no passage. Unverified lists
	// quotations in the answer that do not occur in the context. Unsupported is what the answer lacks if it was
	// accepted although evidence is required.
	Evidence     []trajectory.Evidence `json:"evidence,omitempty"`
	UnknownMarks []string              `json:"unknown_marks,omitempty"`
	Unverified   []string              `json:"unverified,omitempty"`
	Unsupported  string                `json:"unsupported,omitempty"`
	// Grounding is what the values of the answer rest on, nil for a run of an earlier version.
	Grounding *trajectory.Grounding `json:"grounding,omitempty"`
	Ended     bool                  `json:"-"` // RunEnded was seen
	// Err is the reason why the run failed: its endpoint or its model, the program, or an interruption. It is nil
	// for a run that ended in any other way, even at a limit. errors.As finds an *llm.Error or, within the process
	// that ran the run, the error of your own model.
	Err error `json:"-"`
}

// Add adds an event of the run. Events of child runs count only through the totals in RunEnded.
func (r *Result) Add(ev trajectory.Event) {
	if ev.Path != "" {
		return
	}
	switch d := ev.Data.(type) {
	case trajectory.RunStarted:
		*r = Result{
			RunID: d.Run, Question: d.Question, Sandbox: d.Sandbox, Trajectory: r.Trajectory,
			Warnings: r.Warnings, Cells: []CellResult{},
		}
	case trajectory.CellEnded:
		if c, err := decodeCell(d); err == nil {
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
	r.Answer, r.HasAnswer, r.Typed, r.AnswerFrom, r.Guess, r.CutReplies = d.Answer, d.HasAnswer, d.Typed, d.AnswerFrom,
		d.Guess, d.CutReplies
	if !d.HasAnswer {
		r.Reply = d.Reply
	}
	r.Status, r.FinishStatus = termination.Status(d.Status), answer.FinishStatus(d.FinishStatus)
	r.EndedBy, r.Name, r.Reason, r.ErrorKind = termination.Trigger(d.EndedBy), d.Name, d.Reason, d.ErrorKind
	r.NeedsReview, r.Turns, r.SubCalls = d.RequiresReview, d.Turns, d.SubCalls
	r.Usage, r.Cost, r.Unpriced = d.Usage, d.Cost, d.UnpricedModels
	r.Evidence, r.UnknownMarks, r.Unverified, r.Unsupported = d.Evidence, d.UnknownMarks, d.Unverified, d.Unsupported
	r.Grounding = d.Grounding
	r.Duration, r.ModelTime, r.CellTime, r.Metadata = d.Duration, d.ModelTime, d.CellTime, d.Metadata
	r.Err = failure(d)
}

// failure is the reason why a run failed, nil if it did not.
func failure(d trajectory.RunEnded) error {
	switch {
	case d.Err != nil || !journal.Resumable(d):
		return d.Err
	case termination.Trigger(d.EndedBy) == termination.ByInterrupt:
		return context.Canceled
	case d.ErrorKind != "":
		return &llm.Error{Kind: llm.ErrorKind(d.ErrorKind), Message: d.Reason}
	}
	return errors.New(d.Reason)
}

// ExitCode is the exit code for a command that performed this run; `rlm help run` lists the codes.
func (r Result) ExitCode() int {
	return termination.End{Status: r.Status, Fired: r.EndedBy, HasAnswer: r.HasAnswer, Guess: r.Guess}.ExitCode()
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

// Totals is the usage of a session, over all its questions.
type Totals struct {
	Usage     map[string]trajectory.Usage // by model
	Cost      float64                     // USD, as far as prices are known
	CostKnown bool                        // false if no price is known
}

// plus adds the usage of another question.
func (t Totals) plus(usage map[string]trajectory.Usage) Totals {
	sum := Totals{Usage: maps.Clone(t.Usage)}
	for model, u := range usage {
		sum.Usage[model] = sum.Usage[model].Plus(u)
	}
	sum.Cost, sum.CostKnown = budget.Cost(sum.Usage)
	return sum
}

// StopFunc is a condition set by the caller, checked after each turn.
type StopFunc func(State) (reason string, stop bool)

// State is the state of a run after a turn, for a StopFunc.
type State struct {
	Turn     int           // the turn that just ended, from 1
	SubCalls int64         // calls of models below the root so far
	Tokens   int64         // used so far
	Cost     float64       // USD so far, as far as prices are known
	Elapsed  time.Duration // since the question was asked, without pauses
	Reply    string        // the last reply
	Cells    []CellResult  // results of the turn's cells
	Partial  string        // the best partial answer so far, "" if there is none
}
