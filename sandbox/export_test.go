package sandbox

import "time"

// WorkerPIDs lists the processes of the workers that are in use.
func WorkerPIDs(w *Workers) []int {
	w.mu.Lock()
	defer w.mu.Unlock()
	var pids []int
	for p := range w.live {
		pids = append(pids, p.cmd.Process.Pid)
	}
	return pids
}

// SetIdle sets how long a spare waits to be taken.
func SetIdle(s *Starter, d time.Duration) { s.idle = d }
