package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/gorlm/rlm/internal/otherworker"
	"github.com/gorlm/rlm/sandbox/internal/jail"
	"github.com/gorlm/rlm/sandbox/internal/wire"
)

const (
	startTime  = 20 * time.Second // time for a worker to start and lock itself in, on a machine under load
	answerTime = 10 * time.Second // time for an answer that takes no computation
	lastWords  = time.Second      // time to read what a worker wrote to its stderr before it ended
)

// process is the host's view of a worker process. Its frames are read by one goroutine at a time: the one that uses
// its session.
type process struct {
	cmd    *exec.Cmd
	how    startMode
	conn   *wire.Conn
	gate   *gate
	usage  *usage
	layers jail.Layers
	level  Level

	frames  chan wire.Frame // closed when the connection has ended
	quit    chan struct{}   // closed when frames are no longer read
	reaped  chan struct{}   // closed when the process was reaped
	exited  chan struct{}   // closed when its stderr was read, too
	stderr  capture
	cause   atomic.Pointer[cause] // why the host killed it; nil if it did not
	running sync.WaitGroup
	closing sync.Once

	each   bool   // whether the kernel has verified all its threads, not only the first
	waited bool   // it was a spare before it was used
	frozen bool   // stopped while it is not in use
	lastID uint64 // id of its last call
	marks  int    // number of the session's marks that the worker knows
}

// startError means that no worker could be started, because this machine has no room for one or does not permit it.
// The session or cell that needs the worker is not at fault, so errors.Is finds syscall.EAGAIN.
type startError struct{ Err error }

func (e *startError) Error() string { return e.Err.Error() }
func (e *startError) Unwrap() error { return e.Err }

// Is makes the error match syscall.EAGAIN: a later attempt may succeed.
func (e *startError) Is(target error) bool { return target == syscall.EAGAIN }

// diedError reports that a worker ended, and whether it ended without being killed by the host.
type diedError struct {
	how    string
	itself bool
}

func (e *diedError) Error() string { return "the worker died: " + e.how }

// launch starts a worker process of a kind, and waits until it has locked itself in. admit decides on the frames of
// a worker that does not run cells. run starts the command. With each, the kernel is asked about all threads of the
// process, otherwise only about the first.
func launch(
	ctx context.Context, kind string, admit otherworker.Admit, how startMode, run func(*exec.Cmd) error, each bool) (
	*process, error,
) {
	p, err := begin(ctx, kind, admit, how, run, each)
	if err != nil {
		return nil, &startError{err}
	}
	return p, nil
}

// begin does the work of launch, with errors that are not wrapped.
func begin(
	ctx context.Context, kind string, admit otherworker.Admit, how startMode, run func(*exec.Cmd) error, each bool) (
	*process, error,
) {
	link, err := newLink()
	if err != nil {
		return nil, fmt.Errorf("connect to a worker: %w", err)
	}
	stderr, stderrOfChild, err := os.Pipe()
	if err != nil {
		link.closeChild()
		link.closeHost()
		return nil, fmt.Errorf("connect to a worker: %w", err)
	}
	cmd, err := command(kind, how, link)
	if err == nil {
		cmd.Stderr = stderrOfChild
		if _, none := os.Stat(os.DevNull); none != nil && cmd.Stdin == nil { // a chroot without devices
			cmd.Stdin, cmd.Stdout = stderrOfChild, stderrOfChild
		}
		err = run(cmd)
	}
	// The worker has its own copies of the child's ends. As long as this process also has them open, it cannot
	// notice that the worker ends.
	link.closeChild()
	_ = stderrOfChild.Close()
	if err != nil {
		link.closeHost()
		_ = stderr.Close()
		return nil, fmt.Errorf("start a worker: %w%s", err, obstacle(err))
	}
	p := &process{
		cmd:    cmd,
		how:    how,
		gate:   newGate(),
		usage:  openUsage(cmd.Process.Pid),
		frames: make(chan wire.Frame),
		quit:   make(chan struct{}),
		reaped: make(chan struct{}),
		exited: make(chan struct{}),
		each:   each,
	}
	p.gate.other = admit
	p.conn = wire.Host(link.host, p.gate.admit)
	p.gate.ask(wire.Locked)
	p.running.Add(2)
	go p.read()
	go p.wait(stderr)
	if err := p.locked(ctx); err != nil {
		p.end()
		return nil, err
	}
	return p, nil
}

// read passes on the worker's frames until there are no more. Then it kills the process, if that broke the rules or
// does not exit.
func (p *process) read() {
	defer p.running.Done()
	err := p.readFrames()
	close(p.frames)
	if errors.Is(err, wire.ErrTooLarge) || errors.Is(err, wire.ErrMalformed) {
		p.kill(&cause{what: causeProtocol, detail: err.Error()})
		return
	}
	select {
	case <-p.reaped:
	case <-time.After(time.Second): // the process closed the connection but continues to run
		p.kill(&cause{what: causeSilent, detail: "the connection was closed"})
	}
}

func (p *process) readFrames() error {
	for {
		f, err := p.conn.Receive()
		if err != nil {
			return err
		}
		select {
		case p.frames <- f:
		case <-p.quit:
			f.Release()
			return io.EOF
		}
	}
}

// wait reaps the process and stores a part of its stderr.
func (p *process) wait(stderr *os.File) {
	defer p.running.Done()
	defer close(p.exited)
	heard := make(chan struct{})
	go func() {
		defer close(heard)
		if p.stderr.read(stderr) {
			p.kill(&cause{what: causeStderr})
		}
	}()
	if p.each {
		threadsEnd(p.cmd.Process.Pid)
	}
	_ = p.cmd.Wait() // the process state is more informative than the error
	close(p.reaped)
	// Its stderr may outlive a hostile worker: it left it to another process, or sent it to this one as a file, which
	// stays open until it is received.
	_ = stderr.SetReadDeadline(time.Now().Add(lastWords)) // on Windows, pipes have none and files cannot be sent
	<-heard
	_ = stderr.Close()
	p.gate.shut()
}

// decode fills v from a frame's meta part, and kills the worker if that part is malformed or has more values than
// its kind of frame needs.
func (p *process) decode(f wire.Frame, v any) error {
	s, _ := p.gate.limits.shape(f.Op)
	err := f.DecodeFew(v, s.values)
	if err != nil {
		p.kill(&cause{what: causeProtocol, detail: err.Error()})
	}
	return err
}

// locked waits for the worker's first frame and verifies it with the kernel.
func (p *process) locked(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	go p.watchStart(ctx, end)
	f, err := p.expect(ctx, wire.Locked)
	if err != nil {
		return p.neverReady(err)
	}
	var meta wire.LockedMeta
	if err := p.decode(f, &meta); err != nil {
		return err
	}
	p.layers = meta.Layers
	return p.verify()
}

// verify reduces what the worker reported about its lock-down to what the kernel confirms.
func (p *process) verify() error {
	p.layers.Namespaces = p.layers.Namespaces && p.how == namespaced
	verifyLayers(p.cmd.Process.Pid, &p.layers, p.each)
	if p.ended() { // what the kernel said is meaningless
		return p.died()
	}
	switch {
	case p.layers.Strict():
		p.level = Strict
	case p.layers.Standard():
		p.level = Standard
	default:
		p.level = Basic
	}
	return nil
}

// initialise gives a locked worker its notebook.
func (p *process) initialise(ctx context.Context, meta wire.InitMeta, l Limits, c Context) error {
	err := p.wall(2*l.CellMemory + c.Size)
	if err == nil {
		ctx, cancel := context.WithTimeout(ctx, answerTime+time.Duration(c.Size>>20)*time.Millisecond)
		defer cancel()
		err = p.hand(ctx, wire.Init, c, func(handle uint64) any {
			meta.Text.Handle = handle
			return meta
		})
	}
	if died := new(diedError); errors.As(err, &died) && died.itself { // it has not run anything of the session
		return &startError{err}
	}
	return err
}

// wall lets the worker's address space grow by at most bytes from now on, unless it is not locked in anyway.
func (p *process) wall(bytes int64) error {
	if err := p.usage.wall(bytes); err != nil && p.level != Basic {
		return p.why("limit the worker's memory", err)
	}
	return nil
}

// setContext replaces a worker's context.
func (p *process) setContext(ctx context.Context, t textState) error {
	if err := p.usage.raiseWall(t.context.Size); err != nil && p.level != Basic {
		return p.why("raise the worker's memory limit by the new context", err)
	}
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	meta := t.wire()
	return p.hand(ctx, wire.Context, t.context, func(handle uint64) any {
		meta.Handle = handle
		return meta
	})
}

// hand sends a frame with a context's file and waits for Ready.
func (p *process) hand(ctx context.Context, op wire.Op, c Context, meta func(handle uint64) any) error {
	var files []*os.File
	var handle uint64
	if c.Size > 0 {
		f, h, err := p.shareable(c.File)
		if err != nil {
			return p.why("share the context", err)
		}
		handle = h
		if f != nil {
			files = append(files, f)
			if f != c.File {
				defer func() { _ = f.Close() }()
			}
		}
	}
	p.gate.ask(wire.Ready)
	sent := p.sending(func() error { return p.conn.Send(wire.Header{Op: op}, meta(handle), nil, files...) })
	f, err := p.expect(ctx, wire.Ready)
	if err != nil {
		p.kill(&cause{what: causeClosed})
	}
	if serr := <-sent; err == nil {
		err = serr
	}
	if err != nil {
		return err
	}
	var ready wire.ReadyMeta
	if err := p.decode(f, &ready); err != nil {
		return err
	}
	if ready.Error != "" {
		return errors.New(ready.Error)
	}
	return nil
}

// ask sends a frame and waits for its answer. A worker that does not answer is killed.
func (p *process) ask(ctx context.Context, h wire.Header, meta any, answer wire.Op) (wire.Frame, error) {
	return p.askFor(ctx, answerTime, h, meta, answer)
}

// askFor is ask with the given time limit.
func (p *process) askFor(
	ctx context.Context, most time.Duration, h wire.Header, meta any, answer wire.Op,
) (wire.Frame, error) {
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	p.gate.ask(answer)
	sent := p.sending(func() error { return p.conn.Send(h, meta, nil) })
	f, err := p.expect(ctx, answer)
	if err != nil {
		p.kill(&cause{what: causeClosed})
	}
	if serr := <-sent; err == nil {
		err = serr
	}
	return f, err
}

// sending runs send in the background: if the worker does not read, the caller must still be able to wait for its
// answer.
func (p *process) sending(send func() error) <-chan error {
	done := make(chan error, 1)
	p.running.Add(1)
	go func() {
		defer p.running.Done()
		done <- send()
	}()
	return done
}

// maxThreads is how many threads a worker may have. The Go runtime of an honest one stops at 512.
const maxThreads = 600

// checkThreads kills a worker that has too many threads.
func (p *process) checkThreads() {
	if n := p.usage.threads(); n > maxThreads {
		p.kill(&cause{what: causeProtocol, detail: fmt.Sprintf("it started %d threads", n)})
	}
}

// expect waits for a frame of one kind; any other kind breaks the rules.
func (p *process) expect(ctx context.Context, op wire.Op) (wire.Frame, error) {
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	for {
		select {
		case <-look.C:
			p.checkThreads()
		case f, ok := <-p.frames:
			switch {
			case !ok:
				return wire.Frame{}, p.died()
			case f.Op == wire.Peek: // a late answer about a cell that is over
				continue
			case f.Op != op:
				p.kill(&cause{what: causeProtocol, detail: fmt.Sprintf("%s instead of %s", f.Op, op)})
				return wire.Frame{}, fmt.Errorf("the worker sent %q instead of %q", f.Op, op)
			}
			return f, nil
		case <-ctx.Done():
			return wire.Frame{}, fmt.Errorf("the worker did not answer: %w", context.Cause(ctx))
		}
	}
}

// alive reports whether the process can still be used. It drops late answers to Peek.
func (p *process) alive() bool {
	for {
		select {
		case <-p.exited:
			return false
		case _, ok := <-p.frames: // without a question the gate admits no other frame
			if !ok {
				<-p.exited
				return false
			}
		default:
			return p.cause.Load() == nil
		}
	}
}

// kill kills the process without waiting for it. The first cause counts.
func (p *process) kill(why *cause) {
	p.cause.CompareAndSwap(nil, why)
	_ = p.cmd.Process.Kill() // an error means that it is gone already
}

// end kills the process and waits until nothing is left of it.
func (p *process) end() {
	p.closing.Do(func() {
		p.kill(&cause{what: causeClosed})
		close(p.quit)
		<-p.exited
		_ = p.conn.Close()
		p.running.Wait()
		p.usage.close()
	})
}
