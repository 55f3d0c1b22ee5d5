package trajectory

import (
	"encoding/json"
	"time"
)

// CellStarted announces that a cell is about to run.
type CellStarted struct {
	Cell     int    `json:"cell"`               // number of the cell in its notebook, from 1
	Source   string `json:"source"`             // as written by the model
	Seed     int64  `json:"seed"`               // seed of its random numbers
	Untagged bool   `json:"untagged,omitempty"` // the cell was in a block without a language
	Own      bool   `json:"own,omitempty"`      // a person's cell
	// the notebook's engine at the start: yaegi or exact; an `engine_moved` may follow
	Engine  string `json:"engine,omitempty"`
	Request string `json:"request,omitempty"` // of a person's cell: name of the caller's request, as in run_started
	// number of the person's cell that this edited version replaces; the effects of the old version on variables
	// stay
	Replaces int `json:"replaces,omitempty"`
}

// CellPrinted is output of a running cell. Transient.
type CellPrinted struct {
	Cell    int    `json:"cell"`              // number of the cell
	Text    string `json:"text"`              // the next piece of its output
	Restart bool   `json:"restart,omitempty"` // forget earlier pieces: this is all the output so far
}

// CellEnded is the result of a cell.
type CellEnded struct {
	Cell      int    `json:"cell"`                      // number of the cell
	Output    string `json:"output,omitempty"`          // what the cell printed, cut in the middle if long
	Truncated int64  `json:"truncated_bytes,omitempty"` // bytes cut out
	// value, error, answer and changed variables: a CellResult
	Result   json.RawMessage `json:"result"`
	Restore  json.RawMessage `json:"restore,omitempty"`  // set when the worker was replaced: a sandbox.Restore
	Computed time.Duration   `json:"computed,omitempty"` // CPU time, since the last start if it was started again
	// engine at the end: yaegi or exact; absent in earlier versions
	Engine    string `json:"engine,omitempty"`
	OK        bool   `json:"ok"`                   // the cell ran without error
	ErrorKind string `json:"error_kind,omitempty"` // kind of its error
	Marks     []Mark `json:"marks,omitempty"`      // evidence marks that the cell created
	// Kept is set when a person's cell was stopped but its effects on variables stay. It is the source of a cell
	// that has the same effects ({} if there are none), which runs instead wherever the stopped cell would run
	// again.
	Kept string `json:"kept,omitempty"`
}

// SubCallStarted announces that a sub-call is about to be made. The event's path with (Cell, Hash, N) is its key.
type SubCallStarted struct {
	Cell   int        `json:"cell"`             // the calling cell
	Hash   string     `json:"hash"`             // identifies the request
	N      int        `json:"n"`                // how often the cell made the same request before
	Impl   string     `json:"impl"`             // llm_query, rlm_query, tool
	Tool   string     `json:"tool,omitempty"`   // name of the tool
	Server string     `json:"server,omitempty"` // MCP server that has the tool
	Model  string     `json:"model,omitempty"`  // the model that is asked
	Prompt Text       `json:"prompt"`           // as sent to the model, the child run or the tool
	Child  string     `json:"child,omitempty"`  // path of the child run
	Batch  int        `json:"batch,omitempty"`  // number of the batch in its cell, from 1; 0 for a single call
	Index  int        `json:"index,omitempty"`  // place in the batch, from 0
	Size   int        `json:"size,omitempty"`   // calls in the batch
	Memo   string     `json:"memo,omitempty"`   // key for answering identical later calls from this one
	Given  CellInputs `json:"given,omitzero"`   // what the cell read since its previous call; see CellInputs
}

// CellInputs are the readings of the clock and the timers that fired since the cell's previous call.
type CellInputs struct {
	ClockFrom int          `json:"clock_from,omitempty"` // number of earlier readings
	Clock     []int64      `json:"clock,omitempty"`      // Unix nanoseconds
	FiredFrom int          `json:"fired_from,omitempty"` // number of earlier timers that fired
	Fired     []TimerFired `json:"fired,omitempty"`      // in order
}

// TimerFired records a timer of a cell that fired.
type TimerFired struct {
	Timer uint64 `json:"timer"` // identifies the timer in its session
	After int    `json:"after"` // number of replies that the cell had received before
}

// SubCallEnded is a sub-call's reply, durable before the worker gets it.
type SubCallEnded struct {
	Cell  int    `json:"cell"`            // as in SubCallStarted
	Hash  string `json:"hash"`            // as in SubCallStarted
	N     int    `json:"n"`               // as in SubCallStarted
	Reply Text   `json:"reply"`           // what the cell gets
	Error string `json:"error,omitempty"` // why there is no reply, as reported to the cell
	// ErrorKind is the kind of failure of a model call: auth, quota, unavailable, …; absent for other failures.
	ErrorKind string `json:"error_kind,omitempty"`
	// the error ends the cell: the budget is used up or the run was cancelled
	Unwind   bool          `json:"unwind,omitempty"`
	Model    string        `json:"model,omitempty"`    // the model that answered
	Usage    Usage         `json:"usage,omitzero"`     // of this call; a child run's usage is in its own events
	Cached   bool          `json:"cached,omitempty"`   // answered by an earlier reply, at no cost
	Duration time.Duration `json:"duration"`           // including the wait for a slot
	Attempts int           `json:"attempts,omitempty"` // requests made
	// FinishReason is as in ReplyReceived; "length" means that the reply was cut, "child_incomplete" that a child run's
	// answer comes from such replies. Absent if no model was asked.
	FinishReason string `json:"finish_reason,omitempty"`
	// the child run's answer rests on no text: it was given none, answered before it looked at it, or what it says
	// occurs nowhere in what it saw
	Blind bool `json:"blind,omitempty"`
}

// Cut reports whether the reply was cut at its token limit.
func (d SubCallEnded) Cut() bool { return d.FinishReason == lengthReached }

// Restored means that recorded cells were run again to restore a notebook's variables. No model is called.
type Restored struct {
	// worker (the worker was replaced), opened (the session was opened, also to resume, fork or undo), moved (to
	// the other engine)
	How   string        `json:"how"`
	Cells int           `json:"cells"`          // cells that were run again
	Took  time.Duration `json:"took"`           // total time
	Lost  []string      `json:"lost,omitempty"` // variables, functions and types that could not be restored
	// Differing are variables whose values differ from those that the model saw. Earlier versions list them in
	// Lost.
	Differing []string `json:"differing,omitempty"`
	Why       string   `json:"why,omitempty"` // reason for losses and differences, for people
	// LeftOut are cells that will not be run again from now on: no other cell ran after them.
	LeftOut []int `json:"left_out,omitempty"`
}

// Restoring is the progress of a restore. Transient.
type Restoring struct {
	Cells int `json:"cells"` // cells run again so far
	Of    int `json:"of"`    // total number of cells to run again
}

// EngineMoved means that a notebook continues in another engine, permanently: its cells so far have run again
// there, with their recorded replies. A cell in progress starts again, with its recorded input.
type EngineMoved struct {
	From string `json:"from"` // yaegi
	To   string `json:"to"`   // exact
	Cell int    `json:"cell"` // the cell that starts again, or the next one
	// refused (yaegi cannot run the cell), panicked (yaegi does not know Go's message for the cell's panic),
	// computed (the cell computed for long), replay (in yaegi, running the earlier cells again would take long or
	// fail), many (there are many cells), asked (the user asked for it)
	Reason string        `json:"reason"`
	Why    string        `json:"why"`   // the reason in words, for people
	Cells  int           `json:"cells"` // earlier cells that were run again
	Took   time.Duration `json:"took"`  // time until the cells had run again
}
