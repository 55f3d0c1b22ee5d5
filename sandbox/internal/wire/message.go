package wire

import (
	"encoding/json"

	"github.com/gorlm/rlm/internal/builtins"
	"github.com/gorlm/rlm/internal/kit/bundle"
	"github.com/gorlm/rlm/internal/kit/outline"
	"github.com/gorlm/rlm/repl"
	"github.com/gorlm/rlm/sandbox/internal/jail"
)

// Bounds are the limits that a worker enforces itself, so that an honest cell gets a helpful error instead of being
// killed by the host. The host checks them again.
type Bounds struct {
	Memory   int64 `json:"memory"`    // soft limit of the Go heap, bytes
	Stack    int   `json:"stack"`     // bytes of the stack of one goroutine
	Output   int   `json:"output"`    // bytes of output kept, head and tail
	Stream   int   `json:"stream"`    // bytes of output streamed while a cell runs
	InFlight int   `json:"in_flight"` // calls in flight
	Prompt   int   `json:"prompt"`    // bytes of one prompt
	Text     int   `json:"text"`      // bytes of a child's text beyond the context
	Answer   int   `json:"answer"`    // bytes of an answer
}

// Doc is a document as a range of the context.
type Doc struct {
	Name   string       `json:"name"`
	Offset int64        `json:"offset"`
	Size   int64        `json:"size"`
	Kind   string       `json:"kind,omitempty"`
	Parts  outline.List `json:"parts,omitempty"`
	Notes  []string     `json:"notes,omitempty"`
}

// Text is a context as a range of an attached file.
type Text struct {
	Offset  int64    `json:"offset"`
	Size    int64    `json:"size"`
	Handle  uint64   `json:"handle,omitempty"` // Windows: the file's handle in the worker
	Docs    []Doc    `json:"docs,omitempty"`
	Version int      `json:"version,omitempty"` // version of the context that marks refer to
	History []string `json:"history,omitempty"`
}

// InitMeta is the meta part of Init. The builtins are plain data from which the worker builds the functions.
type InitMeta struct {
	Bounds   Bounds          `json:"bounds"`
	Text     Text            `json:"text"`
	Builtins []builtins.Spec `json:"builtins,omitempty"`
	Engine   repl.Engine     `json:"engine,omitempty"`
	// Probe is set for a worker that makes attacks for rlm doctor and runs no cells.
	Probe bool `json:"probe,omitempty"`
}

// LockedMeta is the meta part of Locked: the layers that a worker put around itself.
type LockedMeta struct {
	Layers jail.Layers `json:"layers"`
}

// ReadyMeta is the meta part of Ready. Error says why there is no notebook; it is empty if there is one.
type ReadyMeta struct {
	Error string `json:"error,omitempty"`
}

// RunMeta is the meta part of Run; the body is the source.
type RunMeta struct {
	Untagged bool    `json:"untagged,omitempty"`
	Seed     int64   `json:"seed"`
	Clock    []int64 `json:"clock,omitempty"`
	Muted    bool    `json:"muted,omitempty"`
	// Again means that the cell ran before: Fired lists the timers that fired then, and Replies counts the
	// recorded replies.
	Again   bool        `json:"again,omitempty"`
	Fired   []repl.Fire `json:"fired,omitempty"`
	Replies int         `json:"replies,omitempty"`
	// Tell asks for Began when the engine has accepted the cell, before any of it runs.
	Tell bool `json:"tell,omitempty"`
}

// CallMeta is the meta part of Call; the body is the prompt followed by the texts that are not ranges of the
// context.
type CallMeta struct {
	Impl    string          `json:"impl"`
	Tool    string          `json:"tool,omitempty"`
	Options json.RawMessage `json:"options,omitempty"`
	Batch   builtins.Batch  `json:"batch,omitzero"`
	Prompt  int             `json:"prompt"` // bytes of the prompt in the body
	Texts   []CallText      `json:"texts,omitempty"`
	// Clock and Fired contain, packed, the clock readings and the fired timers that the cell has received since its
	// last call.
	Clock []byte `json:"clock,omitempty"`
	Fired []byte `json:"fired,omitempty"`
}

// MaxTexts bounds the texts of one call.
const MaxTexts = 256

// CallText is a text passed to a child run: a range of the context, or the next Size bytes of the body.
type CallText struct {
	InContext bool  `json:"in_context,omitempty"`
	Offset    int64 `json:"offset,omitempty"`
	Size      int64 `json:"size"`
}

// ReplyMeta is the meta part of Reply; the body is the reply's text.
type ReplyMeta struct {
	Error  string `json:"error,omitempty"`
	Unwind bool   `json:"unwind,omitempty"`
	// Astray means, together with Unwind, that the cell is a replay and strayed from its record.
	Astray bool `json:"astray,omitempty"`
	// Place is the reply's position, from 1, in the record of a cell that runs again.
	Place int `json:"place,omitempty"`
	// Later means that this is not a reply, because the call of the repeated cell is not in its record; the reply
	// follows when it is available.
	Later bool `json:"later,omitempty"`
}

// ResultMeta is the meta part of Result; the body is the end of the output, without what was streamed.
type ResultMeta struct {
	Result repl.Result `json:"result"`
	// Clock and Fired are Result.Clock and Result.Fired, packed.
	Clock []byte `json:"clock,omitempty"`
	Fired []byte `json:"fired,omitempty"`
	// Items are Result.Items, packed.
	Items   []byte `json:"items,omitempty"`
	Printed int64  `json:"printed"` // bytes of the whole output
	Sound   bool   `json:"sound"`
	// Kept is what a cell left behind if its host, or one of its calls, ended it early.
	Kept *repl.Kept `json:"kept,omitempty"`
}

// PeekMeta is the meta part of Peek; the body is the end of the output, without what was streamed.
type PeekMeta struct {
	// Parked means that no goroutine of the cell can run again unless a call is answered or a timer fires.
	Parked bool `json:"parked"`
	// Pending means that a timer or something else will wake a goroutine. Only a replay reports Parked although
	// Pending is true.
	Pending bool  `json:"pending,omitempty"`
	Printed int64 `json:"printed"`
	// Computes means that interpreted code is running now.
	Computes bool `json:"computes,omitempty"`
	// Clock and Fired contain, packed, the clock readings and the fired timers that the cell has received but no
	// call has reported. ClockFrom and FiredFrom are the numbers of those that calls have reported.
	ClockFrom int    `json:"clock_from,omitempty"`
	Clock     []byte `json:"clock,omitempty"`
	FiredFrom int    `json:"fired_from,omitempty"`
	Fired     []byte `json:"fired,omitempty"`
}

// VarsMeta is the meta part of a worker's answer to Vars.
type VarsMeta struct {
	Vars []repl.Var `json:"vars"`
}

// MembersMeta is the meta part of Members: the operand, and in the worker's answer also its members.
type MembersMeta struct {
	Of    string   `json:"of,omitempty"`
	Names []string `json:"names,omitempty"`
}

// AssistMeta is the meta part of Assist: the question, and in the worker's answer also the result.
type AssistMeta struct {
	Complete  *string          `json:"complete,omitempty"`  // the beginning of a cell
	Signature *string          `json:"signature,omitempty"` // the beginning of a cell, up to an open call
	Check     *string          `json:"check,omitempty"`     // a cell to check
	Find      *builtins.Search `json:"find,omitempty"`
	Table     *bundle.Query    `json:"table,omitempty"`

	Completion repl.Completion  `json:"completion,omitzero"`
	Called     *repl.Signature  `json:"called,omitempty"`
	Wrong      *repl.CellError  `json:"wrong,omitempty"`
	Finding    builtins.Finding `json:"finding,omitzero"`
	Page       *bundle.Page     `json:"page,omitempty"`
	Failed     string           `json:"failed,omitempty"` // why there is no page or finding
}

// ProbeMeta is the meta part of Probe.
type ProbeMeta struct {
	Name string `json:"name"`
	// Host is the host's process id as the host sees it.
	Host int `json:"host,omitempty"`
	// Done means that the attack worked.
	Done bool `json:"done,omitempty"`
	// Outcome describes what happened, for people.
	Outcome string `json:"outcome,omitempty"`
}
