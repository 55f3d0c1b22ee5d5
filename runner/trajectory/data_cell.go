package trajectory

import (
	"encoding/json"
	"time"
)

// CellStarted says that a cell is about to run.
type CellStarted struct {
	Cell     int    `json:"cell"`               // number of the cell in its notebook, from 1
	Source   string `json:"source"`             // as the model wrote it
	Seed     int64  `json:"seed"`               // of its random numbers
	Untagged bool   `json:"untagged,omitempty"` // it stood in a block without a language
	Own      bool   `json:"own,omitempty"`      // a person's own cell
	Engine   string `json:"engine,omitempty"`   // what the notebook is in when it begins: yaegi or exact; an `engine_moved` may follow
	Request  string `json:"request,omitempty"`  // of a person's own cell: as in run_started
	Replaces int    `json:"replaces,omitempty"` // number of the person's own cell that this one is an edited form of; its variables stay as it left them
}

// CellPrinted is output while it is printed. Transient.
type CellPrinted struct {
	Cell    int    `json:"cell"`              // which cell
	Text    string `json:"text"`              // the next piece of its output
	Restart bool   `json:"restart,omitempty"` // what came before is forgotten: this is the output so far
}

// CellEnded is what a cell did.
type CellEnded struct {
	Cell      int             `json:"cell"`                      // which cell
	Output    string          `json:"output,omitempty"`          // what it printed, cut in the middle if long
	Truncated int64           `json:"truncated_bytes,omitempty"` // how much was cut out
	Result    json.RawMessage `json:"result"`                    // value, error, answer and changed variables: a CellResult
	Restore   json.RawMessage `json:"restore,omitempty"`         // set when the worker was replaced: a sandbox.Restore
	Computed  time.Duration   `json:"computed,omitempty"`        // CPU time that it used, since it began again if it did
	Engine    string          `json:"engine,omitempty"`          // what it ended in: yaegi or exact; absent in earlier versions
	OK        bool            `json:"ok"`                        // it did what it was to do
	ErrorKind string          `json:"error_kind,omitempty"`      // of its failure
	Marks     []Mark          `json:"marks,omitempty"`           // of evidence, that it handed out
	// Kept is set when a person's own cell was stopped and what it had set stays: a cell that leaves the same behind ({} if it left
	// nothing). It stands for the cell wherever that would run again.
	Kept string `json:"kept,omitempty"`
}

// SubCallStarted says that a sub-call is about to be made. The event's path with (Cell, Hash, N) is its key.
type SubCallStarted struct {
	Cell   int        `json:"cell"`             // the cell that calls
	Hash   string     `json:"hash"`             // identifies what is asked
	N      int        `json:"n"`                // how often the cell asked the same before
	Impl   string     `json:"impl"`             // llm_query, rlm_query, tool
	Tool   string     `json:"tool,omitempty"`   // name of the tool
	Server string     `json:"server,omitempty"` // MCP server that has the tool
	Model  string     `json:"model,omitempty"`  // the one that is asked
	Prompt Text       `json:"prompt"`           // as asked
	Child  string     `json:"child,omitempty"`  // path of the child run
	Batch  int        `json:"batch,omitempty"`  // number of the batch in its cell, from 1; 0 for a single call
	Index  int        `json:"index,omitempty"`  // place in the batch, from 0
	Size   int        `json:"size,omitempty"`   // calls in the batch
	Memo   string     `json:"memo,omitempty"`   // key under which an identical later call may be answered from this one
	Given  CellInputs `json:"given,omitzero"`   // what the cell had been given before it called, to repeat it up to here
}

// CellInputs is what a cell read from the clock and which timers fired, since the call before.
type CellInputs struct {
	ClockFrom int          `json:"clock_from,omitempty"` // readings before these
	Clock     []int64      `json:"clock,omitempty"`      // Unix nanoseconds
	FiredFrom int          `json:"fired_from,omitempty"` // timers before these
	Fired     []TimerFired `json:"fired,omitempty"`      // in order
}

// TimerFired is a timer of a cell that fired.
type TimerFired struct {
	Timer uint64 `json:"timer"` // names the timer in its session
	After int    `json:"after"` // replies that the cell had been handed before
}

// SubCallEnded is a sub-call's reply, durable before the worker gets it.
type SubCallEnded struct {
	Cell  int    `json:"cell"`            // as in SubCallStarted
	Hash  string `json:"hash"`            // as in SubCallStarted
	N     int    `json:"n"`               // as in SubCallStarted
	Reply Text   `json:"reply"`           // what the cell gets
	Error string `json:"error,omitempty"` // why there is no reply, as the cell is told
	// ErrorKind sorts the failure of a call of a model: auth, quota, unavailable, …; absent where it failed
	// otherwise.
	ErrorKind string        `json:"error_kind,omitempty"`
	Unwind    bool          `json:"unwind,omitempty"`   // the error ends the cell: the budget is gone or the run was cancelled
	Model     string        `json:"model,omitempty"`    // who answered
	Usage     Usage         `json:"usage,omitzero"`     // of this call; that of a child run stands in the child's own events
	Cached    bool          `json:"cached,omitempty"`   // answered by an earlier reply, nothing paid
	Duration  time.Duration `json:"duration"`           // with waiting for its turn
	Attempts  int           `json:"attempts,omitempty"` // requests that were made
	// FinishReason is as in ReplyReceived; "length" means that the reply was cut. Absent where no model was
	// asked.
	FinishReason string `json:"finish_reason,omitempty"`
}

// Cut says that the reply reached its limit of tokens and ends there.
func (d SubCallEnded) Cut() bool { return d.FinishReason == lengthReached }

// Restored says that recorded cells were run again, to bring a notebook's variables back. No model is
// called for that.
type Restored struct {
	How   string        `json:"how"`            // after what: worker (it was replaced), opened (the session, also to resume, fork or undo), moved (to the other engine)
	Cells int           `json:"cells"`          // cells that were run again
	Took  time.Duration `json:"took"`           // in all
	Lost  []string      `json:"lost,omitempty"` // variables, functions and types that are gone
	// Differing are variables that hold another value than the model saw. Earlier versions have them in Lost.
	Differing []string `json:"differing,omitempty"`
	Why       string   `json:"why,omitempty"` // why that is so, for people
	// LeftOut are cells that are not run again from now on: no other cell ran after them.
	LeftOut []int `json:"left_out,omitempty"`
}

// Restoring is how far a restore has come. Transient.
type Restoring struct {
	Cells int `json:"cells"` // cells that were run again
	Of    int `json:"of"`    // all that are to be run again
}

// EngineMoved says that a notebook goes on in another engine, for good: its cells so far have run again there, with their recorded
// replies. A cell that was under way begins again, with what it had been given.
type EngineMoved struct {
	From   string        `json:"from"`   // yaegi
	To     string        `json:"to"`     // exact
	Cell   int           `json:"cell"`   // that begins again, or the next one
	Reason string        `json:"reason"` // refused (yaegi does not run the cell), panicked (it does not know Go's words for the cell's panic), computed (the cell did so for long), replay (so would the earlier cells), many (there are many cells), asked (the user did)
	Why    string        `json:"why"`    // the same for people
	Cells  int           `json:"cells"`  // earlier cells that were run again
	Took   time.Duration `json:"took"`   // until all was as before
}
