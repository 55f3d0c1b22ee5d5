package trajectory

import "time"

// TurnStarted opens a turn: the model is about to be asked.
type TurnStarted struct {
	Messages int    `json:"messages"`       // number of messages sent
	Hash     string `json:"hash"`           // identifies what is sent
	N        int    `json:"n"`              // how often the same was sent before
	Kind     string `json:"kind,omitempty"` // "" for an ordinary turn, last (the one after a limit), summary (compaction), retry
}

// MessageAdded is a message that the run put into the conversation itself (system prompt, question,
// observation, nudge).
type MessageAdded struct {
	Role    string `json:"role"`    // system, user
	Kind    string `json:"kind"`    // system, question, observation, nudge, limit, review, summary
	Content Text   `json:"content"` // as the model gets it
}

// ReplyDelta is a streamed piece of a reply. Transient.
type ReplyDelta struct {
	Content   string `json:"content,omitempty"`   // the next piece of the reply
	Reasoning string `json:"reasoning,omitempty"` // the next piece of the reasoning
	Restart   bool   `json:"restart,omitempty"`   // the stream broke: forget all pieces of this turn
}

// CallRetried says that a call of a model got no reply and waits before it is tried again. Of sub-calls and
// child runs not every one is told, at most one a second. Transient.
type CallRetried struct {
	Cell    int           `json:"cell,omitempty"` // the cell whose sub-call it is; absent for a turn
	Model   string        `json:"model"`          // the one that is asked
	Reason  string        `json:"reason"`         // in a few words: HTTP 429, connection refused, the stream broke off, …
	Attempt int           `json:"attempt"`        // number of the try that comes, from 1
	Tries   int           `json:"tries"`          // the most there can be
	Wait    time.Duration `json:"wait"`           // from now until it begins
}

// CallLost is what a call of a model used that brought no reply. The endpoint charges for it all the same, as far as it is known.
type CallLost struct {
	Cell     int           `json:"cell,omitempty"`     // the cell whose sub-call it is; absent for a turn
	Why      string        `json:"why"`                // failed, retried, replaced (another model answers), stopped (nobody waits for it), interrupted (the process ended; it is made again)
	Model    string        `json:"model"`              // who was asked
	Usage    Usage         `json:"usage"`              // wasted tokens: what was sent, and what had come of the reply
	Duration time.Duration `json:"duration,omitempty"` // until then, with retries
}

// FellBack says that another model answers in the place of one that has no quota left or cannot be reached.
type FellBack struct {
	Cell   int    `json:"cell,omitempty"` // the cell whose sub-call it is; absent for a turn
	Model  string `json:"model"`          // the one that was asked
	To     string `json:"to"`             // the one that is asked instead
	Reason string `json:"reason"`         // kind of the failure: quota, unavailable, rate_limit, no_reply
}

// ReplyReceived is the complete reply of a turn, durable before its cells run.
type ReplyReceived struct {
	Content      Text          `json:"content"`            // the reply
	Reasoning    Text          `json:"reasoning,omitzero"` // what the model thought before, if the endpoint tells
	Parts        Text          `json:"parts,omitzero"`     // what goes back to the endpoint with the reply, such as signed thoughts: a list in JSON
	FinishReason string        `json:"finish_reason"`      // as the endpoint says: stop, length, …
	Model        string        `json:"model"`              // who answered
	Usage        Usage         `json:"usage"`              // of this call
	Duration     time.Duration `json:"duration"`           // from the request to the last piece, with retries
	Attempts     int           `json:"attempts"`           // requests that were made, from 1
}

// lengthReached is the finish reason of a reply that reached its limit of tokens.
const lengthReached = "length"

// Cut says that the reply reached its limit of tokens and ends there.
func (d ReplyReceived) Cut() bool { return d.FinishReason == lengthReached }

// Usage counts what a call used, in tokens. Cost is nil when it is not known; it is never guessed to be 0.
type Usage struct {
	Prompt       int64 `json:"prompt"`                  // sent
	Completion   int64 `json:"completion"`              // received, with reasoning
	Reasoning    int64 `json:"reasoning,omitempty"`     // part of Completion
	Cached       int64 `json:"cached,omitempty"`        // part of Prompt that the endpoint had cached
	CacheWritten int64 `json:"cache_written,omitempty"` // part of Prompt that the endpoint put into its cache
	// CacheWrittenHour is the part of CacheWritten that the endpoint keeps for an hour.
	CacheWrittenHour int64    `json:"cache_written_hour,omitempty"`
	Wasted           int64    `json:"wasted,omitempty"`    // of attempts that brought no reply
	Estimated        bool     `json:"estimated,omitempty"` // counted here: the endpoint did not say
	Cost             *float64 `json:"cost,omitempty"`      // US dollars
	CostFrom         string   `json:"cost_from,omitempty"` // endpoint, table
}

// Nudged is a remark of a guard to the model.
type Nudged struct {
	Guard string `json:"guard"` // which guard
	Text  string `json:"text"`  // as the model gets it
}

// SignalIgnored is a completion signal that was seen and not counted.
type SignalIgnored struct {
	Signal string `json:"signal"` // which signal
	Reason string `json:"reason"` // why, for people
}

// Compacted says that older messages were replaced by a summary.
type Compacted struct {
	Messages int    `json:"messages"` // how many were cut
	Summary  Text   `json:"summary"`  // what stands in their place
	How      string `json:"how"`      // model, mechanical
}

// Checked is what a run goes by besides the conversation: budgets, the clock, the size of the window, the
// caller's own condition. It stands before each turn and before each verdict, so that a run that resumes
// comes to the same verdicts.
type Checked struct {
	Limit   string `json:"limit,omitempty"`   // the budget that is used up
	Used    string `json:"used,omitempty"`    // how much of it was used, for people
	Bound   string `json:"bound,omitempty"`   // how much there was, for people
	Next    string `json:"next,omitempty"`    // what the next prompt needs, where that alone is too much for what is left
	Compact bool   `json:"compact,omitempty"` // the conversation nears the size that the model can read
	Stop    string `json:"stop,omitempty"`    // why the caller's own condition ends the run
	// Unsupported is what an answer lacks that is sent back because evidence is required.
	Unsupported string `json:"unsupported,omitempty"`
	// Guess says that an answer is sent back because it was handed in before anything of the text was looked at.
	Guess bool `json:"guess,omitempty"`
	// Ungrounded are the values of an answer that is sent back because none of them has a place in the run.
	Ungrounded []string `json:"ungrounded,omitempty"`
}

// TurnFailed says that a call of the run's own model got no reply and that the run goes on without it.
type TurnFailed struct {
	Kind    string `json:"kind"`    // of the failure: context_too_long, time_limit, …
	Message string `json:"message"` // for people
}
