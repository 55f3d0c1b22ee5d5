package sandbox

import (
	"time"

	"github.com/gorlm/rlm/sandbox/internal/wire"
)

// WorkerPIDs lists the processes of the workers in use.
func WorkerPIDs(w *Workers) []int {
	w.mu.Lock()
	defer w.mu.Unlock()
	var pids []int
	for p := range w.live {
		pids = append(pids, p.cmd.Process.Pid)
	}
	return pids
}

// StopCell asks the worker to end a cell.
func StopCell(s *Session, cell int) error {
	return s.worker.conn.Send(wire.Header{Op: wire.Stop, Cell: cell}, nil, nil)
}

// SetIdle sets how long a spare waits to be used.
func SetIdle(s *Starter, d time.Duration) { s.idle = d }

// SetCellTime sets the time that the next cells may take.
func SetCellTime(s *Session, d time.Duration) { s.limits.CellTime = d }
