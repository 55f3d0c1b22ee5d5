package sandbox

import "time"

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

// SetIdle sets how long a spare waits to be used.
func SetIdle(s *Starter, d time.Duration) { s.idle = d }

// SetCellTime sets the time that the next cells may take.
func SetCellTime(s *Session, d time.Duration) { s.limits.CellTime = d }
