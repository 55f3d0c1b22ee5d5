package main

import (
	"encoding/json"
	"time"

	"github.com/gorlm/rlm/internal/bundle"
	"github.com/gorlm/rlm/repl"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/termination"
	"github.com/gorlm/rlm/termination/answer"
)

// resultJSON is what `rlm run --json` prints. Durations are in milliseconds, costs in USD; a cost that is not known is null.
type resultJSON struct {
	RunID        string                      `json:"run_id"`
	Question     string                      `json:"question"`
	Answer       *string                     `json:"answer"` // null: there is none
	AnswerFrom   string                      `json:"answer_from,omitempty"`
	Status       termination.Status          `json:"status"`
	FinishStatus answer.FinishStatus         `json:"finish_status,omitempty"`
	EndedBy      termination.Fired           `json:"ended_by"` // final, signal, sequence, guard, limit, …
	Name         string                      `json:"name,omitempty"`
	Reason       string                      `json:"reason,omitempty"`
	ErrorKind    string                      `json:"error_kind,omitempty"`
	NeedsReview  bool                        `json:"requires_review"`
	ExitCode     int                         `json:"exit_code"`
	Turns        int                         `json:"turns"`
	Cells        []cellJSON                  `json:"cells"`
	SubCalls     int                         `json:"sub_calls"`
	Usage        map[string]trajectory.Usage `json:"usage"`
	Cost         *float64                    `json:"cost"`
	Unpriced     []string                    `json:"unpriced_models,omitempty"`
	Duration     int64                       `json:"duration_ms"`
	ModelTime    int64                       `json:"model_ms"`
	CellTime     int64                       `json:"cell_ms"`
	Sandbox      string                      `json:"sandbox"`
	Trajectory   string                      `json:"trajectory"`
	Warnings     []string                    `json:"warnings,omitempty"`
	Evidence     []trajectory.Evidence       `json:"evidence,omitempty"`
	UnknownMarks []string                    `json:"unknown_marks,omitempty"`
	Unverified   []string                    `json:"unverified,omitempty"`
	Unsupported  string                      `json:"unsupported,omitempty"` // what the answer lacks, with --require-evidence
	Metadata     json.RawMessage             `json:"metadata,omitempty"`
}

func resultOf(r runner.Result) resultJSON {
	out := resultJSON{
		RunID: r.RunID, Question: r.Question, AnswerFrom: r.AnswerFrom, Status: r.Status, FinishStatus: r.FinishStatus,
		EndedBy: r.EndedBy, Name: r.Name, Reason: r.Reason, ErrorKind: r.ErrorKind, NeedsReview: r.NeedsReview, ExitCode: r.ExitCode(),
		Turns: r.Turns, Cells: []cellJSON{}, SubCalls: r.SubCalls, Usage: r.Usage, Cost: r.Cost, Unpriced: r.Unpriced,
		Duration: ms(r.Duration), ModelTime: ms(r.ModelTime), CellTime: ms(r.CellTime),
		Sandbox: r.Sandbox, Trajectory: r.Trajectory, Warnings: r.Warnings, Metadata: r.Metadata,
		Evidence: r.Evidence, UnknownMarks: r.UnknownMarks, Unverified: r.Unverified, Unsupported: r.Unsupported,
	}
	if r.HasAnswer {
		out.Answer = &r.Answer
	}
	for _, c := range r.Cells {
		out.Cells = append(out.Cells, cellOf(c.Result, c.Output, c.Truncated))
	}
	return out
}

// cellJSON is what --json prints of a cell, in `rlm exec` and in the result of a run.
type cellJSON struct {
	Cell      int                 `json:"cell"`
	OK        bool                `json:"ok"`
	Output    string              `json:"output"`
	Value     string              `json:"value"`
	Items     []bundle.Item       `json:"items,omitempty"` // parts of output and value that have more forms than text
	Error     *repl.CellError     `json:"error,omitempty"`
	Final     *answer.FinalOutput `json:"final,omitempty"`
	Duration  int64               `json:"duration_ms"`
	Truncated int64               `json:"truncated_bytes"`
	Notes     []string            `json:"notes,omitempty"`
}

func cellOf(res repl.Result, output string, truncated int64) cellJSON {
	return cellJSON{
		Cell: res.Cell, OK: res.Error == nil, Output: output, Value: res.Value, Items: res.Items, Error: res.Error, Final: res.Final,
		Duration: ms(res.Duration), Truncated: truncated, Notes: res.Notes,
	}
}

func ms(d time.Duration) int64 { return d.Milliseconds() }
