package worker

import (
	"runtime"

	"github.com/gorlm/rlm/internal/kit/startup"
	"github.com/gorlm/rlm/sandbox/internal/wire"
)

const (
	// maxStacks bounds the stack dump that peek reads. A cell whose stacks do not all fit never counts as parked.
	maxStacks = 16 << 20
	oneStack  = 4 << 10 // usual size of one stack in the dump
)

// stackHead matches the first line of a goroutine in a stack dump: "goroutine 7 [chan receive, 2 minutes]:".
var stackHead = startup.Regexp(`(?m)^goroutine \d+ (?:gp=\S+ m=\S+ (?:mp=\S+ )?)?\[([^\],]+)`)

// peek reports to the host what the goroutines do and what was printed last. The host asks when a cell seems to
// hang, and when it has computed for long. On a busy machine the question may arrive before the cell does; without
// a cell, the worker reports that it is not parked.
func (w *worker) peek() {
	printed, tail := w.out.soFar()
	meta := wire.PeekMeta{Printed: printed}
	timers, others := w.notebook.Pending()
	meta.Pending = timers+others > 0
	stacks, whole := dump()
	meta.Computes = w.notebook.Computes(stacks)
	if w.calls.open() && (!meta.Pending || others == 0 && w.replays.Load()) {
		meta.Parked = whole && parked(stacks)
	}
	w.calls.untold(&meta)
	_ = w.conn.Send(wire.Header{Op: wire.Peek}, meta, tail)
}

// dump returns the stacks of all goroutines, and whether they all fit. It starts with a good guess of their size,
// because each attempt stops the process and visits all goroutines, even those whose stacks do not fit.
func dump() (stacks []byte, whole bool) {
	for size := max(64<<10, oneStack*runtime.NumGoroutine()); ; size *= 4 {
		buf := make([]byte, min(size, maxStacks))
		if n := runtime.Stack(buf, true); n < len(buf) || size >= maxStacks {
			return buf[:n], n < len(buf)
		}
	}
}

// parked reports whether all goroutines but this one wait for each other.
func parked(stacks []byte) bool {
	running := 0
	for _, m := range stackHead().FindAllSubmatch(stacks, -1) {
		switch state := string(m[1]); {
		case state == "running":
			running++
		case !parkedState[state]:
			return false
		}
	}
	return running <= 1
}

// parkedState contains the states that only another goroutine (or a timer) can end. "IO wait" is the state of the
// goroutine that reads the host's frames: cells have nothing to read from.
var parkedState = map[string]bool{
	"IO wait": true, "chan receive": true, "chan send": true, "select": true, "select (no cases)": true,
	"chan receive (nil chan)": true, "chan send (nil chan)": true, "semacquire": true, "sync.Mutex.Lock": true,
	"sync.RWMutex.RLock": true, "sync.RWMutex.Lock": true, "sync.Cond.Wait": true, "sync.WaitGroup.Wait": true,
	"finalizer wait": true, "cleanup wait": true,
}
