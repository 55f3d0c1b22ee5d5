package sandbox

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
