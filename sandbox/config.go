// Package sandbox runs cells in expendable worker processes that can do nothing but compute: no files, no network,
// no environment, no other processes. A [Session] is a notebook with state; a [Workers] bounds the processes of a
// whole tree of sessions.
//
// A worker is a copy of the running program, whatever program that is (a command, a test binary, a program that
// imports this package): an init function in this package recognises that the process was started as a worker and
// never returns to the program's main. So a program need not call anything to set this up.
//
// Every worker pays, in time and in memory, for the package variables and init functions that Go initialises before
// this package. These must not exit, and must not need an environment, arguments or files, because a worker has
// none. Of the packages whose imports are initialised, Go initialises the one whose path sorts first, and this
// package comes late because it imports many others. So packages that do not import it may be initialised before
// it. Keep initialisation cheap with sync.OnceValue, and read configuration in main.
package sandbox

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"

	"github.com/gorlm/rlm/internal/builtins"
	"github.com/gorlm/rlm/internal/kit/outline"
	"github.com/gorlm/rlm/repl"
	"github.com/gorlm/rlm/sandbox/internal/wire"
)

// Level is how well a worker is locked in, as measured in the worker.
type Level string

// The levels, weakest first. Basic is not a security boundary.
const (
	// Basic is a separate process with a clean environment. It contains accidents, not attacks.
	Basic Level = "basic"
	// Standard adds a seccomp allow-list on every thread, resource limits and, where the kernel has it, landlock.
	Standard Level = "standard"
	// Strict adds separate namespaces with an empty root and no network, landlock, and no capabilities.
	Strict Level = "strict"
)

// Best asks for the highest level that the machine offers. With Strict or Standard, no worker starts if the machine
// does not offer that level.
const Best Level = "best"

// Auto starts a notebook in yaegi and moves it to the exact engine when a cell needs that, at most once.
const Auto repl.Engine = "auto"

// Limits bound one cell. Zero means the default.
type Limits struct {
	CellTime   time.Duration // wall time except waits for sub-calls; default 120 s
	CellCPU    time.Duration // CPU time of all threads; default 10 × CellTime
	CellMemory int64         // resident bytes, not counting the context; default 1 GiB
	Output     int           // bytes of output kept per cell, head + tail; default 20 000
	Source     int           // bytes of source; default 256 KiB
	InFlight   int           // host calls in flight; default 256
	Prompt     int           // bytes of one prompt; default 8 MiB
	// bytes of all texts of one child run, unless the only text is a range of the context; default 64 MiB
	Text       int
	Answer     int           // bytes of an answer; default 4 MiB
	ReplayTime time.Duration // for running earlier cells again; default three times what they took, at least 30 s
	Replays    int           // replacements of a dead worker per run; default 3
	MoveAfter  time.Duration // CPU time after which interpreted code moves to exact, with Auto; default 250 ms
}

// Context is the text of a session, as a range of a file.
type Context struct {
	File   *os.File // sealed and read-only for everyone; nil means no text
	Offset int64
	Size   int64
	Docs   []DocRange
}

// DocRange is a document as a range of the context (offsets relative to Context.Offset).
type DocRange struct {
	Name   string       `json:"name"`
	Offset int64        `json:"offset"`
	Size   int64        `json:"size"`
	Kind   string       `json:"kind,omitempty"`  // format of the original; empty for text
	Parts  outline.List `json:"parts,omitempty"` // pages, sheets, …: ranges of the document
	Notes  []string     `json:"notes,omitempty"` // what was skipped, guessed or salvaged
}

// Call is a worker's call of a host function.
type Call struct {
	Cell    int
	Impl    string
	Tool    string
	Options json.RawMessage
	Body    []byte
	// Text is the context of a child run: ranges of the session's context, or separate bytes.
	Text  []TextArg
	Batch builtins.Batch
	// Hash identifies the call's content (impl, tool, options, body, text, index in a batch); N counts earlier calls of
	// the same Hash in the same cell. (Cell, Hash, N) is the key under which a reply is recorded.
	Hash string
	N    int
	// Clock and Fired list the clock readings and the fired timers that the cell had received when it made the
	// call. With them, a cell that does not finish can be repeated up to this call.
	Clock []int64
	Fired []repl.Fire
}

// TextArg is text handed to a child run.
type TextArg struct {
	InContext    bool
	Offset, Size int64  // if InContext: relative to the session's context
	Bytes        []byte // otherwise
}

// Reply answers a Call.
type Reply struct {
	Body []byte `json:"body,omitempty"`
	// Error is an ordinary failure of this call, worded for the model.
	Error string `json:"error,omitempty"`
	// Unwind ends the cell: the budget is gone or the run is cancelled. Error gives the reason.
	Unwind bool `json:"unwind,omitempty"`
	// Order, if not 0, is the reply's position, counted from 1 without gaps, among the replies that Config.Call
	// returns to the running cell. The cell receives them in this order, which is that of the log.
	Order int `json:"-"`
}

// CallRecord is an answered call, for replay.
type CallRecord struct {
	Hash  string
	N     int
	Reply Reply

	place int // position in the cell's record, from 1; 0 if the reply was not yet recorded when the cell began
}

// CellRecord is a cell that ran, with everything needed to repeat it with the same effect.
type CellRecord struct {
	Cell     int
	Source   string
	Untagged bool
	Seed     int64
	Clock    []int64
	Fired    []repl.Fire
	Calls    []CallRecord // in the order in which the cell received the replies
	Took     time.Duration
	Computed time.Duration // CPU time
	Changed  []repl.Var    // the variables it changed, to compare after a replay
	// Context, if not nil, replaced the context before this cell; History was set with it.
	Context *Context
	History []string
}

// As returns the record for a cell that was stopped: its source is replaced by that of kept, which has the same
// effect.
func (c CellRecord) As(kept repl.Kept) CellRecord {
	c.Source, c.Untagged = cmp.Or(kept.Source, "{}"), false
	c.Clock, c.Fired, c.Calls, c.Computed = nil, nil, nil, 0
	return c
}

// Config configures a session.
type Config struct {
	Level    Level // Best (also ""), Standard or Strict; Basic runs without any lock-down
	Limits   Limits
	Context  Context
	History  []string
	Builtins []builtins.Spec
	// Engine runs the cells: repl.Yaegi, repl.Exact or Auto (also "").
	Engine repl.Engine
	// Call answers host functions. It is called from several goroutines, at most Limits.InFlight at the same time,
	// and never for calls that a replay answers. Its context ends with the cell. If it starts a session for a
	// child, it must pass on that context, so that a tree of sessions cannot deadlock waiting for workers.
	Call func(ctx context.Context, c Call) Reply
	// Print receives what a cell prints, while it prints. It must not block.
	Print func(cell int, text []byte)
	// Restoring is called each time a recorded cell has run again: cells is the number that have run so far, of the
	// number that will run. It must not block.
	Restoring func(cells, of int)
	// Moved is called when a notebook moves to the other engine, before anything shows that it has moved. An error
	// ends the cell.
	Moved func(m Move) error
	// Seed makes random numbers repeatable: cell n is seeded with Seed+n.
	Seed int64
	// Marks are the marks that the notebook has already given: their passages keep their numbers, and new marks
	// get higher ones.
	Marks []Mark
	// Workers bounds workers and memory of a whole tree of sessions; nil means a tree of one.
	Workers *Workers
}

// WithDefaults returns the limits with defaults for those that are zero.
func (l Limits) WithDefaults() Limits {
	def(&l.CellTime, 120*time.Second)
	def(&l.CellCPU, 10*l.CellTime)
	def(&l.CellMemory, 1<<30)
	def(&l.Output, 20_000)
	def(&l.Source, 256<<10)
	def(&l.InFlight, 256)
	def(&l.Prompt, 8<<20)
	def(&l.Text, 64<<20)
	def(&l.Answer, 4<<20)
	def(&l.ReplayTime, 30*time.Second)
	def(&l.Replays, 3)
	def(&l.MoveAfter, 250*time.Millisecond)
	return l
}

func def[T int | int64 | time.Duration](v *T, otherwise T) {
	if *v <= 0 {
		*v = otherwise
	}
}

// maxStack bounds the stack of one goroutine: about a million interpreted calls. While a stack grows, its old and
// new copies both exist. So a worker with less memory needs a smaller bound, for an overflow to be recognised.
const maxStack = 256 << 20

// stream is how many bytes of a cell's output are streamed while it runs; the host receives only the end of any
// output beyond that.
func (l Limits) stream() int { return max(4*l.Output, 256<<10) }

func (l Limits) bounds() wire.Bounds {
	return wire.Bounds{
		Memory:   l.CellMemory / 10 * 8,
		Stack:    int(min(max(l.CellMemory/4, 8<<20), maxStack)),
		Output:   l.Output,
		Stream:   l.stream(),
		InFlight: l.InFlight,
		Prompt:   l.Prompt,
		Text:     l.Text,
		Answer:   l.Answer,
	}
}

// check rejects a context whose ranges are inconsistent.
func (c Context) check() error {
	if c.Size < 0 || c.Offset < 0 || c.Offset > 1<<62 || c.Size > 1<<62 {
		return fmt.Errorf("context: the range %d+%d is invalid", c.Offset, c.Size)
	}
	if c.Size == 0 {
		return nil
	}
	if c.File == nil {
		return fmt.Errorf("context: %d bytes without a file", c.Size)
	}
	info, err := c.File.Stat()
	if err != nil {
		return fmt.Errorf("context: %w", err)
	}
	if info.Size() < c.Offset+c.Size {
		return fmt.Errorf("context: the file has %d bytes, the range ends at %d", info.Size(), c.Offset+c.Size)
	}
	for _, d := range c.Docs {
		if d.Offset < 0 || d.Size < 0 || d.Offset > c.Size-d.Size {
			return fmt.Errorf("context: document %q lies outside the context", d.Name)
		}
		if err := d.Parts.Check(d.Size); err != nil {
			return fmt.Errorf("context: document %q: %w", d.Name, err)
		}
	}
	return nil
}

func (t textState) wire() wire.Text {
	w := wire.Text{Offset: t.context.Offset, Size: t.context.Size, History: t.history, Version: t.version}
	w.Docs = make([]wire.Doc, 0, len(t.context.Docs)) // there may be many
	for _, d := range t.context.Docs {
		w.Docs = append(w.Docs, wire.Doc(d))
	}
	return w
}
