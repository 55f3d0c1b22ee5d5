package worker

import (
	"regexp"
	"runtime"

	"github.com/gorlm/rlm/sandbox/internal/wire"
)

// maxStacks bounds the dump of stacks that peek reads. A cell with more goroutines than fit is never called parked.
const maxStacks = 8 << 20

// A goroutine's head line in a dump of stacks: "goroutine 7 [chan receive, 2 minutes]:".
var stackHead = regexp.MustCompile(`(?m)^goroutine \d+ (?:gp=\S+ m=\S+ (?:mp=\S+ )?)?\[([^\],]+)`)

// peek tells the host what the goroutines do and what was printed last. The host asks when a cell seems to hang.
func (w *worker) peek() {
	printed, tail := w.out.soFar()
	meta := wire.PeekMeta{Printed: printed}
	timers, others := w.notebook.Pending()
	meta.Pending = timers+others > 0
	if !meta.Pending || others == 0 && w.replays.Load() {
		meta.Parked = parked()
	}
	_ = w.conn.Send(wire.Header{Op: wire.Peek}, meta, tail)
}

// parked says that all goroutines but the one that looks wait for each other.
func parked() bool {
	size := 64 << 10
	var buf []byte
	for {
		buf = make([]byte, size)
		n := runtime.Stack(buf, true)
		if n < size || size >= maxStacks {
			buf = buf[:n]
			break
		}
		size *= 4
	}
	running := 0
	for _, m := range stackHead.FindAllSubmatch(buf, -1) {
		switch state := string(m[1]); {
		case state == "running":
			running++
		case !parkedState[state]:
			return false
		}
	}
	return running <= 1 && len(buf) < maxStacks
}

// parkedState are the states that only another goroutine (or a timer) can end. IO wait is the reader of the
// host's frames: a cell has nothing to read from.
var parkedState = map[string]bool{
	"IO wait": true, "chan receive": true, "chan send": true, "select": true, "select (no cases)": true,
	"chan receive (nil chan)": true, "chan send (nil chan)": true, "semacquire": true, "sync.Mutex.Lock": true,
	"sync.RWMutex.RLock": true, "sync.RWMutex.Lock": true, "sync.Cond.Wait": true, "sync.WaitGroup.Wait": true,
	"finalizer wait": true, "cleanup wait": true,
}
