package repl

import (
	"cmp"
	"context"
	"fmt"
	"go/types"
	"io"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/gorlm/rlm/internal/answer"
	"github.com/gorlm/rlm/internal/cellerror"
	"github.com/gorlm/rlm/internal/kit/bundle"
	"github.com/gorlm/rlm/repl/internal/check"
	"github.com/gorlm/rlm/repl/internal/decide"
	"github.com/gorlm/rlm/repl/internal/engine"
	"github.com/gorlm/rlm/repl/internal/stdlib"
	"github.com/gorlm/rlm/repl/internal/unwind"
	"github.com/gorlm/rlm/repl/internal/value"
)

// Notebook is a session of cells: variables, functions and types persist from cell to cell. It is not safe for
// concurrent use; one cell runs at a time.
type Notebook struct {
	cfg    Config
	front  *check.Session
	engine engine.Engine
	reader value.Reader
	stdout *output
	// arrivals delivers replies and timers to the goroutines of cells.
	arrivals *decide.Arrivals
	context  string
	docs     []Doc
	history  []string
	step     int
	cells    int
	unsound  bool
	// calls contains the builtin calls of all cells, indexed by the number that each call passes.
	calls []callSite
	// last describes the variables after the last cell, by their names in hoisted files.
	last map[string]Var
	cell atomic.Pointer[execution]
	// sources contains the source of each cell as written, so that messages about panics can quote its lines.
	sources map[int]string
	// tables contains the tables that cells displayed only in part, newest last.
	tables []*bundle.Rows
}

// callSite is a call of a builtin in a cell.
type callSite struct {
	check.Call
	// names contains the variables that the cell itself declares; they may be dropped when the cell ends.
	names map[string]*types.Var
}

// execution is the state of a running cell, shared by the builtins that its goroutines call.
type execution struct {
	ctx    context.Context
	cancel context.CancelFunc
	grace  time.Duration
	// sentinel is the sentinel of this cell; unwind panics with the sentinel of the cell that the calling goroutine
	// belongs to.
	sentinel *answer.Sentinel
	unwind   func()

	answering sync.Mutex // held while an answer is reported

	mu     sync.Mutex
	over   bool // an answer is recorded, or the cell should end: every builtin unwinds
	final  *answer.FinalOutput
	failed *CellError
	notes  []string
	called []string
	value  string
	items  []bundle.Item
	replay []int64
	clock  []int64
}

// New makes a notebook. It returns errors of the configuration, such as two builtins with the same name or a
// builtin whose Source does not compile.
func New(cfg Config) (*Notebook, error) {
	n := &Notebook{cfg: cfg, last: map[string]Var{}, sources: map[int]string{}, arrivals: decide.NewArrivals()}
	n.context, n.docs, n.history = cfg.Context, cfg.Docs, cfg.History
	n.cfg.grace = cmp.Or(cfg.grace, engine.Grace)
	if cfg.Stdout == nil {
		n.cfg.Stdout = io.Discard
	}
	n.stdout = &output{w: n.cfg.Stdout}
	importer, err := takeImporter()
	if err != nil {
		return nil, err
	}
	if err := n.start(importer); err != nil {
		return nil, err
	}
	return n, n.runPrelude()
}

// start makes the front end and the engine.
func (n *Notebook) start(importer *stdlib.Importer) error {
	builtins, err := n.builtins()
	if err != nil {
		return err
	}
	vars := map[string]any{"context": &n.context, "docs": &n.docs, "history": &n.history, check.StepName: &n.step}
	session, natives, err := check.NewSession(importer, builtins, vars)
	if err != nil {
		return fmt.Errorf("making a notebook: %w", err)
	}
	values := n.values()
	for i, nat := range natives {
		if nat.Kind == engine.NativeFunc {
			natives[i].Value = values[nat.Name]
		}
	}
	engine, err := makeEngine(n.cfg.Engine, engine.Host{
		Stdout: n.stdout, Natives: natives, Arrivals: n.arrivals, Exit: n.exit, Grace: n.cfg.grace,
	})
	if err != nil {
		return fmt.Errorf("making a notebook: %w", err)
	}
	n.front, n.engine = session, engine
	n.cell.Store(&execution{ctx: context.Background(), sentinel: &answer.Sentinel{}, unwind: engine.Unwind})
	n.stdout.stale = engine.Stale
	inspector, _ := engine.(value.Inspector) // values of an engine that is not an inspector carry their Go types
	n.reader = value.Reader{Inspector: inspector, Context: n.contextRange}
	return nil
}

// runPrelude declares the builtins that are defined by Source.
func (n *Notebook) runPrelude() error {
	for _, b := range n.cfg.Builtins {
		if b.Source == "" {
			continue
		}
		checked, err := n.front.Check(0, n.counted(b))
		if err != nil {
			return fmt.Errorf("builtin %s: %w", b.Name, err)
		}
		program, err := n.engine.Load(checked.Unit)
		if err != nil {
			return fmt.Errorf("builtin %s: %w", b.Name, err)
		}
		n.front.Commit(checked.Change)
		n.addCalls(checked)
		conditions := engine.Conditions{Now: time.Now, Sentinel: n.cell.Load().sentinel}
		if out := n.engine.Run(context.Background(), program, conditions); out.Panic != nil {
			return fmt.Errorf("builtin %s: %v", b.Name, out.Panic)
		}
	}
	var signals []string
	for _, b := range n.cfg.Builtins {
		if b.Signal && b.Source != "" {
			signals = append(signals, b.Name)
		}
	}
	n.front.KeepPrelude(signals)
	for _, v := range n.Vars() {
		n.last[n.front.Lookup(v.Name).Obj.Name()] = v
	}
	return nil
}

// Sound reports whether the notebook's state can be trusted. Once false, it stays false.
func (n *Notebook) Sound() bool { return !n.unsound }

// SetContext replaces the context, the documents and the history for the following cells. Values of earlier
// cells that point into the old context stay valid. SetContext must not be called while a cell runs.
func (n *Notebook) SetContext(text string, docs []Doc, history []string) {
	n.context, n.docs, n.history = text, docs, history
	n.cfg.Context, n.cfg.Docs, n.cfg.History = text, docs, history
}

// addCalls records the builtin calls of a cell.
func (n *Notebook) addCalls(checked *check.CheckedUnit) {
	names := map[string]*types.Var{}
	for _, v := range checked.Change.Vars {
		names[v.Name] = v.Obj
	}
	for _, c := range checked.Calls {
		for len(n.calls) <= c.ID {
			n.calls = append(n.calls, callSite{})
		}
		n.calls[c.ID] = callSite{Call: c, names: names}
	}
}

// end records why the cell ends, unless a reason is recorded already, and unwinds the calling goroutine. The cell
// is cancelled if it is still running after the grace period.
func (r *execution) end(final *answer.FinalOutput, failed *CellError) {
	r.mu.Lock()
	if !r.over {
		r.over, r.final, r.failed = true, final, failed
		time.AfterFunc(r.grace, r.cancel)
	}
	r.mu.Unlock()
	r.unwind()
}

// gate unwinds the calling goroutine if the cell should end.
func (r *execution) gate() {
	r.mu.Lock()
	over := r.over
	r.mu.Unlock()
	if over {
		r.unwind()
	}
}

// apart runs work, which may call code of a cell, on a separate goroutine. Like a cell's goroutines, that one
// catches the sentinel; apart returns any other panic value.
func (r *execution) apart(work func()) (panicked any) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			if v := recover(); v != any(r.sentinel) {
				panicked = v
			}
		}()
		unwind.Boundary(work)
	}()
	<-done
	return panicked
}

// display appends an item to the cell's output, up to maxItems.
func (r *execution) display(i bundle.Item) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.items) < maxItems {
		r.items = append(r.items, i)
	}
}

func (r *execution) note(text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !slices.Contains(r.notes, text) && len(r.notes) < maxNotes {
		r.notes = append(r.notes, text)
	}
}

func (r *execution) call(name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !slices.Contains(r.called, name) {
		r.called = append(r.called, name)
	}
}

// maxClock bounds the recorded clock readings of one cell; later readings return the last one.
const (
	maxClock = 100_000
	maxNotes = 100
	maxItems = 64
)

// now returns a reading of the clock, from the recording if that has more, otherwise from the real clock, and
// records it.
func (r *execution) now() time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	var t int64
	switch n := len(r.clock); {
	case n < len(r.replay):
		t = r.replay[n]
	case n >= maxClock:
		return time.Unix(0, r.clock[n-1])
	default:
		t = time.Now().UnixNano()
	}
	r.clock = append(r.clock, t)
	return time.Unix(0, t)
}

// given returns the clock readings so far.
func (r *execution) given() []int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.clock[:len(r.clock):len(r.clock)]
}

// exit is os.Exit for cells.
func (n *Notebook) exit(code int) {
	if n.engine.Stale() {
		n.engine.Unwind()
	}
	n.cell.Load().gate()
	if code == 0 {
		n.cell.Load().end(nil, nil)
	}
	n.cell.Load().end(nil, &CellError{
		Kind: cellerror.Panic, Message: fmt.Sprintf(
			"exit status %d: os.Exit or log.Fatal ended the cell; the session goes on with what was assigned before",
			code),
	})
}

// record reports an answer to the host and unwinds the cell. The first answer wins; the host never sees another.
func (n *Notebook) record(r *execution, out answer.FinalOutput) {
	r.answering.Lock()
	defer r.answering.Unlock()
	r.gate()
	if n.cfg.Final != nil {
		if err := n.cfg.Final(out); err != nil {
			r.end(nil, &CellError{
				Kind:    cellerror.WorkerExit,
				Message: "the answer could not be recorded: " + err.Error(),
			})
		}
	}
	r.end(&out, nil)
}

var siteType = reflect.TypeFor[*Site]()

// contextRange returns the offset of a text in the context, if it shares the context's memory.
func (n *Notebook) contextRange(s string) (offset int, ok bool) {
	if len(s) == 0 || len(n.cfg.Context) == 0 {
		return 0, false
	}
	at, start := uintptr(unsafe.Pointer(unsafe.StringData(s))),
		uintptr(unsafe.Pointer(unsafe.StringData(n.cfg.Context)))
	if at < start || at+uintptr(len(s)) > start+uintptr(len(n.cfg.Context)) {
		return 0, false
	}
	return int(at - start), true
}
