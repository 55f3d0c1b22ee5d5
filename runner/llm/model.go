// Package llm defines Model, which answers a conversation, and the models behind it: a client of the
// endpoints of several providers, models that stand in for each other, replies that were recorded, and
// replies from a script.
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
	// Parts are what the message holds besides its text, in front of it. A model leaves out what it has no use for.
	Parts []Part `json:"parts,omitempty"`
}

// Part is a piece of a message besides its text.
type Part struct {
	Kind PartKind `json:"kind"`
	// From is who understands the part, as provider/MODEL; others are not sent it.
	From string `json:"from,omitempty"`
	Text string `json:"text,omitempty"` // of a thought
	// Data is what the provider wants back as it is: the signature of a thought, or a thought that only the provider
	// can read.
	Data string `json:"data,omitempty"`
}

// PartKind says what a part is.
type PartKind string

// The kinds of parts. More will be added, so a program passes on those that it does not know.
const (
	PartThought PartKind = "thought" // with its text and its signature
	PartSealed  PartKind = "sealed"  // a thought without a text
)

// Format asks for JSON that follows a schema.
type Format struct {
	Name   string          `json:"name"`
	Schema json.RawMessage `json:"schema"`
}

// Request is one call of a model. The zero value of an option means the endpoint's default.
type Request struct {
	Messages        []Message
	Temperature     *float64
	MaxTokens       int    // of the reply
	ReasoningEffort string // low, medium, high, or what else the endpoint knows
	Format          *Format
	// NoStream asks for the reply in one piece.
	NoStream bool
	// Once says that the conversation does not go on after the reply, so that only what other calls share with it
	// is worth keeping in the endpoint's cache.
	Once bool
	// Conversation names the run whose calls begin alike, so that an endpoint can send them to where their
	// beginning is cached; "" for none.
	Conversation string
	// Key places the call in its run; only recorded models look at it.
	Key Key
	// Kept, if not nil, is what was made of the conversation's messages so far. Models may ignore it.
	Kept *MessageCache
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
	// Restart discards all earlier pieces: the stream broke and the call is made again. Content and
	// Reasoning of the same delta belong to the new reply.
	Restart bool
	// Retry, if not nil, says that the call waits before its next try. Content and Reasoning are then
	// empty. Its Waste is what the earlier tries used, as far as no other Retry reported it.
	Retry *Retry
	Waste Waste
	// Fallback, if not nil, says that another model answers from here on. Content and Reasoning are then empty.
	Fallback *ModelSwitch
}

// ModelSwitch says that a model answers in the place of another.
type ModelSwitch struct {
	From, To string    // their names
	Reason   ErrorKind // what From failed with
	Waste    Waste     // what From used all the same
}

// Retry says that a call did not get its reply yet, and when it is tried again.
type Retry struct {
	Reason  string        // in a few words: "HTTP 429", "connection refused", "the stream broke off"; never what an endpoint wrote
	Attempt int           // number of the try that comes, from 1: the first too may have to wait when the endpoint holds back all calls
	Tries   int           // the most there can be
	Wait    time.Duration // until then
}

// Usage counts tokens. Estimated is set where the endpoint reported nothing, or numbers that cannot be true.
type Usage struct {
	Prompt     int64 `json:"prompt"`              // sent
	Completion int64 `json:"completion"`          // received
	Reasoning  int64 `json:"reasoning,omitempty"` // part of Completion
	Cached     int64 `json:"cached,omitempty"`    // part of Prompt that the endpoint had cached
	// CacheWritten is the part of Prompt that the endpoint put into its cache, where it reports that.
	CacheWritten int64 `json:"cache_written,omitempty"`
	// CacheWrittenHour is the part of CacheWritten that the endpoint keeps for an hour, which costs more.
	CacheWrittenHour int64 `json:"cache_written_hour,omitempty"`
	Wasted           int64 `json:"wasted,omitempty"` // of tries that brought no reply
	Estimated        bool  `json:"estimated,omitempty"`
}

// Response is a reply that the endpoint has ended. FinishReason says why it ended.
type Response struct {
	Content   string `json:"content"`
	Reasoning string `json:"reasoning,omitempty"` // what the model thought before it replied, if the endpoint reports it
	// Parts are what belongs to the reply besides its text and has to come back in the conversation's next request:
	// the parts of the message that holds the reply.
	Parts []Part `json:"parts,omitempty"`
	// FinishReason is one of FinishStop, FinishLength, FinishFilter, FinishRefusal and FinishTools; other words are the
	// endpoint's own, and it is not known whether the reply is complete.
	FinishReason string `json:"finish_reason"`
	Model        string `json:"model"` // that answered, as the endpoint names it
	// By is the name of the model that answered, where it is another than the one that was asked.
	By    string   `json:"by,omitempty"`
	Usage Usage    `json:"usage"`
	Cost  *float64 `json:"cost,omitempty"` // US dollars as the endpoint reports it; nil: not reported
	// Waste is what failed tries used, as far as no Retry reported it. Neither Cost nor Usage holds
	// it, but for Wasted, which is all of it.
	Waste    Waste         `json:"waste,omitzero"`
	Attempts int           `json:"attempts"` // requests that were made, from 1
	Duration time.Duration `json:"duration"` // with retries
}

// Model answers conversations. It must be safe for concurrent use.
//
// Name is the model's name, as it stands in logs and price tables. Generate returns a complete reply, or an
// error that should be an *Error so that callers can tell kinds of failure apart. While the reply arrives,
// its pieces are handed to on, if on is not nil: from one goroutine, in order, and before Generate returns.
// on also hears of every wait before a retry. After a stream that broke, the pieces begin again with a
// Restart delta.
type Model interface {
	Name() string
	Generate(ctx context.Context, req Request, on func(Delta)) (Response, error)
}

// ErrorKind sorts failures by what a person can do about them.
type ErrorKind string

// The kinds of failure. Of these only ErrRateLimit, ErrUnavailable and ErrNoReply may pass by themselves; a Client
// has then made all its tries.
const (
	ErrAuth           ErrorKind = "auth"             // the key is missing, wrong or not allowed to do this
	ErrQuota          ErrorKind = "quota"            // the account has no credit left
	ErrRateLimit      ErrorKind = "rate_limit"       // too many calls in a time
	ErrContextTooLong ErrorKind = "context_too_long" // the prompt does not fit into the model's window
	ErrContentFilter  ErrorKind = "content_filter"   // prompt or reply were withheld
	ErrNoReply        ErrorKind = "no_reply"         // the answer holds no reply: no choice, or null for its content
	ErrToolCalls      ErrorKind = "tool_calls"       // calls of tools in the endpoint's own interface instead of a reply
	ErrReplyTooLong   ErrorKind = "reply_too_long"   // the reply does not end
	ErrBadRequest     ErrorKind = "bad_request"      // the endpoint does not accept the request, or does not know the model
	ErrUnavailable    ErrorKind = "unavailable"      // no endpoint, a broken connection, a failure on its side
	ErrCancelled      ErrorKind = "cancelled"        // the caller ended the call
	ErrNotRecorded    ErrorKind = "not_recorded"     // a recording or a script holds no such reply
)

// Error is a failed call. Its message is one line that says what happened and what to do, and never holds a key or a
// header. Use errors.As to reach it.
type Error struct {
	Kind     ErrorKind
	Status   int           // HTTP status, 0 if none
	Message  string        // with what the endpoint said, cut to a line
	Err      error         // what callers can test for with errors.Is: a deadline, a refused connection; else nil
	Waste    Waste         // what the failed tries used, as far as no Retry reported it
	Calls    string        // with ErrToolCalls: the calls, name and arguments
	By       string        // the name of the model that failed, where it is another than the one that was asked
	Attempts int           // requests that were made
	Wait     time.Duration // that the endpoint asks for before another try; 0: it does not
}

func (e *Error) Error() string { return e.Message }

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }
