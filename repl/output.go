package repl

import (
	"io"
	"sync"

	"github.com/gorlm/rlm/internal/kit/text"
	"github.com/gorlm/rlm/internal/kit/units"
)

// output is the writer that cells print to. It serialises the writes of the cell's goroutines. Output of earlier
// cells' goroutines is kept apart, because a reader would attribute it to the running cell.
type output struct {
	w     io.Writer
	stale func() bool // reports whether the calling goroutine belongs to an earlier cell

	mu     sync.Mutex
	cells  int  // number of cells that have begun
	ended  bool // no cell runs
	late   []byte
	missed int
}

// lateBytes bounds how much late output is kept, in bytes.
const lateBytes = 1000

// Write writes b if the running cell prints it, and otherwise keeps it as late output.
func (o *output) Write(b []byte) (int, error) {
	stale := o.lock()
	defer o.mu.Unlock()
	if !stale && !o.ended {
		return o.w.Write(b)
	}
	room := min(len(b), lateBytes-len(o.late))
	o.late = append(o.late, b[:room]...)
	o.missed += len(b)
	return len(b), nil
}

// lock acquires the lock and reports whether the calling goroutine belongs to an earlier cell. If a cell begins
// during the check, lock checks again.
func (o *output) lock() (stale bool) {
	for {
		o.mu.Lock()
		cells := o.cells
		o.mu.Unlock()
		stale = o.stale != nil && o.stale()
		if o.mu.Lock(); cells == o.cells {
			return stale
		}
		o.mu.Unlock()
	}
}

// begin records that a cell starts. By then the engine must have marked goroutines of earlier cells as stale.
func (o *output) begin() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.ended = false
	o.cells++
}

// end records that the cell has ended, and returns a note about what goroutines of earlier cells printed while it
// ran.
func (o *output) end() (note string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.ended = true
	if o.missed > 0 {
		note = "goroutines that earlier cells left running printed " + units.Bytes(int64(o.missed)) + ": " +
			text.Line(string(o.late), lateBytes)
	}
	o.late, o.missed = nil, 0
	return note
}
