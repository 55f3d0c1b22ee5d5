package trajectory

import "time"

// TurnStarted opens a turn: the model is about to be asked.
type TurnStarted struct {
	Messages int    `json:"messages"` // number of messages sent
	Hash     string `json:"hash"`     // identifies the messages
	N        int    `json:"n"`        // how often the same messages were sent before
	// "" for an ordinary turn, last (the one after a limit), summary (compaction), retry
	Kind string `json:"kind,omitempty"`
}

// MessageAdded is a message from the run itself to the model (system prompt, question, observation, nudge).
type MessageAdded struct {
	Role    string `json:"role"`    // system, user
	Kind    string `json:"kind"`    // system, question, observation, nudge, limit, review, summary
	Content Text   `json:"content"` // as sent to the model
}

// ReplyDelta is a streamed piece of a reply. Transient.
type ReplyDelta struct {
	Content   string `json:"content,omitempty"`   // the next piece of the reply
	Reasoning string `json:"reasoning,omitempty"` // the next piece of the reasoning
	Restart   bool   `json:"restart,omitempty"`   // the stream broke: forget all pieces of this turn
}

// CallRetried means that a model call got no reply and waits for its next try. For sub-calls and child runs at
// most one a second is reported. Transient.
type CallRetried struct {
	Cell  int    `json:"cell,omitempty"` // the cell that made the sub-call; absent for a turn
	Model string `json:"model"`          // the model that was asked
	// in a few words: HTTP 429, connection refused, the stream broke off, …
	Reason  string        `json:"reason"`
	Attempt int           `json:"attempt"` // number of the next try, from 1
	Tries   int           `json:"tries"`   // maximum number of tries
	Wait    time.Duration `json:"wait"`    // from now until the next try
}

// CallLost is the usage of a model call without a reply, as far as it is known. The endpoint charges for it anyway.
type CallLost struct {
	Cell int `json:"cell,omitempty"` // the cell that made the sub-call; absent for a turn
	// failed, retried, replaced (another model answers), stopped (nobody waits for it), interrupted (the process
	// ended; the call is made again)
	Why      string        `json:"why"`
	Model    string        `json:"model"`              // the model that was asked
	Usage    Usage         `json:"usage"`              // tokens sent, and tokens of the partial reply
	Duration time.Duration `json:"duration,omitempty"` // until the call was lost, including retries
}

// FellBack means that another model replaces one that has no quota left or cannot be reached.
type FellBack struct {
	Cell   int    `json:"cell,omitempty"` // the cell that made the sub-call; absent for a turn
	Model  string `json:"model"`          // the model that was asked first
	To     string `json:"to"`             // the model that is asked instead
	Reason string `json:"reason"`         // kind of the failure: quota, unavailable, rate_limit, no_reply
}

// ReplyReceived is the complete reply of a turn, durable before its cells run.
type ReplyReceived struct {
	Content   Text `json:"content"`            // the reply
	Reasoning Text `json:"reasoning,omitzero"` // the model's thoughts before the reply, if reported
	// data to send back with the reply, such as signed thoughts: a JSON list
	Parts        Text          `json:"parts,omitzero"`
	FinishReason string        `json:"finish_reason"` // as reported by the endpoint: stop, length, …
	Model        string        `json:"model"`         // the model that answered
	Usage        Usage         `json:"usage"`         // of this call
	Duration     time.Duration `json:"duration"`      // from the request to the last piece, including retries
	Attempts     int           `json:"attempts"`      // requests made, at least 1
}

// lengthReached is the finish reason of a reply that was cut at its token limit.
const lengthReached = "length"

// Cut reports whether the reply was cut at its token limit.
func (d ReplyReceived) Cut() bool { return d.FinishReason == lengthReached }

// Usage is the usage of a call, in tokens. Cost is nil if it is not known; an unknown cost is never recorded as 0.
type Usage struct {
	Prompt       int64 `json:"prompt"`                  // tokens sent
	Completion   int64 `json:"completion"`              // tokens received, including reasoning
	Reasoning    int64 `json:"reasoning,omitempty"`     // part of Completion
	Cached       int64 `json:"cached,omitempty"`        // part of Prompt that was read from the cache
	CacheWritten int64 `json:"cache_written,omitempty"` // part of Prompt that was written to the cache
	// CacheWrittenHour is the part of CacheWritten that is cached for an hour.
	CacheWrittenHour int64    `json:"cache_written_hour,omitempty"`
	Wasted           int64    `json:"wasted,omitempty"`    // tokens used by tries without a reply
	Estimated        bool     `json:"estimated,omitempty"` // counted by rlm: the endpoint reported no usage
	Cost             *float64 `json:"cost,omitempty"`      // US dollars
	CostFrom         string   `json:"cost_from,omitempty"` // source of Cost: endpoint, table
}

// Nudged is a reminder of a guard to the model.
type Nudged struct {
	Guard string `json:"guard"` // which guard
	Text  string `json:"text"`  // as sent to the model
}

// SignalIgnored is a completion signal that did not count.
type SignalIgnored struct {
	Signal string `json:"signal"` // which signal
	Reason string `json:"reason"` // why it did not count, for people
}

// Compacted means that older messages were replaced by a summary.
type Compacted struct {
	Messages int    `json:"messages"` // number of messages replaced
	Summary  Text   `json:"summary"`  // the summary
	How      string `json:"how"`      // how the summary was made: model, mechanical
}

// Checked records what decisions depend on besides the conversation: budgets, the clock, the size of the window,
// the caller's condition. It precedes each turn and each verdict, so that a resumed run reaches the same verdicts.
type Checked struct {
	Limit   string `json:"limit,omitempty"`   // the budget that is used up
	Used    string `json:"used,omitempty"`    // amount used, for people
	Bound   string `json:"bound,omitempty"`   // the bound, for people
	Next    string `json:"next,omitempty"`    // size of the next prompt, if less than that is left
	Compact bool   `json:"compact,omitempty"` // the conversation has nearly filled the model's window
	Stop    string `json:"stop,omitempty"`    // why the caller's condition ends the run
	// Unsupported is what was missing from an answer that was sent back because evidence is required.
	Unsupported string `json:"unsupported,omitempty"`
	// Guess is set when an answer was sent back because it was given before the model saw any of the text.
	Guess bool `json:"guess,omitempty"`
	// Ungrounded are the values of an answer that was sent back because none of them has a place in the run.
	Ungrounded []string `json:"ungrounded,omitempty"`
}

// TurnFailed means that a call of the run's own model got no reply and that the run continues without it.
type TurnFailed struct {
	Kind    string `json:"kind"`    // kind of the failure: context_too_long, time_limit, …
	Message string `json:"message"` // what failed, for people
}
