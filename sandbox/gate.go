package sandbox

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"github.com/gorlm/rlm/internal/otherworker"
	"github.com/gorlm/rlm/sandbox/internal/wire"
)

// gate decides by the header alone which frames of a worker are read: those that may come now, up to the size
// limits of their kind. Anything else stays unread, so it costs the host nothing.
//
// A call may have to wait: until the worker has read the replies sent to it, and until the tree's semaphore has
// room for the call.
type gate struct {
	quit  context.Context // done when the process is gone
	stop  context.CancelFunc
	other otherworker.Admit // decides for a worker that runs no cells, once it is locked in

	mu      sync.Mutex
	changed sync.Cond
	limits  Limits
	room    *byteSemaphore  // for the bytes of calls
	asked   map[wire.Op]int // answers that may still come, by kind
	cell    int             // the running cell; 0: none
	calls   int             // calls that this cell has made
	unread  int             // replies that the worker has not read yet
	read    time.Time       // when the worker last read a reply or had none left to read
	starved bool            // a call waits for room
}

const (
	maxSmall = 64 << 10 // bytes of a small frame
	maxPiece = 64 << 10 // bytes of a piece of output
	maxCalls = 100_000  // calls of one cell
	// largeFrame is the frame size in bytes from which the garbage collector runs, and its memory returns to the
	// system, before the frame is read. Otherwise several finished calls or answers pile up, and a new one rarely
	// fits into the memory that they occupied.
	largeFrame = 4 << 20
)

func newGate() *gate {
	g := &gate{asked: make(map[wire.Op]int)}
	g.quit, g.stop = context.WithCancel(context.Background())
	g.changed.L = &g.mu
	return g
}

// frameBounds bounds the frames of one kind: the bytes of meta and body, and the number of values in the meta
// part.
type frameBounds struct{ meta, body, values int }

func (l Limits) shape(op wire.Op) (s frameBounds, known bool) {
	switch op {
	case wire.Locked, wire.Ready, wire.Probe:
		return frameBounds{maxSmall, 0, 256}, true
	case wire.Began:
		return frameBounds{}, true
	case wire.Print:
		return frameBounds{0, maxPiece, 0}, true
	case wire.Marks:
		return frameBounds{0, wire.MaxMarksFrame, 0}, true
	case wire.Call:
		return frameBounds{maxSmall, l.Prompt + l.Text, 4 * wire.MaxTexts}, true
	case wire.Final:
		return frameBounds{maxSmall, l.Answer, 64}, true
	case wire.Peek:
		return frameBounds{maxSmall, l.Output, 64}, true
	case wire.Result:
		return frameBounds{wire.MaxResult, l.Output, 100_000}, true
	case wire.Members:
		return frameBounds{wire.MaxMembers, 0, 10_000}, true
	case wire.Vars, wire.Assist:
		return frameBounds{wire.MaxResult, 0, 100_000}, true
	}
	return frameBounds{}, false
}

// ask allows the worker one answer of the kind.
func (g *gate) ask(op wire.Op) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.asked[op]++
}

// begin allows the worker to send the frames of a cell, up to its result.
func (g *gate) begin(cell int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.cell, g.calls = cell, 0
}

// configure sets the limits and the semaphore of the session that uses the worker from now on.
func (g *gate) configure(l Limits, r *byteSemaphore) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.limits, g.room = l, r
}

// replying counts a reply that is being sent; replied notes that the worker has read it.
func (g *gate) replying() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.unread == 0 {
		g.read = time.Now()
	}
	g.unread++
}

func (g *gate) replied() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.unread--
	g.read = time.Now()
	g.changed.Broadcast()
}

// deaf reports whether the worker has left replies unread for longer than long. Such a worker is not waiting for
// the host.
func (g *gate) deaf(long time.Duration) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.unread > 0 && time.Since(g.read) > long
}

// waits reports whether the worker waits for room, which is not its cell's fault.
func (g *gate) waits() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.starved
}

// shut ends all waiting, because the process is gone.
func (g *gate) shut() {
	g.stop()
	g.mu.Lock()
	defer g.mu.Unlock()
	g.changed.Broadcast()
}

// admit implements wire.Admit.
func (g *gate) admit(h wire.Header, meta, body int) (release func(), err error) {
	if g.other != nil && h.Op != wire.Locked {
		return nil, g.admitOther(h, meta, body)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	s, known := g.limits.shape(h.Op)
	switch {
	case !known:
		return nil, fmt.Errorf("%w: unexpected frame %q", wire.ErrMalformed, wire.Short(string(h.Op), 32))
	case meta > s.meta || body > s.body:
		return nil, fmt.Errorf("%w: %s of %d + %d bytes, at most %d + %d are taken", wire.ErrTooLarge, h.Op, meta, body,
			s.meta, s.body)
	}
	switch h.Op {
	case wire.Print, wire.Marks, wire.Call, wire.Final, wire.Result:
		if h.Cell != g.cell || g.cell == 0 {
			return nil, fmt.Errorf("%w: %s for cell %d while %s", wire.ErrMalformed, h.Op, h.Cell, g.runs())
		}
	default:
		if g.asked[h.Op] == 0 {
			return nil, fmt.Errorf("%w: %s that nobody asked for", wire.ErrMalformed, h.Op)
		}
		g.asked[h.Op]--
	}
	switch h.Op {
	case wire.Result:
		g.cell = 0
	case wire.Call:
		return g.admitCall(meta + body)
	case wire.Final:
		if meta+body >= largeFrame {
			debug.FreeOSMemory()
		}
	}
	return nil, nil
}

// admitOther asks the package that owns the worker.
func (g *gate) admitOther(h wire.Header, meta, body int) error {
	if h.Files > 0 {
		return fmt.Errorf("%w: files are not accepted", wire.ErrMalformed)
	}
	if err := g.other(string(h.Op), meta, body); err != nil {
		return fmt.Errorf("%w: %s of %d + %d bytes: %w", wire.ErrMalformed, wire.Short(string(h.Op), 32), meta, body,
			err)
	}
	return nil
}

func (g *gate) runs() string {
	if g.cell == 0 {
		return "no cell runs"
	}
	return fmt.Sprintf("cell %d runs", g.cell)
}

// admitCall waits until a call of n bytes may be read. The caller holds mu.
func (g *gate) admitCall(n int) (release func(), err error) {
	if g.calls++; g.calls > maxCalls {
		return nil, fmt.Errorf("%w: more than %d calls of one cell", wire.ErrMalformed, maxCalls)
	}
	for g.unread >= g.limits.InFlight && g.quit.Err() == nil {
		g.changed.Wait()
	}
	if release = g.room.try(n); release == nil {
		r := g.room
		g.starved = true
		g.mu.Unlock()
		release, err = r.take(g.quit, n)
		g.mu.Lock()
		g.starved = false
	}
	if n >= largeFrame {
		debug.FreeOSMemory()
	}
	return release, err
}
