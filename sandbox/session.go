package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"time"

	"github.com/gorlm/rlm/repl"
	"github.com/gorlm/rlm/repl/builtins"
)

// Level is how well a worker is locked in, as measured, not as hoped for.
type Level string

// The levels, weakest first. Basic is no security boundary.
const (
	Basic    Level = "basic"
	Standard Level = "standard"
	Strict   Level = "strict"
)

// Best asks for the highest level the machine offers; Strict and Standard fail closed.
const Best Level = "best"

// Limits bound one cell. Zero means the default.
type Limits struct {
	CellTime   time.Duration // wall time without time spent waiting for sub-calls; default 120 s
	CellCPU    time.Duration // CPU time; default 10 × CellTime
	CellMemory int64         // bytes resident beyond the context; default 1 GiB
	Output     int           // bytes of output kept per cell, head + tail; default 20 000
	Source     int           // bytes of source; default 256 KiB
	InFlight   int           // host calls in flight; default 256
	Prompt     int           // bytes of one prompt; default 8 MiB
	Answer     int           // bytes of an answer; default 4 MiB
	ReplayTime time.Duration // default 30 s
	Replays    int           // default 3
}

// Context is the text of a session, by reference.
type Context struct {
	File   *os.File // sealed and read-only for everyone; nil means no text
	Offset int64
	Size   int64
	Docs   []DocRange
}

// DocRange is a document as a range of the context (offsets relative to Context.Offset).
type DocRange struct {
	Name   string `json:"name"`
	Offset int64  `json:"offset"`
	Size   int64  `json:"size"`
}

// Call is a call of a host function that a worker makes.
type Call struct {
	Cell    int
	Impl    string
	Tool    string
	Options json.RawMessage
	Body    []byte
	// Text is the context of a child run: ranges of the context, or bytes of its own.
	Text  []TextArg
	Batch builtins.Batch
	// Hash identifies the call's content (impl, tool, options, body, text); N counts earlier calls of the same
	// Hash in the same cell. (Cell, Hash, N) is the key under which a reply is recorded.
	Hash string
	N    int
}

// TextArg is text handed to a child run.
type TextArg struct {
	InContext    bool
	Offset, Size int64  // when InContext, relative to the session's context
	Bytes        []byte // otherwise
}

// Reply answers a Call.
type Reply struct {
	Body []byte `json:"body,omitempty"`
	// Error is an ordinary failure of this call, in words for the model.
	Error string `json:"error,omitempty"`
	// Unwind ends the cell: the budget is gone or the run is cancelled. Error says which.
	Unwind bool `json:"unwind,omitempty"`
}

// CallRecord is an answered call, for replay.
type CallRecord struct {
	Hash  string
	N     int
	Reply Reply
}

// CellRecord is a cell that ran, with all that is needed to run it again to the same effect.
type CellRecord struct {
	Cell     int
	Source   string
	Untagged bool
	Seed     int64
	Clock    []int64
	Calls    []CallRecord
	Changed  []repl.Var // what the cell left behind, to compare after a replay
	// Context, when not nil, is a change of the context before this cell.
	Context *Context
}

// Config is what a session is made from.
type Config struct {
	Level    Level // Best, Standard or Strict
	Limits   Limits
	Context  Context
	History  []string
	Builtins []builtins.Spec
	// Call answers host functions. It is called from several goroutines, at most Limits.InFlight at once,
	// never for calls that a replay answers.
	Call func(ctx context.Context, c Call) Reply
	// Print is given what a cell prints, while it prints. It must not block.
	Print func(cell int, text []byte)
	// Seed makes random numbers repeatable: cell n is seeded with Seed+n.
	Seed int64
	// Workers bounds workers and memory of a whole tree of sessions; nil for a tree of one.
	Workers *Workers
}

// Restore says what happened when a worker was replaced.
type Restore struct {
	Cells int           `json:"cells"` // cells that were run again
	Took  time.Duration `json:"took"`
	Lost  []string      `json:"lost,omitempty"` // variables that could not be restored
	Why   string        `json:"why,omitempty"`  // why something was lost
}

// Result is what a cell did, as the host knows it.
type Result struct {
	repl.Result
	// Output is what the cell printed, cut in the middle to Limits.Output.
	Output string
	// Truncated is the number of bytes that were cut out of Output.
	Truncated int64
	// Seed is the seed the cell ran with.
	Seed int64
	// Calls are the host calls that were answered while the cell ran.
	Calls []CallRecord
	// Restore is set when the worker died or was killed and replaced.
	Restore *Restore
}

// Session is a notebook with state in a worker process. One cell runs at a time.
type Session struct{ session }

type session struct{}

// Workers bounds the worker processes of a tree of sessions and keeps one spare warm.
type Workers struct{ workers }

type workers struct{}

// Cell is what a session runs.
type Cell struct {
	Source   string
	Untagged bool
}

var errNotBuilt = errors.New("not built yet")

// NewWorkers makes the pool for one tree: at most max processes at once, their memory together at
// most memory bytes (0: the defaults, 8 and 4 GiB). Close it after its sessions.
func NewWorkers(max int, memory int64) *Workers { return &Workers{} }

// Close ends the spare and waits for every process to be reaped.
func (w *Workers) Close() error { return errNotBuilt }

// New starts a session. It fails closed when the level cannot be had.
func New(ctx context.Context, cfg Config) (*Session, error) { return nil, errNotBuilt }

// Run runs one cell. What goes wrong in a cell is in Result.Error; the error is for what makes the session
// unusable (no worker can be started, the session is closed).
func (s *Session) Run(ctx context.Context, cell Cell) (Result, error) { return Result{}, errNotBuilt }

// Restore runs recorded cells again, muted, with calls answered from the records, as after a death.
func (s *Session) Restore(ctx context.Context, cells []CellRecord) (Restore, error) {
	return Restore{}, errNotBuilt
}

// SetContext replaces the context and history for the cells to come; values that point into the old one stay valid.
func (s *Session) SetContext(ctx context.Context, c Context, history []string) error {
	return errNotBuilt
}

// Vars lists the session's variables.
func (s *Session) Vars(ctx context.Context) ([]repl.Var, error) { return nil, errNotBuilt }

// Level is the level the worker measured.
func (s *Session) Level() Level { return Basic }

// Close ends the worker. It is safe to call twice.
func (s *Session) Close() error { return errNotBuilt }
