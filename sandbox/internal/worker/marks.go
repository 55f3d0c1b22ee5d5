package worker

import (
	"sync"

	"github.com/gorlm/rlm/internal/builtins"
	"github.com/gorlm/rlm/sandbox/internal/wire"
)

// marks reports to the host the passages that cells have cited. It does so before anything is sent that may contain
// a mark: output, a call, the answer.
type marks struct {
	conn *wire.Conn
	mu   sync.Mutex // held while marks are sent, so that they arrive in order
	book *builtins.Marks
}

// always is the open function for sending marks that are never refused.
func always() (uint64, error) { return 0, nil }

// send sends the new marks, unless open returns an error.
func (m *marks) send(cell int, open func() (uint64, error)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for fresh := m.book.Take(); len(fresh) > 0; {
		some := fresh[:min(len(fresh), wire.MarksAtOnce)]
		fresh = fresh[len(some):]
		// An error means that the host is gone, which the reader of frames notices, or that the cell and its marks
		// no longer count.
		_ = m.conn.SendNext(wire.Header{Op: wire.Marks, Cell: cell}, open, nil, wire.PackMarks(some))
	}
}
