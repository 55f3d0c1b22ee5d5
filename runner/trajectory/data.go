package trajectory

import (
	"encoding/json"
	"time"
)

// RunStarted opens a run (one question). A session's log holds several.
type RunStarted struct {
	Run       string          `json:"run"` // run id; the session's id for the first
	Number    int             `json:"number"`
	Question  string          `json:"question"`
	Mode      string          `json:"mode"`
	Model     string          `json:"model"`
	SubModel  string          `json:"sub_model,omitempty"`
	Sandbox   string          `json:"sandbox"` // level
	Version   string          `json:"version"`
	Config    json.RawMessage `json:"config,omitempty"` // what resume needs; no secrets
	Metadata  json.RawMessage `json:"metadata,omitempty"`
	ParentRun string          `json:"parent_run,omitempty"` // for forks
	// Interactive is set when a person is there: a reply of prose is then an answer.
	Interactive bool `json:"interactive,omitempty"`
	// Review is set when the run goes on after a rejected review; Question is then the reviewer's note.
	Review bool `json:"review,omitempty"`
}

// ContextAdded says what cells see as context from here on.
type ContextAdded struct {
	Size      int64    `json:"size"`
	Hash      string   `json:"hash"` // of the whole text
	File      string   `json:"file"` // side file of the run that holds the text, "" if the sources are read again
	Sources   []string `json:"sources,omitempty"`
	Documents int      `json:"documents"`
	Skipped   []string `json:"skipped,omitempty"`
}

// TurnStarted opens a turn. Messages is the number of messages sent; Hash identifies the prompt.
type TurnStarted struct {
	Messages int    `json:"messages"`
	Hash     string `json:"hash"`
	N        int    `json:"n"`
	Kind     string `json:"kind,omitempty"` // "", "last" (the one after a limit), "summary" (compaction), "retry"
}

// MessageAdded is a message that the run put into the conversation itself (system prompt, question, observation, nudge).
type MessageAdded struct {
	Role    string `json:"role"`
	Kind    string `json:"kind"` // system, question, observation, nudge, limit, review, summary
	Content Text   `json:"content"`
}

// ReplyDelta is a streamed piece of a reply. Transient.
type ReplyDelta struct {
	Content   string `json:"content,omitempty"`
	Reasoning string `json:"reasoning,omitempty"`
	Restart   bool   `json:"restart,omitempty"`
}

// ReplyReceived is the complete reply of a turn, durable before its cells run.
type ReplyReceived struct {
	Content      Text          `json:"content"`
	Reasoning    Text          `json:"reasoning,omitzero"`
	FinishReason string        `json:"finish_reason"`
	Model        string        `json:"model"`
	Usage        Usage         `json:"usage"`
	Duration     time.Duration `json:"duration"`
	Attempts     int           `json:"attempts"`
}

// Usage counts what a call used. Cost is nil when it is not known; it is never guessed to be 0.
type Usage struct {
	Prompt     int64    `json:"prompt"`
	Completion int64    `json:"completion"`
	Reasoning  int64    `json:"reasoning,omitempty"`
	Cached     int64    `json:"cached,omitempty"`
	Wasted     int64    `json:"wasted,omitempty"`
	Estimated  bool     `json:"estimated,omitempty"`
	Cost       *float64 `json:"cost,omitempty"`
	CostFrom   string   `json:"cost_from,omitempty"` // endpoint, table
}

// CellStarted says that a cell is about to run.
type CellStarted struct {
	Cell     int    `json:"cell"`
	Source   string `json:"source"`
	Seed     int64  `json:"seed"`
	Untagged bool   `json:"untagged,omitempty"`
	Own      bool   `json:"own,omitempty"` // a person's own cell
}

// CellPrinted is output while it is printed. Transient.
type CellPrinted struct {
	Cell int    `json:"cell"`
	Text string `json:"text"`
}

// CellEnded is what a cell did.
type CellEnded struct {
	Cell      int             `json:"cell"`
	Output    string          `json:"output,omitempty"`
	Truncated int64           `json:"truncated_bytes,omitempty"`
	Result    json.RawMessage `json:"result"` // repl.Result
	Restore   json.RawMessage `json:"restore,omitempty"`
	OK        bool            `json:"ok"`
	ErrorKind string          `json:"error_kind,omitempty"`
}

// SubCallStarted says that a sub-call is about to be made. (Path, Cell, Hash, N) is its key.
type SubCallStarted struct {
	Cell   int    `json:"cell"`
	Hash   string `json:"hash"`
	N      int    `json:"n"`
	Impl   string `json:"impl"` // llm_query, rlm_query, tool
	Tool   string `json:"tool,omitempty"`
	Model  string `json:"model,omitempty"`
	Prompt Text   `json:"prompt"`
	Child  string `json:"child,omitempty"` // path of a child run
	Batch  int    `json:"batch,omitempty"`
	Index  int    `json:"index,omitempty"`
	Size   int    `json:"size,omitempty"`
}

// SubCallEnded is a sub-call's reply, durable before the worker gets it.
type SubCallEnded struct {
	Cell     int           `json:"cell"`
	Hash     string        `json:"hash"`
	N        int           `json:"n"`
	Reply    Text          `json:"reply"`
	Error    string        `json:"error,omitempty"`
	Unwind   bool          `json:"unwind,omitempty"`
	Model    string        `json:"model,omitempty"`
	Usage    Usage         `json:"usage,omitzero"`
	Cached   bool          `json:"cached,omitempty"` // answered by memo, nothing paid
	Duration time.Duration `json:"duration"`
	Attempts int           `json:"attempts,omitempty"`
}

// Nudged is a remark of a guard to the model.
type Nudged struct {
	Guard string `json:"guard"`
	Text  string `json:"text"`
}

// SignalIgnored is a completion signal that was seen and not counted.
type SignalIgnored struct {
	Signal string `json:"signal"`
	Reason string `json:"reason"`
}

// LimitReached says that a budget is used up; the model gets one last turn.
type LimitReached struct {
	Limit string `json:"limit"`
	Used  string `json:"used"`
	Bound string `json:"bound"`
}

// Compacted says that older messages were replaced by a summary.
type Compacted struct {
	Messages int    `json:"messages"` // how many were cut
	Summary  Text   `json:"summary"`
	How      string `json:"how"` // model, mechanical
}

// Warned is something a person should know (sandbox level basic, unknown price, skipped files).
type Warned struct {
	About string `json:"about"`
	Text  string `json:"text"`
}

// RunEnded closes a run.
type RunEnded struct {
	Status         string           `json:"status"`
	FinishStatus   string           `json:"finish_status,omitempty"`
	Answer         string           `json:"answer"`
	HasAnswer      bool             `json:"has_answer"`
	AnswerFrom     string           `json:"answer_from,omitempty"` // final, variable, signal, reply, partial, last_turn
	EndedBy        string           `json:"ended_by"`              // kind of what fired: signal, sequence, guard, limit, prose, error, interrupt, stop
	Name           string           `json:"name,omitempty"`        // which signal, guard, sequence or limit
	Reason         string           `json:"reason,omitempty"`      // for people
	ErrorKind      string           `json:"error_kind,omitempty"`
	RequiresReview bool             `json:"requires_review,omitempty"`
	Reply          string           `json:"reply,omitempty"`
	Turns          int              `json:"turns"`
	Limit          int              `json:"limit"` // of turns
	Cells          int              `json:"cells"`
	SubCalls       int              `json:"sub_calls"`
	Usage          map[string]Usage `json:"usage"` // per model, with children
	Cost           *float64         `json:"cost"`
	UnpricedModels []string         `json:"unpriced_models,omitempty"`
	Duration       time.Duration    `json:"duration"`
	ModelTime      time.Duration    `json:"model_time"`
	CellTime       time.Duration    `json:"cell_time"`
	Metadata       json.RawMessage  `json:"metadata,omitempty"`
}

// Undone takes back the last questions of a session: their messages, cells and variables. The events stay.
type Undone struct {
	Runs int `json:"runs"` // how many questions were taken back
}

// Reviewed is a person's decision on a run that is pending review.
type Reviewed struct {
	Approved bool   `json:"approved"`
	Note     string `json:"note,omitempty"`
}

// EventType names each payload in the log.
func (RunStarted) EventType() string     { return "run_started" }
func (ContextAdded) EventType() string   { return "context_added" }
func (TurnStarted) EventType() string    { return "turn_started" }
func (MessageAdded) EventType() string   { return "message_added" }
func (ReplyDelta) EventType() string     { return "reply_delta" }
func (ReplyReceived) EventType() string  { return "reply_received" }
func (CellStarted) EventType() string    { return "cell_started" }
func (CellPrinted) EventType() string    { return "cell_printed" }
func (CellEnded) EventType() string      { return "cell_ended" }
func (SubCallStarted) EventType() string { return "sub_call_started" }
func (SubCallEnded) EventType() string   { return "sub_call_ended" }
func (Nudged) EventType() string         { return "nudged" }
func (SignalIgnored) EventType() string  { return "signal_ignored" }
func (LimitReached) EventType() string   { return "limit_reached" }
func (Compacted) EventType() string      { return "compacted" }
func (Warned) EventType() string         { return "warned" }
func (RunEnded) EventType() string       { return "run_ended" }
func (Reviewed) EventType() string       { return "reviewed" }
func (Undone) EventType() string         { return "undone" }

// prototypes are the payload types by name. It is never changed.
var prototypes = byName(
	RunStarted{}, ContextAdded{}, TurnStarted{}, MessageAdded{}, ReplyDelta{}, ReplyReceived{}, CellStarted{},
	CellPrinted{}, CellEnded{}, SubCallStarted{}, SubCallEnded{}, Nudged{}, SignalIgnored{}, LimitReached{},
	Compacted{}, Warned{}, RunEnded{}, Reviewed{}, Undone{},
)

func byName(protos ...Data) map[string]Data {
	m := make(map[string]Data, len(protos))
	for _, d := range protos {
		m[d.EventType()] = d
	}
	return m
}
