package runner

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync/atomic"
	"time"

	"github.com/gorlm/rlm/internal/answer"
	"github.com/gorlm/rlm/internal/builtins"
	"github.com/gorlm/rlm/internal/kit/bundle"
	"github.com/gorlm/rlm/repl"
	"github.com/gorlm/rlm/runner/internal/corpus"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/sandbox"
)

// notebook is the sandboxed session of a run. Its worker starts when the first cell needs it. A notebook from a
// log runs the recorded cells again first.
type notebook struct {
	cfg     sandbox.Config
	session *sandbox.Session
	begun   *workerStart         // a worker starting in the background, nil if none
	told    sandbox.Level        // the level according to the log; empty if the log has none
	past    []sandbox.CellRecord // cells to run again first
	first   sandbox.Context      // what the first cell of past saw
	last    int                  // number of the latest cell
	names   map[string]struct{}
	caller  atomic.Pointer[cellHost] // answers the calls of the running cell
	watch   atomic.Pointer[watcher]
}

// watcher receives a notebook's events, other than those of its cells.
type watcher struct {
	restoring func(cells, of int)
	moved     func(sandbox.Move) error
}

// cellHost answers the calls of a running cell and receives its output.
type cellHost struct {
	answer func(context.Context, sandbox.Call) sandbox.Reply
	print  func(cell int, text []byte)
	moved  func(sandbox.Move) error
	output int // bytes of the cell's output that are shown
}

func newNotebook(cfg sandbox.Config) *notebook {
	n := &notebook{cfg: cfg, names: map[string]struct{}{}}
	n.cfg.Call = n.answer
	n.cfg.Print = n.print
	n.cfg.Restoring = n.restoring
	n.cfg.Moved = n.moved
	return n
}

// start starts the worker. It returns how the recorded cells were restored, nil if there were none. If time ran
// out and whole is set, start fails with errRestoreTime and can be tried again; otherwise the notebook has what
// could be restored.
func (n *notebook) start(ctx context.Context, whole bool, watch watcher) (*sandbox.Restore, error) {
	if n.session != nil {
		return nil, nil
	}
	if n.begun == nil {
		n.watch.Store(&watch)
	}
	s, err := n.open(ctx)
	if err != nil {
		return nil, fmt.Errorf("starting the notebook: %w", err)
	}
	restore, err := n.restore(ctx, s)
	if err == nil && whole && restore != nil && restore.Late {
		err = fmt.Errorf("%w: only %d of %d cells were run again in %s", errRestoreTime, restore.Cells, len(n.past),
			restore.Took.Round(time.Millisecond))
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	n.past = nil
	n.session = s
	return restore, nil
}

// open returns the session that is already starting, or makes one.
func (n *notebook) open(ctx context.Context) (*sandbox.Session, error) {
	if b := n.begun; b != nil {
		select {
		case <-b.done:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
		n.begun = nil
		b.stop()
		if b.session != nil {
			return b.session, nil
		}
	}
	cfg := n.cfg
	if len(n.past) > 0 && n.first.File != nil {
		cfg.Context, cfg.History = n.first, nil
	}
	return sandbox.New(ctx, cfg)
}

// workerStart is a worker that starts in the background while the reply with the first cell arrives.
type workerStart struct {
	stop    context.CancelFunc
	done    chan struct{}    // closed when the start is over
	session *sandbox.Session // nil if it could not start: the first cell tries again, and reports the reason
}

// begin starts the worker in the background, unless it has to run past cells again. Closing the notebook cancels the
// start; the end of ctx does not.
func (n *notebook) begin(ctx context.Context, watch watcher) {
	if n.session != nil || n.begun != nil || len(n.past) > 0 {
		return
	}
	n.watch.Store(&watch)
	ctx, stop := context.WithCancel(context.WithoutCancel(ctx))
	b, cfg := &workerStart{stop: stop, done: make(chan struct{})}, n.cfg
	n.begun = b
	go func() {
		defer close(b.done)
		b.session, _ = sandbox.New(ctx, cfg)
	}()
}

// errRestoreTime is the failure of a restore that ran out of time.
var errRestoreTime = errors.New(
	"the notebook could not be restored in time; resume the run when the machine is less busy")

// restoring reports each cell that was run again.
func (n *notebook) restoring(cells, of int) {
	if w := n.watch.Load(); w != nil {
		w.restoring(cells, of)
	}
}

// moved reports a move, and records the engine for later cells.
func (n *notebook) moved(m sandbox.Move) error {
	n.cfg.Engine = m.To
	if h := n.caller.Load(); h != nil {
		return h.moved(m)
	}
	if w := n.watch.Load(); w != nil {
		return w.moved(m)
	}
	return nil
}

// engine is the engine in which the next cell starts.
func (n *notebook) engine() repl.Engine {
	if e := n.cfg.Engine; e != "" && e != sandbox.Auto {
		return e
	}
	return repl.Yaegi
}

// goingOn is the engine in which a notebook continues whose last recorded cell ran in last: after a move to exact
// it stays there, unless configured for yaegi.
func goingOn(configured, last repl.Engine) repl.Engine {
	if last == repl.Exact && configured != repl.Yaegi && repl.Exact.Check() == nil {
		return repl.Exact
	}
	return configured
}

// engineMoved returns the event of a move.
func engineMoved(m sandbox.Move) trajectory.EngineMoved {
	return trajectory.EngineMoved{
		From: string(m.From), To: string(m.To), Cell: m.Cell, Reason: m.Reason, Why: m.Why, Cells: m.Cells,
		Took: m.Took,
	}
}

// restore runs the recorded cells again, and then sets the context of later cells.
func (n *notebook) restore(ctx context.Context, s *sandbox.Session) (*sandbox.Restore, error) {
	if len(n.past) == 0 {
		return nil, nil
	}
	restore, err := s.Restore(ctx, n.past)
	if err != nil {
		return nil, fmt.Errorf("running the recorded cells again: %w", err)
	}
	if err := s.SetContext(ctx, n.cfg.Context, n.cfg.History); err != nil {
		return nil, fmt.Errorf("giving the notebook its context: %w", err)
	}
	return &restore, nil
}

// tellRestore records how the variables of a notebook were restored, and warns if they differ. It returns the text
// for the model, "" if nothing differs.
func tellRestore(how string, r sandbox.Restore, record func(trajectory.Data) error) (text string, err error) {
	d := trajectory.Restored{
		How: how, Cells: r.Cells, Took: r.Took, Lost: r.Lost, Differing: r.Differing, Why: r.Why, LeftOut: r.LeftOut,
	}
	if err := record(d); err != nil {
		return "", err
	}
	switch {
	case r.Losses() != "":
		text = "the earlier cells were run again: " + r.Losses()
	case r.Why != "": // which variables differ is not known
		text = "the earlier cells were run again, but not all as before: " + r.Why
	default:
		return "", nil
	}
	warned := trajectory.Warned{About: "notebook", Text: text}
	return text + fmt.Sprintf("; the replies to the sub-calls of cell n are still there: %s(n)", recordedCalls),
		record(warned)
}

// run runs one cell; cell.Number is its number in the log.
func (n *notebook) run(ctx context.Context, by cellHost, cell sandbox.Cell) (sandbox.Result, error) {
	n.caller.Store(&by)
	defer n.caller.Store(nil)
	n.last = cell.Number
	cell.Output = by.output
	res, err := n.session.Run(ctx, cell)
	res.Items = bundle.Shown(res.Items, res.Output, res.Value, res.Truncated > 0)
	return res, err
}

// answer passes a call to the run whose cell made it.
func (n *notebook) answer(ctx context.Context, c sandbox.Call) sandbox.Reply {
	h := n.caller.Load()
	if h == nil {
		return sandbox.Reply{Error: "the cell that made this call is over", Unwind: true}
	}
	return h.answer(ctx, c)
}

func (n *notebook) print(cell int, text []byte) {
	if h := n.caller.Load(); h != nil {
		h.print(cell, text)
	}
}

// setContext replaces the context and the history for later cells.
func (n *notebook) setContext(ctx context.Context, text sandbox.Context, history []string) error {
	n.cfg.Context, n.cfg.History = text, history
	if n.begun != nil { // the worker started with the old context
		var err error
		if n.session, err = n.open(ctx); err != nil {
			return fmt.Errorf("starting the notebook: %w", err)
		}
	}
	if n.session == nil {
		return nil
	}
	if err := n.session.SetContext(ctx, text, history); err != nil {
		return fmt.Errorf("giving the notebook its context: %w", err)
	}
	return nil
}

// next is the number of the next cell.
func (n *notebook) next() int { return n.last + 1 }

// skip counts a cell that is taken from the log or does not run.
func (n *notebook) skip(number int) { n.last = number }

// seed is the seed of a cell's random numbers.
func (n *notebook) seed(cell int) int64 { return n.cfg.Seed + int64(cell) }

func (n *notebook) learn(changed []repl.Var) {
	for _, v := range changed {
		n.names[v.Name] = struct{}{}
	}
}

// variables lists the names that the cells have set so far.
func (n *notebook) variables() []string { return slices.Sorted(maps.Keys(n.names)) }

func (n *notebook) close() error {
	s := n.session
	if b := n.begun; b != nil {
		b.stop()
		<-b.done
		s = b.session
	}
	n.session, n.begun = nil, nil
	if s == nil {
		return nil
	}
	return s.Close()
}

// sandbox configures the notebook of the run at a path, in the session id.
func (c config) sandbox(
	depth int, text sandbox.Context, specs []builtins.Spec, workers *sandbox.Workers, id, path string,
) sandbox.Config {
	for i := range specs {
		if specs[i].Impl == builtins.ImplCite {
			specs[i].Series = answer.Series(c.letters(id), path)
		}
	}
	return sandbox.Config{
		Level: c.Level, Limits: c.Limits, Context: text, Builtins: specs, Engine: c.Engine, Workers: workers,
		Seed: seedOf(id, path),
	}
}

// whole returns a text as a notebook's context.
func whole(t *corpus.Text) sandbox.Context {
	if t == nil {
		return sandbox.Context{}
	}
	docs := t.Documents()
	c := sandbox.Context{File: t.File(), Size: t.Size(), Docs: make([]sandbox.DocRange, 0, len(docs))}
	for _, d := range docs {
		c.Docs = append(c.Docs, sandbox.DocRange{
			Name: d.Name, Offset: d.Offset, Size: d.Size, Kind: d.Kind, Parts: d.Parts, Notes: d.Notes(),
		})
	}
	return c
}
