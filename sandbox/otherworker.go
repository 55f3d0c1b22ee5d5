package sandbox

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/gorlm/rlm/internal/cellerror"
	"github.com/gorlm/rlm/internal/otherworker"
	"github.com/gorlm/rlm/sandbox/internal/wire"
)

// Worker is the host's view of a worker of a Kind. The data that the worker reads may have taken it over, so
// nothing that it sends can be trusted. Send and Receive are for one goroutine at a time; the rest is safe for
// concurrent use.
type Worker struct {
	p     *process
	ended bool // the connection has no more messages
}

// Start starts a worker of the kind, waits until it is locked in, and verifies that with the kernel. The caller
// bounds the number of workers, and closes them before w.
func (w *Workers) Start(ctx context.Context, k Kind, want Level, admit otherworker.Admit) (*Worker, error) {
	how, err := w.starter.way(want)
	if err != nil {
		return nil, err
	}
	p, err := w.starter.fresh(ctx, want, how, k.Name, admit)
	if err != nil {
		return nil, err
	}
	return &Worker{p: p}, nil
}

// Level returns how well the worker is locked in.
func (w *Worker) Level() Level { return w.p.level }

// Missing explains each layer that the worker lacks.
func (w *Worker) Missing() []string { return w.p.layers.Why }

// LimitMemory allows the worker's address space to grow by at most bytes from now on. It does not fail if the worker
// has ended: Receive and Close report that.
func (w *Worker) LimitMemory(bytes int64) error {
	if err := w.p.wall(bytes); err != nil && !w.p.ended() {
		return err
	}
	return nil
}

// Memory returns the worker's private resident memory in bytes; 0 if it is unknown.
func (w *Worker) Memory() int64 {
	_, private, _ := w.p.usage.memory()
	return private
}

// CPU returns the CPU time that the worker used; 0 if it is unknown.
func (w *Worker) CPU() time.Duration {
	used, _ := w.p.usage.cpu()
	return used
}

// CheckThreads kills the worker if it has too many threads.
func (w *Worker) CheckThreads() { w.p.checkThreads() }

// Send sends a message, with a file that the worker can only read. It blocks while the worker does not read, until
// the worker is killed.
func (w *Worker) Send(op string, meta any, body []byte, file *os.File) error {
	h := wire.Header{Op: wire.Op(op)}
	var files []*os.File
	if file != nil {
		f, handle, err := w.p.shareable(file)
		if err != nil {
			return fmt.Errorf("share a file: %w", err)
		}
		h.Handle = handle
		if f != nil {
			files = append(files, f)
			if f != file {
				defer func() { _ = f.Close() }()
			}
		}
	}
	return w.p.conn.Send(h, meta, body, files...)
}

// Receive waits for a message. The error is otherworker.ErrEnded, or the cause of ctx.
func (w *Worker) Receive(ctx context.Context) (otherworker.Message, error) {
	select {
	case f, ok := <-w.p.frames:
		if !ok {
			w.ended = true
			return otherworker.Message{}, otherworker.ErrEnded
		}
		return otherworker.Message{Op: string(f.Op), JSON: f.JSON, Body: f.Body}, nil
	case <-ctx.Done():
		return otherworker.Message{}, context.Cause(ctx)
	}
}

// Alive reports whether the worker can still be used: it is running, and has not sent anything unasked.
func (w *Worker) Alive() bool {
	select {
	case <-w.p.exited:
		return false
	case _, ok := <-w.p.frames:
		w.ended = !ok
		return false
	default:
		return w.p.cause.Load() == nil
	}
}

// Kill kills the worker without waiting for it.
func (w *Worker) Kill() { w.p.kill(&cause{what: causeClosed}) }

// Close kills the worker if it still runs, waits until nothing is left of it, and returns how it ended and the last
// output of its stderr.
func (w *Worker) Close() (how otherworker.ExitReason, last string) {
	if !w.ended {
		w.Kill()
	}
	<-w.p.exited
	c := w.p.killedBy()
	w.p.end()
	switch {
	case c == nil:
		return w.p.ending(w.p.signal())
	case c.what == causeStderr: // it was killed while it wrote its crash report
		return w.p.ending("")
	case c.what == causeProtocol, c.what == causeSilent:
		return otherworker.ByRules, c.detail
	}
	return otherworker.ByHost, ""
}

// ending returns how a process ended if the host did not kill it, or killed it only after it crashed.
func (p *process) ending(signal string) (how otherworker.ExitReason, last string) {
	last = p.epitaph()
	if _, what, ok := strings.Cut(crashLine(p.stderr.String()), ": "); ok {
		last = clean(what)
	}
	switch p.crash(Limits{}, signal, false).kind {
	case cellerror.SandboxViolation:
		return otherworker.ByKernel, last
	case cellerror.StackOverflow:
		return otherworker.ByStack, last
	case cellerror.MemoryLimit:
		return otherworker.ByMemory, last
	case cellerror.WorkerExit:
		return otherworker.ByUnstated, last
	}
	return otherworker.ByCrash, last
}
