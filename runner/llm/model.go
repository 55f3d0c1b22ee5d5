// Package llm defines Model, which answers a conversation, and its implementations: a client for the endpoints of
// several providers, models with fallbacks, recorded replies, and scripted replies.
package llm

import (
	"context"
	"encoding/json"
	"time"
)

// Role is the author of a message.
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
	// Parts are further pieces of the message, which come before its text. A model ignores those it cannot use.
	Parts []Part `json:"parts,omitempty"`
}

// Part is a piece of a message in addition to its text.
type Part struct {
	Kind PartKind `json:"kind"`
	// From is the model that understands the part, as provider/MODEL; it is not sent to others.
	From string `json:"from,omitempty"`
	Text string `json:"text,omitempty"` // text of a thought
	// Data goes back to the provider unchanged: the signature of a thought, or a thought that only the provider
	// can read.
	Data string `json:"data,omitempty"`
}

// PartKind is the kind of a part.
type PartKind string

// The kinds of parts. More will be added, so programs must pass on those that they do not know.
const (
	PartThought PartKind = "thought" // with its text and its signature
	PartSealed  PartKind = "sealed"  // a thought without a text
)

// Format asks for JSON that follows a schema.
type Format struct {
	Name   string          `json:"name"`
	Schema json.RawMessage `json:"schema"`
}

// Request is one call of a model. A zero option means the endpoint's default.
type Request struct {
	Messages        []Message
	Temperature     *float64
	MaxTokens       int    // bound on the tokens of the reply
	ReasoningEffort string // low, medium, high, or any other that the endpoint knows
	Format          *Format
	// NoStream asks for the reply in one piece.
	NoStream bool
	// Once means that the conversation ends with the reply, so that only the prefix shared with other calls is
	// worth caching.
	Once bool
	// Conversation names a run, whose calls share a prefix, so that an endpoint can route them to the same cache;
	// "" for none.
	Conversation string
	// Key identifies the call in its run; only recorded models use it.
	Key Key
	// Kept, if not nil, caches work on the conversation's messages. Models may ignore it.
	Kept *MessageCache
}

// Key identifies a call within a run, independent of the order in which concurrent calls arrive.
type Key struct {
	Path string `json:"path"` // path of the run, "" for the root
	Cell int    `json:"cell"` // the calling cell; 0 for the run's own turns
	Hash string `json:"hash"` // hash of the messages and options
	N    int    `json:"n"`    // n-th call of the same Path, Cell and Hash, from 0
}

// Delta is a piece of a streamed reply, or announces a retry or another model.
type Delta struct {
	Content   string
	Reasoning string
	// Restart discards all earlier pieces: the stream broke and the call is retried. Content and Reasoning of the
	// same delta belong to the new reply.
	Restart bool
	// Retry, if not nil, announces a wait before the next try. Content and Reasoning are then empty. Its Waste is
	// the usage of earlier tries that no other Retry reported.
	Retry *Retry
	Waste Waste
	// Fallback, if not nil, announces that another model answers from here on. Content and Reasoning are then
	// empty.
	Fallback *ModelSwitch
}

// ModelSwitch is the switch to a model that replaces another.
type ModelSwitch struct {
	From, To string    // their names
	Reason   ErrorKind // of the failure of From
	Waste    Waste     // usage of the failed From
}

// Retry describes the next try of a call that has no reply yet.
type Retry struct {
	// in a few words: "HTTP 429", "connection refused", "the stream broke off"; never contains the endpoint's own
	// text
	Reason string
	// number of the next try, from 1: even the first may have to wait while the endpoint holds all calls
	Attempt int
	Tries   int           // maximum number of tries
	Wait    time.Duration // until the next try
}

// Usage counts tokens. Estimated is set if the endpoint reported no numbers or implausible ones.
type Usage struct {
	Prompt     int64 `json:"prompt"`              // tokens sent
	Completion int64 `json:"completion"`          // tokens received
	Reasoning  int64 `json:"reasoning,omitempty"` // part of Completion
	Cached     int64 `json:"cached,omitempty"`    // part of Prompt that was read from the cache
	// CacheWritten is the part of Prompt that was written to the cache, if reported.
	CacheWritten int64 `json:"cache_written,omitempty"`
	// CacheWrittenHour is the part of CacheWritten that is cached for an hour, which costs more.
	CacheWrittenHour int64 `json:"cache_written_hour,omitempty"`
	Wasted           int64 `json:"wasted,omitempty"` // used by tries without a reply
	Estimated        bool  `json:"estimated,omitempty"`
}

// Response is a complete reply. FinishReason is why it ended.
type Response struct {
	Content   string `json:"content"`
	Reasoning string `json:"reasoning,omitempty"` // the model's thoughts before the reply, if reported
	// Parts are the reply's pieces besides its text, to be sent back in the conversation's next request, as the
	// Parts of the reply's message.
	Parts []Part `json:"parts,omitempty"`
	// FinishReason is FinishStop, FinishLength, FinishFilter, FinishRefusal or FinishTools; any other word is the
	// endpoint's own, and the reply may be incomplete.
	FinishReason string `json:"finish_reason"`
	Model        string `json:"model"` // model that answered, as the endpoint names it
	// By is the name of the model that answered, if it is not the one that was called.
	By    string   `json:"by,omitempty"`
	Usage Usage    `json:"usage"`
	Cost  *float64 `json:"cost,omitempty"` // US dollars as reported; nil: not reported
	// Waste is the usage of failed tries that no Retry reported. Cost and Usage do not include it, except
	// Usage.Wasted, which counts all waste.
	Waste    Waste         `json:"waste,omitzero"`
	Attempts int           `json:"attempts"` // requests made, at least 1
	Duration time.Duration `json:"duration"` // including retries
}

// Model answers conversations. It must be safe for concurrent use.
//
// Name is the model's name in logs and price tables. Generate returns a complete reply, or an error, which should
// be an *Error so that callers can distinguish kinds of failure. As the reply arrives, on, if not nil, is called
// with its pieces: from one goroutine, in order, and before Generate returns. on also receives every wait before a
// retry. After a broken stream, the pieces start again with a Restart delta.
type Model interface {
	Name() string
	Generate(ctx context.Context, req Request, on func(Delta)) (Response, error)
}

// ErrorKind classifies failures by what a person can do about them.
type ErrorKind string

// The kinds of failure. Only ErrRateLimit, ErrUnavailable and ErrNoReply may pass with time; a Client has then
// used all its tries.
const (
	ErrAuth           ErrorKind = "auth"             // the key is missing, wrong or lacks permission
	ErrQuota          ErrorKind = "quota"            // the account has no credit left
	ErrRateLimit      ErrorKind = "rate_limit"       // too many calls per time
	ErrContextTooLong ErrorKind = "context_too_long" // the prompt does not fit into the model's window
	ErrContentFilter  ErrorKind = "content_filter"   // the prompt or the reply was withheld
	ErrNoReply        ErrorKind = "no_reply"         // no reply in the response: no choice, or null content
	ErrThoughtsOnly   ErrorKind = "thoughts_only"    // thoughts without a text
	ErrToolCalls      ErrorKind = "tool_calls"       // tool calls in the endpoint's interface instead of a reply
	ErrReplyTooLong   ErrorKind = "reply_too_long"   // the reply does not end
	// the endpoint does not accept the request, or does not know the model
	ErrBadRequest  ErrorKind = "bad_request"
	ErrUnavailable ErrorKind = "unavailable"  // no endpoint, a broken connection, a failure of the endpoint
	ErrCancelled   ErrorKind = "cancelled"    // the caller ended the call
	ErrNotRecorded ErrorKind = "not_recorded" // a recording or a script has no reply for the call
)

// Error is a failed call. Its message is one line that states what happened and what to do, and never contains a
// key or a header. Use errors.As to get it.
type Error struct {
	Kind     ErrorKind
	Status   int           // HTTP status, 0 if none
	Message  string        // includes the endpoint's message, shortened to one line
	Err      error         // for errors.Is: a deadline, a refused connection; else nil
	Waste    Waste         // usage of failed tries that no Retry reported
	Calls    string        // with ErrToolCalls: the calls, name and arguments
	Thoughts string        // with ErrThoughtsOnly: the thoughts
	By       string        // name of the model that failed, if not the one that was called
	Attempts int           // requests made
	Wait     time.Duration // asked for by the endpoint before a retry; 0: none
}

func (e *Error) Error() string { return e.Message }

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }
