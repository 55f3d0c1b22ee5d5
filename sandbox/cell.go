package sandbox

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/gorlm/rlm/internal/answer"
	"github.com/gorlm/rlm/internal/cellerror"
	"github.com/gorlm/rlm/repl"
	"github.com/gorlm/rlm/sandbox/internal/wire"
)

const (
	lookEvery  = 10 * time.Millisecond  // how often a running cell's time and memory are checked
	peekTime   = 150 * time.Millisecond // for reporting a cell's last output before the kill
	finalGrace = time.Second            // time for a cell to end after its answer
)

// cellRun is one cell while it runs in a worker. Its fields belong to the goroutine that runs wait; mu guards clock
// and calls.
type cellRun struct {
	s      *Session
	p      *process
	lease  *workerUsage
	number int
	record CellRecord
	replay bool // output is muted, and calls are answered from the record
	keep   bool // keep the cell's variables when its context is cancelled

	out    cellOutput
	shown  int // bytes of output kept
	final  *answer.FinalOutput
	result *wire.ResultMeta
	ending *cause // why the cell will be killed after its grace period
	// Only for a replay: its time limit, the time of the cell's last call, and how it differed from the first run.
	longest time.Duration
	stirred time.Time
	astray  string
	kill    <-chan time.Time
	idle    idleDetector

	began  time.Time
	moving moveState

	mu    sync.Mutex
	clock cellClock
	calls callTable
}

// run runs a cell to its end.
func (r *cellRun) run(ctx context.Context) {
	ctx, end := r.open(ctx)
	defer end()
	r.live(ctx)
}

// open returns the context of the cell's calls; end cancels it.
func (r *cellRun) open(ctx context.Context) (calls context.Context, end func()) {
	ctx, cancel := context.WithCancel(context.WithValue(ctx, leaseKey{}, r.lease))
	r.lease.running.Store(true)
	r.began = time.Now()
	return ctx, func() {
		r.closeCalls()
		r.lease.running.Store(false)
		cancel()
	}
}

// live sends a cell to the worker and waits until it ends. If r.result is nil afterwards, the worker is dead.
func (r *cellRun) live(ctx context.Context) {
	r.mu.Lock()
	r.clock = newCellClock(r.p.usage)
	r.mu.Unlock()
	r.p.gate.begin(r.number)
	r.idle = newIdleDetector(r.clock.cpu, r.s.patience.Idle)
	meta := wire.RunMeta{
		Untagged: r.record.Untagged, Seed: r.record.Seed, Clock: r.record.Clock, Muted: r.replay,
		Again: r.again(), Fired: r.record.Fired, Replies: r.calls.known, Tell: r.moving.began != nil,
	}
	if meta.Tell {
		r.p.gate.ask(wire.Began)
	}
	known := r.s.unknownTo(r.p)
	sent := r.p.sending(func() error {
		for some := range slices.Chunk(known, wire.MarksAtOnce) {
			if err := r.p.conn.Send(wire.Header{Op: wire.Marks, Cell: r.number}, nil,
				wire.PackMarks(some)); err != nil {
				return err
			}
		}
		return r.p.conn.Send(wire.Header{Op: wire.Run, Cell: r.number}, meta, []byte(r.record.Source))
	})
	r.wait(ctx)
	<-sent // an error means that the worker is dead, which wait has noticed
}

// wait handles the worker's frames and checks its time and memory until the cell is over.
func (r *cellRun) wait(ctx context.Context) {
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	done := ctx.Done()
	broken := false
	for r.result == nil {
		select {
		case f, ok := <-r.p.frames:
			if !ok {
				<-r.p.exited
				return
			}
			if broken { // after a violation not even a result counts
				f.Release()
				continue
			}
			if why := r.handle(ctx, f); why != "" {
				r.p.kill(&cause{what: causeProtocol, detail: why})
				broken = true
			}
		case <-look.C:
			r.look()
		case <-r.kill:
			r.p.kill(r.ending)
		case <-done:
			done = nil
			r.stop()
		}
	}
}

// handle handles one frame, and describes the violation if it breaks the rules.
func (r *cellRun) handle(ctx context.Context, f wire.Frame) (violation string) {
	r.idle.frame()
	switch f.Op {
	case wire.Print:
		return r.print(f.Body)
	case wire.Marks:
		return r.mark(f)
	case wire.Call:
		r.stirred = time.Now()
		return r.call(ctx, f)
	case wire.Final:
		return r.recordFinal(f)
	case wire.Began:
		return r.taken()
	case wire.Peek:
		return r.peeked(f)
	case wire.Result:
		if r.moving.now && !r.moving.again { // its worker is being killed, and the cell begins again in another
			f.Release()
			return ""
		}
		var meta wire.ResultMeta
		if err := r.p.decode(f, &meta); err != nil {
			return err.Error()
		}
		r.result = &meta
		r.out.tail, r.out.total = f.Body, meta.Printed
		r.show(r.moving.shorter(r.out.stream))
		return ""
	}
	return fmt.Sprintf("unexpected frame %q", f.Op)
}

func (r *cellRun) print(p []byte) (violation string) {
	if r.replay || len(r.out.stream)+len(p) > r.s.limits.stream() {
		return "more output than is streamed"
	}
	r.out.stream = append(r.out.stream, p...)
	r.show(r.moving.unseen(r.out.stream, p))
	return ""
}

// recordFinal records the answer. Only the first one counts; nothing later can undo it.
func (r *cellRun) recordFinal(f wire.Frame) (violation string) {
	var meta answer.FinalOutput
	if err := r.p.decode(f, &meta); err != nil {
		return err.Error()
	}
	if why := r.s.cfg.checkFinal(meta); why != "" {
		return why
	}
	if r.final == nil {
		if meta.Answer = string(f.Body); wire.Quoted(meta.Answer) > wire.MaxQuoted*r.s.limits.Answer {
			return "an answer that takes too much room in the log"
		}
		r.final = &meta
		r.end(&cause{what: causeFinal}, finalGrace)
	}
	return ""
}

// stop ends a cell whose context is cancelled. With keep it asks the cell to end, and kills the worker only if the
// cell does not; otherwise, and where the cell cannot be interrupted, it kills the worker immediately.
func (r *cellRun) stop() {
	r.mu.Lock()
	calls := len(r.calls.answered) + r.calls.waitedFor()
	r.mu.Unlock()
	if !r.keep || r.s.engine == repl.Yaegi && calls == 0 { // yaegi cannot interrupt pure computation
		r.p.kill(&cause{what: causeCancelled})
		return
	}
	r.end(&cause{what: causeCancelled}, r.s.patience.End) // no effect if the kill is already scheduled
	p := r.p
	p.sending(func() error { return p.conn.Send(wire.Header{Op: wire.Stop, Cell: r.number}, nil, nil) })
}

// end schedules the kill of the worker, in case the cell does not end earlier.
func (r *cellRun) end(why *cause, in time.Duration) {
	if r.ending == nil {
		r.ending = why
		r.kill = time.After(in)
	}
}

// look compares the cell's time and memory with the limits.
func (r *cellRun) look() {
	r.mu.Lock()
	waitedFor := r.calls.waitedFor()
	waiting := (waitedFor > 0 || r.p.gate.waits()) && !r.p.gate.deaf(r.s.patience.Read)
	r.idle.heard(r.calls.stirs)
	r.clock.read(waiting)
	spent, used, cpu := r.clock.spent, r.clock.used(), r.clock.cpu
	missed := len(r.calls.missed)
	unwind := r.calls.unwind
	r.mu.Unlock()
	r.p.checkThreads()
	_, memory, err := r.p.usage.memory()
	limits := r.s.limits
	switch {
	case err == nil && memory > limits.CellMemory:
		r.p.kill(&cause{what: causeMemory})
	case err == nil && r.s.workers.tooMuch(r.lease, memory):
		r.p.kill(&cause{what: causeTreeMemory})
	case r.ending != nil:
	case unwind != nil:
		r.end(&cause{what: causeUnwind, detail: *unwind}, r.s.patience.End)
	case r.replay: // a replay has one time limit for all its cells
		r.lookAgain(used, cpu, waitedFor, missed)
	case spent > limits.CellTime:
		r.lastWords(&cause{what: causeTime})
	case used > limits.CellCPU:
		r.lastWords(&cause{what: causeCPU, cpu: used})
	case r.final == nil && r.moving.due(cmp.Or(used, spent), limits.MoveAfter): // wall time where CPU time is unknown
		r.peek()
	case !waiting && r.idle.suspicious(cpu):
		r.peek()
	}
}

// lastWords asks the worker what the cell is doing and what it printed last, before the worker is killed.
func (r *cellRun) lastWords(why *cause) {
	r.end(why, peekTime)
	r.peek()
}

func (r *cellRun) peek() {
	p := r.p
	p.gate.ask(wire.Peek)
	p.sending(func() error { return p.conn.Send(wire.Header{Op: wire.Peek}, nil, nil) })
}

// peeked handles the worker's answer to peek. It kills the worker immediately if no goroutine of the cell can ever
// run again.
func (r *cellRun) peeked(f wire.Frame) (violation string) {
	var meta wire.PeekMeta
	if err := r.p.decode(f, &meta); err != nil {
		return err.Error()
	}
	r.out.tail, r.out.total = f.Body, meta.Printed
	if r.ending == nil && r.moving.looked(meta) {
		switch {
		case r.moving.now:
			r.p.kill(&cause{what: causeMove})
		case meta.Computes: // the cell may move to the other engine soon
			r.s.workers.warm(r.p.how)
		}
		return ""
	}
	r.mu.Lock()
	waiting := r.calls.waitedFor() > len(r.calls.missed)
	missed := len(r.calls.missed)
	r.idle.heard(r.calls.stirs)
	r.mu.Unlock()
	late := r.ending != nil && (r.ending.what == causeTime || r.ending.what == causeCPU)
	switch {
	case late && meta.Parked && !waiting:
		r.p.kill(&cause{what: causeDeadlock, detail: fmt.Sprintf(" after %s", r.s.limits.CellTime)})
	case late:
		r.p.kill(r.ending)
	case r.ending != nil || waiting || !meta.Parked || !r.idle.still() || meta.Pending && missed == 0:
		r.idle.wrong(meta.Pending)
	case missed > 0:
		r.endAstray()
	default:
		r.p.kill(&cause{what: causeDeadlock})
	}
	return ""
}

// lookAgain is look for a replayed cell. used and cpu are the CPU times of the cell and of the worker, and
// waitedFor is the number of replies that the cell waits for.
func (r *cellRun) lookAgain(used, cpu time.Duration, waitedFor, missed int) {
	took := time.Since(r.began)
	switch {
	case used > r.allowance() || took > r.longest:
		r.p.kill(&cause{what: causeReplay, detail: fmt.Sprintf("did not end in %s, and took %s the first time",
			took.Round(time.Second/10), r.record.Took.Round(time.Second/10))})
	case waitedFor > missed:
	case missed > 0 && time.Since(r.stirred) > max(r.s.patience.Reply, replayFactor*r.record.Took):
		// The worker may never become idle, because goroutines of earlier cells may stay active for ever.
		r.endAstray()
	case r.idle.suspicious(cpu):
		r.peek()
	}
}

// allowance is the CPU time that a replayed cell may use before it counts as endless.
func (r *cellRun) allowance() time.Duration {
	return max(r.s.patience.Replay, replayFactor*time.Duration(runtime.NumCPU())*r.record.Took)
}

// endAstray ends a replayed cell that waits for an unrecorded reply, as if that call had panicked. The variables
// that the cell has set so far are kept.
func (r *cellRun) endAstray() {
	r.mu.Lock()
	how := fmt.Sprintf("asked something else than the first time (%q)", r.calls.missing)
	r.mu.Unlock()
	r.astray = how
	// What asked may have been left behind by another cell: then this one ends by itself, in a while.
	r.end(&cause{what: causeReplay, detail: how + ", and did not end"}, r.s.patience.End+r.s.patience.Reply)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.calls.astray = how
	for _, id := range r.calls.missed {
		r.unwindMissed(id)
	}
	r.calls.missed = nil
}

// cellError turns the worker's death into an error of the cell.
func (r *cellRun) cellError() *repl.CellError {
	if r.p == nil { // the caller cancelled before the cell could begin again
		return &repl.CellError{
			Kind:    cellerror.Cancelled,
			Message: fmt.Sprintf("cell %d: the cell was cancelled.", r.number),
		}
	}
	d := r.s.autopsy(r.p)
	text := fmt.Sprintf("cell %d: %s.", r.number, d.text)
	if d.hint != "" {
		text += "\n" + d.hint
	}
	return &repl.CellError{Kind: d.kind, Message: text}
}
