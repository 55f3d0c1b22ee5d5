// Package llm defines Model, which answers a conversation, and the models behind it: a client of
// OpenAI-compatible endpoints, replies that were recorded, and replies from a script.
package llm

import (
	"context"
	"encoding/json"
	"time"
)

// Role says who wrote a message.
type Role string

// The roles.
const (
	System    Role = "system"
	User      Role = "user"
	Assistant Role = "assistant"
)

// Message is one entry of a conversation.
type Message struct {
	Role    Role   `json:"role"`
	Content string `json:"content"`
}

// Format asks for JSON that follows a schema.
type Format struct {
	Name   string          `json:"name"`
	Schema json.RawMessage `json:"schema"`
}

// Request is one call of a model. The zero value of an option means: the endpoint's default.
type Request struct {
	Messages        []Message
	Temperature     *float64
	MaxTokens       int
	ReasoningEffort string
	Format          *Format
	// NoStream asks for the reply in one piece.
	NoStream bool
	// Key places the call in its run; only recorded models look at it.
	Key Key
}

// Key identifies a call within a run, independent of the order in which concurrent calls arrive.
type Key struct {
	Path string `json:"path"` // depth path of the (sub-)run, "" for the root
	Cell int    `json:"cell"` // the cell that asked; 0 for the run's own turns
	Hash string `json:"hash"` // hash of the messages and options
	N    int    `json:"n"`    // n-th call of the same Path, Cell and Hash, from 0
}

// Delta is a piece of a streamed reply, or the news that the call is tried again.
type Delta struct {
	Content   string
	Reasoning string
	// Restart discards all earlier pieces: the stream broke and the call is made anew. Content and
	// Reasoning of the same delta belong to the new reply.
	Restart bool
	// Retry, if not nil, says that the call waits before its next try. Content and Reasoning are then empty.
	Retry *Retry
}

// Retry says that a call did not get its reply yet, and when it is tried again.
type Retry struct {
	Reason  string        // in a few words: "HTTP 429", "connection refused", "the stream broke off"; never what an endpoint wrote
	Attempt int           // number of the try that comes, from 1: the first too may have to wait when the endpoint holds back all calls
	Tries   int           // the most there can be
	Wait    time.Duration // until then
}

// Usage counts tokens. Estimated is set when the endpoint reported nothing.
type Usage struct {
	Prompt     int64 `json:"prompt"`
	Completion int64 `json:"completion"`
	Reasoning  int64 `json:"reasoning,omitempty"` // part of Completion
	Cached     int64 `json:"cached,omitempty"`    // part of Prompt
	Wasted     int64 `json:"wasted,omitempty"`    // of replies that broke off and were asked again
	Estimated  bool  `json:"estimated,omitempty"`
}

// Response is a complete reply.
type Response struct {
	Content      string        `json:"content"`
	Reasoning    string        `json:"reasoning,omitempty"`
	FinishReason string        `json:"finish_reason"` // stop, length, content_filter, …
	Model        string        `json:"model"`
	Usage        Usage         `json:"usage"`
	Cost         *float64      `json:"cost,omitempty"` // USD as the endpoint reports it; nil: not reported
	Attempts     int           `json:"attempts"`
	Duration     time.Duration `json:"duration"`
}

// Model answers. It is safe for concurrent use. Generate returns a complete reply or an *Error; on, if
// not nil, gets the pieces while they arrive, from one goroutine, hears of every wait for another try, and
// after a broken stream starts anew with a Restart delta.
type Model interface {
	Name() string
	Generate(ctx context.Context, req Request, on func(Delta)) (Response, error)
}

// ErrorKind sorts failures by what a person can do about them.
type ErrorKind string

// The kinds of failure.
const (
	ErrAuth           ErrorKind = "auth"
	ErrQuota          ErrorKind = "quota"
	ErrRateLimit      ErrorKind = "rate_limit"
	ErrContextTooLong ErrorKind = "context_too_long"
	ErrContentFilter  ErrorKind = "content_filter"
	ErrNoReply        ErrorKind = "no_reply"       // an answer in good order that holds no reply: no choice, or null for its content
	ErrToolCalls      ErrorKind = "tool_calls"     // calls of tools in the endpoint's own interface instead of a reply
	ErrReplyTooLong   ErrorKind = "reply_too_long" // a reply that does not end
	ErrBadRequest     ErrorKind = "bad_request"
	ErrUnavailable    ErrorKind = "unavailable"
	ErrCancelled      ErrorKind = "cancelled"
	ErrNotRecorded    ErrorKind = "not_recorded"
)

// Error is a failed call: one clear line, never a key or a header.
type Error struct {
	Kind    ErrorKind
	Status  int // HTTP status, 0 if none
	Message string
	Err     error
}

func (e *Error) Error() string { return e.Message }
func (e *Error) Unwrap() error { return e.Err }
