// Package worker is the process in which cells run. A host starts it as a copy of its own program; it locks itself
// in before it receives anything, then receives its context and builtins, and runs one cell at a time.
package worker

import (
	"context"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"sync/atomic"
	_ "time/tzdata" // cells load time zones, and cannot read them from a file system

	"github.com/gorlm/rlm/internal/answer"
	"github.com/gorlm/rlm/internal/builtins"
	"github.com/gorlm/rlm/internal/cellerror"
	"github.com/gorlm/rlm/internal/kit/bundle"
	"github.com/gorlm/rlm/internal/kit/startup"
	"github.com/gorlm/rlm/internal/kit/units"
	"github.com/gorlm/rlm/repl"
	"github.com/gorlm/rlm/sandbox/internal/probe"
	"github.com/gorlm/rlm/sandbox/internal/wire"
)

// Main runs a worker. It returns the exit code when the host is gone or the worker is unusable.
func Main(marker string, rw io.ReadWriteCloser) int {
	startup.GrowHeap()
	warm := make(chan struct{})
	go func() { // concurrent with the lock-down, which mostly waits for the kernel
		defer close(warm)
		repl.Warm()
	}()
	conn, err := LockIn(marker, rw, false)
	if err != nil {
		return 1
	}
	w := &worker{conn: conn, warm: warm}
	if err := w.serve(); err != nil {
		fmt.Fprintln(os.Stderr, "worker:", err)
		return 1
	}
	return 0
}

type worker struct {
	conn     *wire.Conn
	warm     <-chan struct{} // closed once the repl package has done its lazy initialisation
	notebook *repl.Notebook
	engine   repl.Engine
	bounds   wire.Bounds
	probing  bool
	text     mapping
	out      *output
	calls    *calls
	marks    *marks
	replays  atomic.Bool // the cell is a replay
	running  int         // the number of the latest cell
	stop     func()      // cancels it
	finder   builtins.Finder
}

// serve handles the host's frames until the host closes the connection.
func (w *worker) serve() error {
	for {
		f, err := w.conn.Receive()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if err := w.handle(f); err != nil {
			return fmt.Errorf("%s: %w", f.Op, err)
		}
	}
}

func (w *worker) handle(f wire.Frame) error {
	if f.Op != wire.Init && w.notebook == nil && !w.probing {
		return fmt.Errorf("not initialised")
	}
	switch f.Op {
	case wire.Init:
		return w.init(f)
	case wire.Probe:
		if !w.probing {
			return fmt.Errorf("this worker runs cells")
		}
		go w.probe(f)
		return nil
	case wire.Run:
		var meta wire.RunMeta
		if err := f.Decode(&meta); err != nil {
			return err
		}
		w.replays.Store(meta.Muted)
		w.out.begin(f.Cell, meta.Muted)
		w.calls.begin(f.Cell, meta.Replies)
		ctx, stop := context.WithCancel(context.Background())
		w.running, w.stop = f.Cell, stop
		go w.run(ctx, stop, f.Cell, string(f.Body), meta)
		return nil
	case wire.Stop: // yaegi cannot do this safely: there the next call ends the cell, or the host does
		if w.stop != nil && w.running == f.Cell && w.engine == repl.Exact { // it may come late, when the next one runs
			w.stop()
		}
		return nil
	case wire.Marks:
		known, err := wire.UnpackMarks(f.Body)
		if err != nil {
			return err
		}
		w.marks.book.Know(known)
		return nil
	case wire.Reply:
		var meta wire.ReplyMeta
		if err := f.Decode(&meta); err != nil {
			return err
		}
		w.calls.deliver(f.ID, meta, f.Body)
		return nil
	case wire.Context:
		return w.setContext(f)
	case wire.Members:
		var meta wire.MembersMeta
		if err := f.Decode(&meta); err != nil {
			return err
		}
		return w.conn.Send(wire.Header{Op: wire.Members},
			wire.MembersMeta{Names: wire.TrimMembers(w.notebook.Members(meta.Of))}, nil)
	case wire.Assist:
		return w.assist(f)
	case wire.Vars:
		return w.conn.Send(wire.Header{Op: wire.Vars}, wire.VarsMeta{Vars: wire.TrimVars(w.notebook.Vars())}, nil)
	case wire.Peek:
		go w.peek()
		return nil
	}
	return fmt.Errorf("unknown frame")
}

// init builds the notebook. A failure is due to the configuration, and is reported to the host.
func (w *worker) init(f wire.Frame) error {
	var meta wire.InitMeta
	if err := f.Decode(&meta); err != nil {
		return err
	}
	w.bounds, w.engine = meta.Bounds, meta.Engine
	if meta.Bounds.Memory > 0 {
		debug.SetMemoryLimit(meta.Bounds.Memory)
		debug.SetMaxStack(meta.Bounds.Stack)
	}
	w.probing = meta.Probe
	var ready wire.ReadyMeta
	if !w.probing {
		if err := w.makeNotebook(meta, f.Attached); err != nil {
			ready.Error = err.Error()
		}
	}
	return w.conn.Send(wire.Header{Op: wire.Ready}, ready, nil)
}

func (w *worker) makeNotebook(meta wire.InitMeta, files []*os.File) error {
	w.marks = &marks{conn: w.conn, book: builtins.NewMarks()}
	w.out = newOutput(meta.Bounds, func(cell int, p []byte) {
		w.marks.send(cell, always) // before the output, which may cite them
		// An error means that the host is gone, which the reader of frames notices.
		_ = w.conn.Send(wire.Header{Op: wire.Print, Cell: cell}, nil, p)
	})
	w.calls = newCalls(w.conn, meta.Bounds, &w.text, w.marks)
	<-w.warm
	if err := w.text.open(meta.Text, files); err != nil {
		return fmt.Errorf("map the context: %w", err)
	}
	w.marks.book.SetContext(meta.Text.Version, w.text.text, w.text.docs)
	made, err := builtins.Make(meta.Builtins, w.calls, w.marks.book)
	if err != nil {
		return fmt.Errorf("make the builtins: %w", err)
	}
	w.notebook, err = repl.New(repl.Config{
		Context:  w.text.text,
		Docs:     w.text.docs,
		History:  meta.Text.History,
		Engine:   meta.Engine,
		Builtins: made,
		Stdout:   w.out,
		Final:    w.final,
	})
	w.calls.notebook = w.notebook
	return err
}

func (w *worker) setContext(f wire.Frame) error {
	var meta wire.Text
	if err := f.Decode(&meta); err != nil {
		return err
	}
	var ready wire.ReadyMeta
	if err := w.text.open(meta, f.Attached); err != nil {
		ready.Error = "map the context: " + err.Error()
	} else {
		w.marks.book.SetContext(meta.Version, w.text.text, w.text.docs)
		w.notebook.SetContext(w.text.text, w.text.docs, meta.History)
	}
	return w.conn.Send(wire.Header{Op: wire.Ready}, ready, nil)
}

func (w *worker) run(ctx context.Context, end func(), cell int, source string, meta wire.RunMeta) {
	defer end()
	opt := repl.RunOptions{
		Cell: cell, Untagged: meta.Untagged, Seed: meta.Seed, Clock: meta.Clock, Again: meta.Again, Fired: meta.Fired,
	}
	if meta.Tell {
		opt.Began = func() { _ = w.conn.Send(wire.Header{Op: wire.Began, Cell: cell}, nil, nil) }
	}
	res := w.notebook.Run(ctx, source, opt)
	w.calls.end()
	printed, tail := w.out.end()
	w.marks.send(cell, always)
	done := wire.ResultMeta{Printed: printed, Sound: w.notebook.Sound()}
	if done.Sound && res.Error != nil &&
		(res.Error.Kind == cellerror.Cancelled || res.Error.Kind == cellerror.BudgetExceeded) {
		done.Kept = wire.TrimKept(w.notebook.Kept(cell, res.Changed))
	}
	clock, fired, items := wire.PackClock(res.Clock), wire.PackFires(res.Fired), bundle.Pack(res.Items)
	res.Clock, res.Fired, res.Items, res.Final = nil, nil, nil, nil // each of them is sent in another form, below
	done.Result, done.Clock, done.Fired, done.Items = wire.TrimResult(res), clock, fired, items
	_ = w.conn.Send(wire.Header{Op: wire.Result, Cell: cell}, done, tail)
}

// final sends the answer to the host before the cell unwinds: from then on nothing in the cell can undo it.
func (w *worker) final(out answer.FinalOutput) error {
	if len(out.Answer) > w.bounds.Answer {
		return fmt.Errorf("the answer has %s; at most %s are taken: answer with the essence, not with the data",
			units.Bytes(int64(len(out.Answer))), units.Binary(int64(w.bounds.Answer)))
	}
	if n := wire.Quoted(out.Answer); n > wire.MaxQuoted*w.bounds.Answer {
		return fmt.Errorf("the answer has so many control characters that it takes %s; at most %s are taken: quote it, or answer with text",
			units.Bytes(int64(n)), units.Binary(wire.MaxQuoted*int64(w.bounds.Answer)))
	}
	answer := []byte(out.Answer)
	out.Answer = ""
	return w.calls.final(out, answer)
}

func (w *worker) probe(f wire.Frame) {
	var meta wire.ProbeMeta
	if err := f.Decode(&meta); err != nil {
		return
	}
	meta.Done, meta.Outcome = probe.Try(meta.Name, meta.Host)
	_ = w.conn.Send(wire.Header{Op: wire.Probe}, meta, nil)
}
